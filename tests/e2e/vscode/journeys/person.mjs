// What somebody does who writes a template and submits it.

export const SETUP = {
  open: '.aj/template/train.yaml',
  files: { '.aj/base/debug.yaml': '# Fewer data and more words.\nconfig: {description: Looks into a failure}\n' },
}

export function stations(page, { line, lens, row, toast, there, gone, press, type, picture, run }) {
  return {
    'a template opens, with what can be done above it': async () => {
      await lens('Submit job').waitFor()
      await lens('2 bases').waitFor()
      await there('.statusbar-item', 'aj')
    },
    'its preview stands beside, and the focus stays': async () => {
      await lens('Preview JobSpec').click()
      await line(1, '"version"').waitFor()
      await lens('as the template says').waitFor()
    },
    'a hover tells where a value comes from': async () => {
      await line(0, 'wikitext').locator('span span', { hasText: 'wikitext' }).last().hover()
      await there('.monaco-hover:not(.hidden) .hover-contents', 'small')
      await page.waitForTimeout(500) // it fades in
      await picture('preview')
      await page.mouse.move(640, 740)
    },
    'what is typed shows in the preview': async () => {
      await line(0, 'wikitext').click()
      await press('End')
      await type('-103')
      await line(1, 'wikitext-103').waitFor()
    },
    'a misspelt base is found where it stands, and mended': async () => {
      await line(0, 'base.logging').click()
      await press('End')
      await press('Backspace')
      await page.locator('.squiggly-error').first().waitFor({ state: 'attached' })
      await press('Control+Shift+M')
      await there('.markers-panel .monaco-list-row', 'did you mean')
      await picture('problems')
      await press('Control+J')
      await line(0, 'base.loggin').click()
      await press('End')
      await press('Control+.')
      await there('.action-widget', 'base.logging')
      await press('Enter')
      await gone('.squiggly-error')
    },
    'completion knows the bases': async () => {
      await line(0, 'base.logging').click()
      await press('End')
      await press('Enter')
      await type('- base.')
      await there('.suggest-widget.visible .monaco-list-row', 'base.debug')
      await picture('completion')
      await press('Escape')
      await press('Control+Shift+K')
      await gone('.squiggly-error')
    },
    'a shape is picked, and said above the preview': async () => {
      await lens('as the template says').click()
      await row('-n').click()
      await there('.quick-input-title', 'Nodes (-n)')
      await type('2')
      await press('Enter')
      await row('-n 2').waitFor()
      await picture('shape')
      await press('Enter')
      await line(1, '"nodes": 2').waitFor()
      await lens('-n 2').waitFor()
    },
    'a job is shown, asked about once, and taken': async () => {
      await lens('Submit job').click()
      await row('-n 2').waitFor()
      await press('Enter')
      await row('Submit with unsaved changes').waitFor()
      await there('.quick-input-title', '2 nodes')
      await press('Enter')
      await toast('is taken as').waitFor()
      await page.waitForTimeout(500) // it fades in
      await picture('taken')
      await run('Notifications: Clear All Notifications')
    },
    'the next one is compared with it': async () => {
      await line(0, 'wikitext-103').click()
      await press('End')
      await press('Backspace')
      await type('0')
      await lens('Submit job').click()
      await row('-n 2').waitFor()
      await press('Enter')
      await row('Submit with unsaved changes').waitFor()
      await there('.monaco-diff-editor .view-line', 'wikitext-100')
      await page.mouse.move(640, 740)
      await page.waitForTimeout(500) // the differences are worked out
      await picture('submit')
      await press('Escape')
      await gone('.monaco-diff-editor')
    },
    'the palette says the rest': async () => {
      await run('aj: Show Merged Config')
      await line(1, 'wikitext-100').waitFor()
    },
  }
}
