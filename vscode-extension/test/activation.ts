// The extension wakes for templates alone, and its server answers.
import assert from 'node:assert/strict'
import * as vscode from 'vscode'
import { closeAll, extension, file, holds, open, until } from './editing'

export const activation = () => {
  describe('activation', () => {
    it('our files have our language, others keep theirs', async () => {
      assert.equal((await open('.aj/template/train.yaml')).document.languageId, 'aj-template')
      assert.equal((await open('values.yaml')).document.languageId, 'yaml')
    })

    it('what aj.toml names is ours too, and nothing beside it', async () => {
      const put = (name: string, text: string) => vscode.workspace.fs.writeFile(file(name), Buffer.from(text))
      await put('.aj/aj.toml', 'templates = ["jobs/*.yaml"]\n')
      await put('jobs/extra.yaml', 'config: {}\n')
      try {
        const { document } = await open('jobs/extra.yaml')
        await holds(() => {
          assert.equal(document.languageId, 'aj-template')
        })
        assert.equal((await open('values.yaml')).document.languageId, 'yaml')
      } finally {
        await closeAll()
        await vscode.workspace.fs.delete(file('.aj/aj.toml'))
        await vscode.workspace.fs.delete(file('jobs'), { recursive: true })
      }
    })

    it('the server runs and says what is wrong', async () => {
      const { document } = await open('.aj/template/broken.yaml')
      const [found] = await until(() => vscode.languages.getDiagnostics(document.uri))
      assert.match(found?.message ?? '', /base.locl/)
      assert.equal(extension().isActive, true)
    })
  })
}
