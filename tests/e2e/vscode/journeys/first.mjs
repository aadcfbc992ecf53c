// Somebody begins: a folder without templates, the first one, and the walkthrough.

export const SETUP = { empty: true, files: { 'train.py': "print('hello')\n" } }

export function stations(page, { there, press, picture, run }) {
  const step = (title) => page.locator('.getting-started-step, .step-title', { hasText: title }).first()

  return {
    'the view says what to do, and does it': async () => {
      await page.locator('.activitybar [aria-label^="aj"]').first().click()
      const make = page.locator('.welcome-view-content .monaco-button', {
        hasText: 'Make a First Template',
      })
      await make.waitFor()
      await picture('welcome')
      await make.click()
      await there('.tab', 'hello.yaml')
      await there('.monaco-list-row[aria-label^="template hello,"]')
      await there('.codelens-decoration a', 'Submit job')
    },
    'its preview stands beside': async () => {
      await run('aj: Preview JobSpec Beside')
      await there('.view-line', '"version"')
      await page.mouse.move(640, 740)
      await page.waitForTimeout(500)
      await picture('first-preview')
      await run('View: Close All Editors')
    },
    'a snippet makes a template': async () => {
      await run('File: New Untitled Text File')
      await run('Change Language Mode')
      await page.keyboard.type('aj template')
      await press('Enter')
      await page.keyboard.type('heterogeneous')
      await there('.suggest-widget.visible .monaco-list-row', 'heterogeneous')
      await press('Enter')
      await there('.view-line', 'master:')
    },
    'the walkthrough has its steps and pictures': async () => {
      await run('aj: Get Started')
      await there('.gettingStartedContainer', 'Get started with aj')
      await step('See the job while you type').click()
      await page.waitForTimeout(500)
      await picture('walkthrough')
    },
  }
}
