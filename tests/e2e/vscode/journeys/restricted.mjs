// A workspace that nobody trusts yet: templates are checked, its programs are not started, and no job goes out.
import assert from 'node:assert/strict'

export const SETUP = {
  trust: true,
  open: '.aj/template/train.yaml',
  files: {
    '.vscode/settings.json': JSON.stringify({
      'aj.server.command': ['/nowhere/of-the-workspace'],
    }),
  },
}

export function stations(page, { lens, row, toast, there, gone, press, run }) {
  return {
    'the server is the one of the machine, not of the workspace': async () => {
      await there('.statusbar-item', 'Restricted Mode')
      await lens('Preview JobSpec').waitFor()
    },
    'a lens offers to submit, and is refused with the way out': async () => {
      await lens('Submit job').click()
      await toast('workspace that is not trusted').waitFor()
      await there('.notification-toast .monaco-button', 'Manage Workspace Trust')
    },
    'the palette does not offer it': async () => {
      await press('F1')
      await page.locator('.quick-input-widget input').first().fill('>aj: Sho')
      await there('.quick-input-list .monaco-list-row', 'aj: Show Merged Config')
      await page.locator('.quick-input-widget input').first().fill('>aj: Submit Job')
      await gone('.quick-input-list .monaco-list-row:has-text("Show Merged Config")')
      assert.equal(await row('aj: Submit Job').count(), 0)
      await press('Escape')
    },
    'once it is trusted, its own server counts': async () => {
      await run('Workspaces: Manage Workspace Trust')
      await page.locator('.workspace-trust-editor .monaco-button', { hasText: 'Trust' }).first().click()
      await toast('/nowhere/of-the-workspace').waitFor()
    },
  }
}
