// The extension wakes for templates alone, and its server answers.
import assert from 'node:assert/strict'
import * as vscode from 'vscode'
import { extension, open, until } from './editing'

export const activation = () => {
  describe('activation', () => {
    it('our files have our language, others keep theirs', async () => {
      assert.equal((await open('.aj/template/train.yaml')).document.languageId, 'aj-template')
      assert.equal((await open('values.yaml')).document.languageId, 'yaml')
    })

    it('the server runs and says what is wrong', async () => {
      const { document } = await open('.aj/template/broken.yaml')
      const [found] = await until(() => vscode.languages.getDiagnostics(document.uri))
      assert.match(found?.message ?? '', /base.locl/)
      assert.equal(extension().isActive, true)
    })
  })
}
