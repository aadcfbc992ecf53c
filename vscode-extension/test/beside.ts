// Beside the server of Red Hat's YAML extension: it has its YAML, we have ours, and nothing is said twice.
import assert from 'node:assert/strict'
import { join } from 'node:path'
import * as vscode from 'vscode'
import { LanguageClient } from 'vscode-languageclient/node'
import { closeAll, cursorOn, extension, open, replace, until } from './editing'

/** What that extension asks its server about. */
const THEIRS = [
  { language: 'yaml' },
  { language: 'dockercompose' },
  { language: 'github-actions-workflow' },
  { pattern: '*.y(a)ml' },
]

export const beside = () => {
  describe('beside the YAML language server', () => {
    let client: LanguageClient

    before(async () => {
      const path = join(extension().extensionPath, 'node_modules/yaml-language-server/bin/yaml-language-server')
      const server = { command: process.execPath, args: [path, '--stdio'] }
      client = new LanguageClient('yaml', 'YAML', server, { documentSelector: THEIRS })
      await client.start()
    })

    after(async () => {
      await client.dispose()
      await closeAll()
    })

    it('other YAML is theirs alone', async () => {
      const editor = await open('values.yaml')
      await replace(editor, '{image: busybox}', '{image: busybox')
      const found = await until(() => vscode.languages.getDiagnostics(editor.document.uri))
      assert.deepEqual(new Set(found.map((each) => each.source)), new Set(['YAML']))
    })

    it('templates are ours alone: every problem once, every hover once', async () => {
      const editor = await open('.aj/template/broken.yaml')
      await replace(editor, 'Its base is misspelt', '"Its base')
      const uri = editor.document.uri
      const found = await until(() => {
        const all = vscode.languages.getDiagnostics(uri)
        return all.some((each) => String(codeOf(each)) === 'yaml.syntax') ? all : undefined
      })
      assert.deepEqual(new Set(found.map((each) => each.source)), new Set(['aj']))
      const said = found.map((each) => `${each.range.start.line}: ${each.message}`)
      assert.deepEqual(said, [...new Set(said)])
      const position = cursorOn(editor, 'base.locl')
      const hovers = await vscode.commands.executeCommand<vscode.Hover[]>('vscode.executeHoverProvider', uri, position)
      assert.equal(hovers.length, 1)
    })
  })
}

const codeOf = ({ code }: vscode.Diagnostic) => (typeof code === 'object' ? code.value : code)
