// What the server knows is at hand in the editor: problems, hover, completion, rename, lenses.
import assert from 'node:assert/strict'
import * as vscode from 'vscode'
import type { WorkspaceEdit as LspEdit } from 'vscode-languageclient/node'
import { aj, closeAll, cursorOn, file, holds, open, replace, until } from './editing'

export const language = () => {
  describe('language', () => {
    afterEach(closeAll)

    it('problems, while it is typed, and gone when it is right', async () => {
      const editor = await open('.aj/template/broken.yaml')
      const uri = editor.document.uri
      const [found] = await until(() => vscode.languages.getDiagnostics(uri))
      assert.match(found?.message ?? '', /did you mean `base.local`/)
      const code = found?.code
      assert.ok(typeof code === 'object' && code.value === 'base.missing', 'the code leads to its page')
      await replace(editor, 'base.locl', 'base.local')
      await holds(() => {
        assert.deepEqual(
          vscode.languages.getDiagnostics(uri).map((each) => each.message),
          [],
        )
      })
    })

    it('hover tells where a value comes from', async () => {
      const editor = await open('.aj/template/train.yaml')
      const position = cursorOn(editor, 'wikitext')
      const hovers = await until(() =>
        vscode.commands.executeCommand<vscode.Hover[]>('vscode.executeHoverProvider', editor.document.uri, position),
      )
      const words = hovers.flatMap((each) => each.contents.map((part) => (part as vscode.MarkdownString).value))
      assert.match(words.join('\n'), /small/)
      assert.match(words.join('\n'), /local\.yaml/)
    })

    it('completion knows the bases', async () => {
      const editor = await open('.aj/template/broken.yaml')
      const position = cursorOn(editor, 'base.locl', 'base.'.length)
      const list = await until(() =>
        vscode.commands.executeCommand<vscode.CompletionList>(
          'vscode.executeCompletionItemProvider',
          editor.document.uri,
          position,
        ),
      )
      const labels = list.items.map((each) => (typeof each.label === 'string' ? each.label : each.label.label))
      assert.ok(
        labels.some((each) => each.includes('local')),
        labels.join(', '),
      )
    })

    it('rename moves a base and every name that leads to it', async () => {
      const editor = await open('.aj/template/train.yaml')
      await open('.aj/template/sweep.yaml')
      const position = cursorOn(editor, 'base.logging', 'base.log'.length)
      // As the rename provider does it: the editor's command for tests puts the moves of files before the edits.
      const client = await (await aj()).server.start()
      const edit = await client.protocol2CodeConverter.asWorkspaceEdit(
        await client.sendRequest<LspEdit>('textDocument/rename', {
          textDocument: { uri: editor.document.uri.toString() },
          position: { line: position.line, character: position.character },
          newName: 'base.loud',
        }),
      )
      assert.ok(await vscode.workspace.applyEdit(edit))
      const moved = await vscode.workspace.openTextDocument(file('.aj/base/loud.yaml'))
      assert.match(moved.getText(), /PYTHONUNBUFFERED/)
      await holds(async () => {
        const text = (await vscode.workspace.openTextDocument(file('.aj/template/train.yaml'))).getText()
        assert.match(text, /- base\.loud\b/)
      })
      await vscode.workspace.saveAll()
      const back = new vscode.WorkspaceEdit()
      back.renameFile(file('.aj/base/loud.yaml'), file('.aj/base/logging.yaml'))
      assert.ok(await vscode.workspace.applyEdit(back), 'a file that is renamed takes its names with it')
      await holds(async () => {
        const text = (await vscode.workspace.openTextDocument(file('.aj/template/train.yaml'))).getText()
        assert.match(text, /- base\.logging\b/)
      })
      await vscode.workspace.saveAll()
    })

    it('lenses lead to our commands, which are there before the server', async () => {
      const { document } = await open('.aj/template/train.yaml')
      const lenses = await until(() =>
        vscode.commands.executeCommand<vscode.CodeLens[]>('vscode.executeCodeLensProvider', document.uri, 20),
      )
      const named = lenses.map((each) => each.command?.command ?? '')
      assert.ok(named.includes('aj.preview') && named.includes('aj.submit'), named.join(', '))
      const known = await vscode.commands.getCommands(true)
      assert.deepEqual(
        named.filter((each) => !known.includes(each)),
        [],
      )
    })

    it('a template that is not saved yet is one too', async () => {
      const document = await vscode.workspace.openTextDocument({
        language: 'aj-template',
        content: 'config:\n  jbs: []\n',
      })
      await vscode.window.showTextDocument(document)
      const found = await until(() => vscode.languages.getDiagnostics(document.uri))
      assert.match(found.map((each) => each.message).join(), /jobs/)
      await vscode.commands.executeCommand('workbench.action.revertAndCloseActiveEditor')
    })
  })
}
