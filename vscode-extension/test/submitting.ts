// Submission: shown, asked, sent to this machine, and done; or refused with the place to mend.
import assert from 'node:assert/strict'
import * as vscode from 'vscode'
import type { Aj } from '../src/aj'
import type { Home, Job, Template } from '../src/answers'
import { chooseTemplate } from '../src/submit/choosing'
import { acceptUntil, aj, closeAll, file, focused, open, replace, until } from './editing'

const TRAIN = '.aj/template/train.yaml'

interface Info {
  readonly state: string
}

interface Logs {
  readonly job: Info
  readonly streams: readonly { readonly name: string; readonly text: string }[]
}

/** Submits the active template, saying yes to everything. */
async function submitted(): Promise<Job> {
  const there = await aj()
  let job: Job | undefined
  const listening = there.onSubmitted((each) => (job = each))
  void vscode.commands.executeCommand('aj.submit')
  try {
    return await acceptUntil(() => job)
  } finally {
    listening.dispose()
  }
}

async function ended(job: Job): Promise<Logs> {
  const there = await aj()
  return until(async () => {
    const found = await there.server.ask<Logs>('aj.jobLogs', { job: job.id })
    return found.job.state === 'done' || found.job.state === 'failed' ? found : undefined
  })
}

export const submitting = () => {
  describe('submission', () => {
    afterEach(closeAll)

    it('a job runs here from end to end', async () => {
      await open(TRAIN)
      const job = await submitted()
      assert.equal(job.service, 'local')
      const logs = await ended(job)
      assert.equal(logs.job.state, 'done')
      const text = logs.streams.map((each) => each.text).join('')
      assert.match(text, /training on wikitext with seed 1/)
      assert.match(text, /loss 0\.25/)
    })

    it('the next one is compared with it, and what is not saved counts', async () => {
      const editor = await open(TRAIN)
      await replace(editor, 'DATA: wikitext', 'DATA: books')
      const there = await aj()
      let job: Job | undefined
      const listening = there.onSubmitted((each) => (job = each))
      void vscode.commands.executeCommand('aj.submit')
      const diff = await acceptUntil(() =>
        vscode.window.tabGroups.all
          .flatMap((group) => group.tabs)
          .find((tab) => tab.input instanceof vscode.TabInputTextDiff),
      )
      const { original, modified } = diff.input as vscode.TabInputTextDiff
      assert.match((await vscode.workspace.openTextDocument(original)).getText(), /"DATA": "wikitext"/)
      assert.match((await vscode.workspace.openTextDocument(modified)).getText(), /"DATA": "books"/)
      const taken = await acceptUntil(() => job)
      listening.dispose()
      assert.match((await ended(taken)).streams.map((each) => each.text).join(''), /training on books/)
      assert.equal(editor.document.isDirty, true, 'nothing was saved behind the back of the person')
    })

    it('templates of several projects are told apart', async () => {
      const template: Template = {
        ...{ name: 'train', uri: 'file:///p', path: '/p', folder: '', leaf: true, service: 'local', description: null },
        ...{ errors: 0, warnings: 0, extends: [], dependents: 0 },
      }
      const home = (path: string): Home => ({ path, uri: `file://${path}`, leaves: [template], bases: [] })
      const asked = async (...homes: Home[]) => {
        const { showQuickPick } = vscode.window
        let said: readonly (string | undefined)[] = []
        Object.assign(vscode.window, {
          showQuickPick: (items: readonly vscode.QuickPickItem[]) => {
            said = items.map((each) => each.description)
            return Promise.resolve(undefined)
          },
        })
        try {
          const server = { ask: () => Promise.resolve({ homes }) } as unknown as Aj['server']
          await chooseTemplate({ ...(await aj()), server }, undefined)
        } finally {
          Object.assign(vscode.window, { showQuickPick })
        }
        return said
      }
      await closeAll()
      assert.deepEqual(await asked(home('/w/one/.aj')), ['local'])
      const several = await asked(home('/w/one/.aj'), home('/w/two/.azure_jobs'))
      assert.deepEqual(several, ['local · one/.aj', 'local · two/.azure_jobs'])
    })

    it('a template that is only looked at is there again after its job was shown', async () => {
      for (const name of [TRAIN, '.aj/template/sweep.yaml']) {
        const { document } = await vscode.window.showTextDocument(file(name), { preview: true })
        const way = vscode.commands.executeCommand('aj.submit')
        await acceptUntil(() => vscode.window.tabGroups.all.flatMap((group) => group.tabs).length === 2)
        await until(async () => {
          await vscode.commands.executeCommand('workbench.action.closeQuickOpen')
          return vscode.window.tabGroups.all.flatMap((group) => group.tabs).length === 1
        })
        await way
        await focused(document.uri)
      }
    })

    it('a template with a problem is refused, with a jump to it', async () => {
      await open('.aj/template/broken.yaml')
      void vscode.commands.executeCommand('aj.submit')
      const there = await acceptUntil(() => {
        const now = vscode.window.activeTextEditor
        const word = now?.document.getText().slice(now.document.offsetAt(now.selection.active))
        return word?.startsWith('base.locl') ? now : undefined
      })
      assert.match(there.document.uri.path, /broken/)
    })

    it('a dry run shows the JobSpec with its facts', async () => {
      await open(TRAIN)
      await vscode.commands.executeCommand('aj.dryRun')
      const shown = await until(() =>
        vscode.window.visibleTextEditors.find((each) => each.document.uri.scheme === 'aj-job'),
      )
      const spec = JSON.parse(shown.document.getText()) as { sid: string; nodes: number }
      assert.notEqual(spec.sid, '0000000000')
      assert.equal(spec.nodes, 1)
      await focused(file(TRAIN))
    })
  })
}
