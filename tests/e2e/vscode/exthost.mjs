// Runs the extension's mocha tests inside the extension host of a real VS Code: exthost.mjs PICTURES AJ
import fs from 'node:fs'
import path from 'node:path'
import { EXTENSION, folders, launch } from './launch.mjs'

const [pictures, aj] = process.argv.slice(-2)
fs.mkdirSync(pictures, { recursive: true })
const where = folders()
const report = path.join(where.top, 'report.txt')
const vscode = await launch(where, {
  machine: { 'aj.server.command': [aj, 'lsp'] },
  variables: {
    AJ_REPORT: report,
    AJ_TEST_AJ: aj,
    AJ_TEST_GREP: process.env.AJ_TEST_GREP ?? '',
  },
})
let code = 1
try {
  let finished
  const exit = new Promise((resolve) => (finished = resolve))
  const page = await vscode.open(
    (remote) => [
      ['extensionDevelopmentPath', remote(EXTENSION)],
      ['extensionTestsPath', remote(path.join(EXTENSION, 'out/test/index.js'))],
      ['skipWelcome', 'true'],
      ['skipReleaseNotes', 'true'],
    ],
    async (page) => {
      await page.exposeFunction('codeAutomationExit', (status) => finished(status))
      await page.exposeFunction('codeAutomationLog', () => {})
    },
  )
  const timer = setTimeout(() => finished('the tests did not come to an end'), 800_000) // a minute on a machine that has time
  code = await exit
  clearTimeout(timer)
  console.log(fs.existsSync(report) ? fs.readFileSync(report, 'utf8') : 'no test ran')
  if (code !== 0) {
    console.error(code)
    await page.screenshot({ path: path.join(pictures, 'exthost.png') })
  }
} finally {
  await vscode.close()
}
process.exit(code === 0 ? 0 : 1)
