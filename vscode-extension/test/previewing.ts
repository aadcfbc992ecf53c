// Previews: beside, live over what is not saved, for a request that is shown, and both ways between them and the source.
import assert from 'node:assert/strict'
import * as vscode from 'vscode'
import { aj, closeAll, cursorOn, file, focused, holds, open, preview, replace, until } from './editing'

const TRAIN = '.aj/template/train.yaml'

async function opened(kind: string, command: string): Promise<vscode.TextEditor> {
  await vscode.commands.executeCommand(command)
  return until(() => preview(kind))
}

const shows = (kind: string, words: RegExp) =>
  holds(() => {
    assert.match(preview(kind)?.document.getText() ?? '', words)
  })

export const previewing = () => {
  describe('previews', () => {
    afterEach(async () => {
      const there = await aj()
      await there.requests.put(file(TRAIN), {})
      await closeAll()
    })

    it('the JobSpec beside, and the focus stays', async () => {
      const editor = await open(TRAIN)
      const shown = await opened('spec', 'aj.preview')
      await focused(editor.document.uri)
      assert.notEqual(shown.viewColumn, editor.viewColumn)
      assert.equal(shown.document.languageId, 'jsonc')
      await shows('spec', /"DATA": "wikitext"/)
    })

    it('it follows an edit of a base that is not saved', async () => {
      await open(TRAIN)
      await opened('spec', 'aj.preview')
      await shows('spec', /"SEED": "1"/)
      const base = await open('.aj/base/local.yaml')
      await replace(base, 'SEED: "1"', 'SEED: "42"')
      await shows('spec', /"SEED": "42"/)
      assert.equal(base.document.isDirty, true)
      assert.match(preview('spec')?.document.uri.path ?? '', /train/, 'a base of what is shown does not take its place')
    })

    it('it follows the active template', async () => {
      await open(TRAIN)
      await opened('spec', 'aj.preview')
      const other = await open('.aj/template/sweep.yaml')
      await holds(() => {
        assert.match(preview('spec')?.document.uri.path ?? '', /sweep/)
      })
      await focused(other.document.uri)
      await holds(() => {
        const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs.map((tab) => tab.input))
        const shown = tabs.filter((each) => each instanceof vscode.TabInputText && each.uri.scheme === 'aj-preview')
        assert.equal(shown.length, 1, 'the one of the other template has gone')
      })
    })

    it('it follows a template that is renamed, and one that is gone leaves it', async () => {
      const [old, now] = [file('.aj/template/draft.yaml'), file('.aj/template/final.yaml')]
      await vscode.workspace.fs.writeFile(old, Buffer.from('base: train\nconfig: {description: A draft}\n'))
      await open('.aj/template/draft.yaml')
      await opened('spec', 'aj.preview')
      await shows('spec', /"description": "A draft"/)
      const edit = new vscode.WorkspaceEdit()
      edit.renameFile(old, now)
      assert.ok(await vscode.workspace.applyEdit(edit))
      await open('.aj/template/final.yaml')
      await shows('spec', /"template_name": "final"/)
      await vscode.workspace.fs.delete(now)
      await open('.aj/template/sweep.yaml')
      await shows('spec', /"template_name": "sweep"/)
    })

    it('shape and overlays are those that were picked, and are said above', async () => {
      const there = await aj()
      await there.requests.put(file(TRAIN), { nodes: 3, processes: 2, set: ['description=other'] })
      await open(TRAIN)
      const shown = await opened('spec', 'aj.preview')
      await shows('spec', /"nodes": 3/)
      await shows('spec', /"sku": "3xC2"/)
      await shows('spec', /"description": "other"/)
      const lenses = await vscode.commands.executeCommand<vscode.CodeLens[]>(
        'vscode.executeCodeLensProvider',
        shown.document.uri,
        5,
      )
      assert.ok(lenses.some((each) => each.command?.title.includes('-n 3 -p 2 --set description=other')))
    })

    it('merged config and amlt rendering', async () => {
      await open(TRAIN)
      await opened('merged', 'aj.merged')
      await shows('merged', /SEED: '?"?1/)
      await opened('amlt', 'aj.amlt')
      await shows('amlt', /\$\$DATA/)
      assert.equal(preview('amlt')?.document.languageId, 'aj-template')
    })

    it('from a key of the source to its place in the preview', async () => {
      const editor = await open(TRAIN)
      const shown = await opened('merged', 'aj.merged')
      await shows('merged', /wikitext/)
      cursorOn(editor, 'DATA: wikitext')
      await vscode.commands.executeCommand('aj.revealInPreview')
      const answer = await (
        await aj()
      ).server.ask<{ range: { start: { line: number } } }>('aj.revealInPreview', {
        uri: editor.document.uri.toString(),
        position: { line: editor.selection.active.line, character: editor.selection.active.character },
        preview: shown.document.uri.toString(),
      })
      assert.match(shown.document.lineAt(answer.range.start.line).text, /DATA/)
    })

    it('from a value of the preview to the line that set it, in whatever file', async () => {
      await open(TRAIN)
      await opened('merged', 'aj.merged')
      await shows('merged', /SEED/)
      const shown = preview('merged')
      assert.ok(shown)
      const editor = await vscode.window.showTextDocument(shown.document, {
        viewColumn: shown.viewColumn ?? vscode.ViewColumn.Two,
      })
      cursorOn(editor, 'SEED', 1)
      await vscode.commands.executeCommand('aj.revealSource')
      const there = await until(() => {
        const now = vscode.window.activeTextEditor
        return now?.document.uri.path.endsWith('base/local.yaml') ? now : undefined
      })
      assert.match(there.document.lineAt(there.selection.active.line).text, /SEED: "1"/)
      assert.equal(there.viewColumn, vscode.ViewColumn.One, 'the preview stays where it is')
    })
  })
}
