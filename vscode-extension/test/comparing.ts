// What templates come to, compared: an edit of a base that is not saved, and two templates.
import assert from 'node:assert/strict'
import * as vscode from 'vscode'
import { closeAll, file, focused, holds, open, replace, until } from './editing'

/** The text that is shown beside, of whatever name. */
const shown = () =>
  vscode.workspace.textDocuments.filter((each) => each.uri.scheme === 'aj-job').map((each) => each.getText())

export const comparing = () => {
  describe('comparing', () => {
    afterEach(closeAll)

    it('what an edit of a base comes to, before it is saved, and the focus stays', async () => {
      const base = await open('.aj/base/local.yaml')
      await replace(base, 'SEED: "1"', 'SEED: "42"')
      await holds(async () => {
        await vscode.commands.executeCommand('aj.impact')
        assert.ok(
          shown().some((text) => /train \(changed\)[\s\S]*SEED[\s\S]*42/.test(text)),
          shown().join('\n'),
        )
      })
      await focused(base.document.uri)
      const { uri } = base.document
      const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', uri, 20)
      const lens = lenses.find((each) => each.command?.command === 'aj.impact')
      assert.deepEqual(lens?.command?.arguments, [uri.toString()], 'a lens leads there too')
    })

    it('a template and another one', async () => {
      await open('.aj/template/train.yaml')
      await holds(async () => {
        let over = false
        const comparing = Promise.resolve(
          vscode.commands.executeCommand('aj.diff', file('.aj/template/train.yaml')),
        ).finally(() => (over = true))
        // A list that comes up between the two keys has its first entry taken, the last commit: then once more.
        await until(async () => {
          await vscode.commands.executeCommand('workbench.action.quickOpenSelectNext')
          await vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem')
          return over
        })
        await comparing
        assert.ok(
          shown().some((text) => text.includes('jobs[0]')),
          shown().join('\n'),
        )
      })
    })
  })
}
