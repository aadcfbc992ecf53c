// The extension wakes for templates alone, and its server answers.
import assert from 'node:assert/strict'
import * as vscode from 'vscode'
import { aj, closeAll, extension, file, holds, open, until } from './editing'

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

    it('so is what the aj.toml of a home further down names', async () => {
      const put = (name: string, text: string) => vscode.workspace.fs.writeFile(file(name), Buffer.from(text))
      await put('part/.azure_jobs/aj.toml', 'templates = ["jobs/*.yaml"]\n')
      await put('part/jobs/extra.yaml', 'config: {}\n')
      try {
        const { document } = await open('part/jobs/extra.yaml')
        await holds(() => {
          assert.equal(document.languageId, 'aj-template')
        })
      } finally {
        await closeAll()
        await vscode.workspace.fs.delete(file('part'), { recursive: true })
      }
    })

    it('so is an open file as soon as a setting makes its folder the home', async () => {
      await vscode.workspace.fs.writeFile(file('cluster/template/one.yaml'), Buffer.from('config: {}\n'))
      const home = (value: string | undefined) =>
        vscode.workspace.getConfiguration('aj').update('home', value, vscode.ConfigurationTarget.Workspace)
      try {
        const { document } = await open('cluster/template/one.yaml')
        assert.equal(document.languageId, 'yaml')
        await home(file('cluster').fsPath)
        await holds(() => {
          assert.equal(document.languageId, 'aj-template')
        })
      } finally {
        await home(undefined)
        await closeAll()
        await vscode.workspace.fs.delete(file('cluster'), { recursive: true })
      }
    })

    it('a first line makes a template, if it says nothing more', async () => {
      for (const [name, line, language] of [
        ['one.yaml', '# aj: template', 'aj-template'],
        ['two.yml', '#aj:template ', 'aj-template'],
        ['three.yaml', '# aj: template of another kind', 'yaml'],
      ] as const) {
        await vscode.workspace.fs.writeFile(file(name), Buffer.from(`${line}\nconfig: {}\n`))
        try {
          const { document } = await open(name)
          await holds(() => {
            assert.equal(document.languageId, language, line)
          })
        } finally {
          await closeAll()
          await vscode.workspace.fs.delete(file(name))
        }
      }
    })

    it('every command that is offered is there', async () => {
      await aj()
      const known = await vscode.commands.getCommands(true)
      const { contributes } = extension().packageJSON as { contributes: { commands: { command: string }[] } }
      const lacking = contributes.commands.filter(({ command }) => !known.includes(command))
      assert.deepEqual(lacking, [])
    })

    it('the server runs and says what is wrong', async () => {
      const { document } = await open('.aj/template/broken.yaml')
      const [found] = await until(() => vscode.languages.getDiagnostics(document.uri))
      assert.match(found?.message ?? '', /base.locl/)
      assert.equal(extension().isActive, true)
    })
  })
}
