// Journeys in the browser, with a picture of their stations: journey.mjs NAME VSIX AJ PICTURES
import { execFileSync } from 'node:child_process'
import fs from 'node:fs'
import path from 'node:path'
import { commandLine, folders, launch } from './launch.mjs'

const [name, vsix, aj, pictures] = process.argv.slice(2)
const { SETUP, stations } = await import(`./journeys/${name}.mjs`)
fs.mkdirSync(pictures, { recursive: true })
const where = folders()
if (SETUP.empty) {
  fs.rmSync(where.project, { recursive: true })
}
for (const [file, text] of Object.entries(SETUP.files ?? {})) {
  fs.mkdirSync(path.dirname(path.join(where.project, file)), {
    recursive: true,
  })
  fs.writeFileSync(path.join(where.project, file), text)
}
execFileSync(process.execPath, commandLine(where, ['--install-extension', vsix, '--force']), {
  env: { ...process.env, HOME: where.home },
  stdio: 'pipe',
})
const vscode = await launch(where, {
  trust: SETUP.trust ?? false,
  settings: {
    'editor.minimap.enabled': false,
    'editor.fontSize': 13,
    'workbench.layoutControl.enabled': false,
    'window.commandCenter': false,
    'security.workspace.trust.startupPrompt': 'never',
    ...SETUP.settings,
  },
  machine: { 'aj.server.command': [aj, 'lsp'] },
})
let page
let code = 1
try {
  const open = (remote) => (SETUP.open ? [['openFile', remote(path.join(where.project, SETUP.open))]] : [])
  page = await vscode.open(open, undefined, { width: 1280, height: 760 })
  for (const [station, visit] of Object.entries(stations(page, seen(page)))) {
    await visit()
    console.log(`✔ ${station}`)
  }
  code = 0
} catch (error) {
  console.error(error)
  await failed(page).catch(() => {})
} finally {
  await vscode.close()
}
process.exit(code)

/** What is looked at in the workbench. */
function seen(page) {
  const group = (index) => page.locator('.editor-group-container').nth(index)
  return {
    line: (index, text) => group(index).locator('.view-line', { hasText: text }).first(),
    lens: (text) => page.locator('.codelens-decoration a', { hasText: text }).first(),
    row: (text) => page.locator('.quick-input-list .monaco-list-row', { hasText: text }).first(),
    toast: (text) => page.locator('.notification-toast', { hasText: text }).first(),
    there: (selector, hasText) => page.locator(selector, { hasText }).first().waitFor(),
    gone: (selector) => page.locator(selector).first().waitFor({ state: 'detached' }),
    press: (keys) => page.keyboard.press(keys),
    type: (text) => page.keyboard.type(text),
    picture: (station) => page.screenshot({ path: path.join(pictures, `${station}.png`) }),
    run: async (title) => {
      await page.keyboard.press('F1')
      await page.locator('.quick-input-widget input').first().fill(`>${title}`)
      await page.locator('.quick-input-list .monaco-list-row', { hasText: title }).first().click()
    },
  }
}

/** Pictures of the place and of the extension's log, for who looks into a failure. */
async function failed(page) {
  await page.screenshot({ path: path.join(pictures, `failed-${name}.png`) })
  await page.keyboard.press('Escape')
  await seen(page).run('aj: Show Log')
  await page.waitForTimeout(2_000)
  await page.screenshot({
    path: path.join(pictures, `failed-${name}-log.png`),
  })
}
