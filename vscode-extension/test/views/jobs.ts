// The view of jobs: states that move, a log that is followed, and what can be done with a job.
import assert from 'node:assert/strict'
import * as vscode from 'vscode'
import type { Aj } from '../../src/aj'
import type { DryRun, Job, JobInfo, JobList, LogNews } from '../../src/answers'
import { Jobs } from '../../src/views/jobs/list'
import { LogTerminal } from '../../src/views/jobs/log'
import type { JobNode, JobsTree } from '../../src/views/jobs/tree'
import { acceptUntil, aj, closeAll, file, focused, holds, open, until } from '../editing'

const TRAIN = '.aj/template/train.yaml'

/** A job of the first template with a command of its own, submitted without any questions. */
async function submitted(command: string): Promise<Job> {
  const { server } = await aj()
  const uri = file(TRAIN).toString()
  const request = { command, nodes: 1, processes: 1 }
  const { sid, now, spec_sha256 } = await server.ask<DryRun>('aj.dryRun', { uri, request })
  const { job } = await server.ask<{ job: Job }>('aj.submit', { uri, request: { ...request, sid, now, spec_sha256 } })
  return job
}

const tree = () => vscode.commands.executeCommand<JobsTree>('aj.jobs.refresh')

async function node(job: Job): Promise<JobNode> {
  const nodes = (await tree()).getChildren().flatMap((each) => (each === 'more' ? [] : [each]))
  const found = nodes.find((each) => each.job.id === job.id)
  assert.ok(found, `the view has no job ${job.id}`)
  return found
}

async function item(job: Job): Promise<vscode.TreeItem> {
  return (await tree()).getTreeItem(await node(job))
}

/** Answers the next question with a button, or leaves it. */
async function answering(answer: string | undefined, act: () => PromiseLike<unknown>): Promise<string> {
  const { showWarningMessage } = vscode.window
  let asked = ''
  Object.assign(vscode.window, {
    showWarningMessage: (question: string) => {
      asked = question
      return Promise.resolve(answer)
    },
  })
  try {
    await act()
  } finally {
    Object.assign(vscode.window, { showWarningMessage })
  }
  return asked
}

const info = (more: Partial<JobInfo>): JobInfo => ({
  ...{ id: 'aaaaaaaaaa', name: 'j', service: 'local', state: 'running', template_name: 't', nodes: 1, message: '' },
  ...{ processes_per_node: 1, cancel_requested: false, backend_id: null, exit_code: null, accepted_at: '' },
  ...{ changed_at: '', started_at: null, ended_at: null, ...more },
})

/** What a terminal shows when it is told these, one answer after the other. */
async function shown(...answers: (LogNews | Error)[]): Promise<string> {
  let text = ''
  const terminal = new LogTerminal(() => {
    const next = answers.shift()
    return next instanceof Error || next === undefined
      ? Promise.reject(next ?? new Error('asked too often'))
      : Promise.resolve(next)
  })
  terminal.onDidWrite((each) => (text += each))
  terminal.open()
  await until(() => answers.length === 0)
  await new Promise((resolve) => setTimeout(resolve, 20))
  terminal.close()
  return text
}

/** A text without its colours. */
const plain = (text: string) =>
  text
    .split('\u001b')
    .map((each, index) => (index === 0 ? each : each.replace(/^\[\d+m/, '')))
    .join('')

const news = (job: JobInfo, pieces: readonly (readonly [string, string])[], more: Partial<LogNews> = {}): LogNews => ({
  ...{ job, after: '', more: false, complete: false, ...more },
  pieces: pieces.map(([stream, text]) => ({ stream, node: 0, text })),
})

export const jobsView = () => {
  describe('jobs view', () => {
    afterEach(closeAll)

    it('shows how a job stands, and what can be done then', async () => {
      await vscode.commands.executeCommand('aj.jobs.focus')
      const go = file('go').fsPath
      const job = await submitted(`while [ ! -e '${go}' ]; do sleep 0.1; done; exit 3`)
      await holds(async () => {
        const { description, contextValue } = await item(job)
        assert.match(description as string, /^running \d+ s · local$/)
        assert.equal(contextValue, 'job-live')
      })
      const there = await tree()
      assert.match(there.view.badge?.tooltip ?? '', /^1 job not ended$/)
      // Now it is only looked at: the view asks by itself.
      await vscode.workspace.fs.writeFile(file('go'), new Uint8Array())
      await holds(() => {
        const [first] = there.getChildren()
        assert.ok(first && first !== 'more')
        assert.match(there.getTreeItem(first).description as string, /^failed \(exit 3\) \d+ s ago · local$/)
      })
      assert.equal((await item(job)).contextValue, 'job-ended')
      await vscode.workspace.fs.delete(file('go'))
    })

    it('goes on asking after a question that somebody put failed', async () => {
      let answer: JobList | Error = { running: true, jobs: [info({})], message: null }
      const ask = () => (answer instanceof Error ? Promise.reject(answer) : Promise.resolve(answer))
      const list = new Jobs({ ...(await aj()), server: { ask } as unknown as Aj['server'] })
      list.watch(true)
      await until(() => list.all.length === 1)
      answer = new Error('the daemon does not start')
      await assert.rejects(list.refresh(true), /does not start/)
      answer = { running: true, jobs: [info({}), info({})], message: null }
      await until(() => list.all.length === 2)
      list.dispose()
    })

    it('learns how a job ended though the daemon went to sleep before it was asked again', async () => {
      let asleep = false
      const ask = (_: string, { start }: { start: boolean }): Promise<JobList> => {
        const jobs = [info(asleep ? { state: 'done' } : {})]
        return Promise.resolve(
          asleep && !start ? { running: false, jobs: [], message: null } : { running: true, jobs, message: null },
        )
      }
      const list = new Jobs({ ...(await aj()), server: { ask } as unknown as Aj['server'] })
      await list.refresh()
      assert.equal(list.all[0]?.state, 'running')
      asleep = true
      await list.refresh()
      assert.equal(list.all[0].state, 'done')
      list.dispose()
    })

    it('follows a log in a terminal until the job ends', async () => {
      const job = await submitted('for i in 1 2 3; do echo "step $i"; sleep 0.2; done')
      const { server } = await aj()
      let text = ''
      const terminal = new LogTerminal((after) => server.ask<LogNews>('aj.followLogs', { job: job.id, after }))
      terminal.onDidWrite((each) => (text += each))
      terminal.open()
      await until(() => text.includes('— done'))
      assert.match(plain(text), /step 1\r\nstep 2\r\nstep 3\r\n— done, exit code 0/)
      await vscode.commands.executeCommand('aj.jobs.log', job.id)
      const title = `${job.name} (done)`
      const found = await until(() => vscode.window.terminals.find((each) => each.name === title))
      await vscode.commands.executeCommand('aj.jobs.log', await node(job))
      assert.equal(vscode.window.terminals.filter((each) => each.name === title).length, 1)
      found.dispose()
    })

    it('cancels a job once the person says so', async () => {
      const job = await submitted('sleep 60')
      await answering(undefined, async () => vscode.commands.executeCommand('aj.jobs.cancel', await node(job)))
      assert.equal((await node(job)).job.cancel_requested, false)
      const asked = await answering('Cancel Job', () => vscode.commands.executeCommand('aj.jobs.cancel', job.id))
      assert.equal(asked, `Cancel ${job.name}?`)
      await holds(async () => {
        assert.match((await item(job)).description as string, /^cancelled/)
      })
    })

    it('copies the id, shows the JobSpec, opens the template', async () => {
      const job = await submitted('true')
      const there = await node(job)
      await vscode.commands.executeCommand('aj.jobs.copyId', there)
      assert.equal(await vscode.env.clipboard.readText(), job.id)
      await vscode.commands.executeCommand('aj.jobs.spec', there)
      await until(() =>
        vscode.window.visibleTextEditors.some((each) => each.document.getText().includes(`"sid": "${job.id}"`)),
      )
      await vscode.commands.executeCommand('aj.jobs.template', there)
      await focused(file(TRAIN))
    })

    it('submits it again with what was asked for then', async () => {
      // It lives meanwhile, so that the daemon does not go to sleep and has to be waited for.
      const job = await submitted('sleep 60')
      await open('.aj/template/sweep.yaml')
      const { onSubmitted, requests, server } = await aj()
      let taken: Job | undefined
      const listening = onSubmitted((each) => (taken = each))
      void vscode.commands.executeCommand('aj.jobs.resubmit', await node(job))
      const next = await acceptUntil(() => taken)
      listening.dispose()
      assert.notEqual(next.id, job.id)
      const asked = requests.of(file(TRAIN))
      assert.deepEqual([asked.command, asked.nodes, asked.processes], ['sleep 60', 1, 1])
      await requests.put(file(TRAIN), {})
      for (const { id } of [job, next]) {
        await server.ask('aj.cancelJob', { job: id })
      }
    })
  })

  describe('log of a job', () => {
    const done = { complete: true }

    it('ends lines as terminals want it', async () => {
      const text = await shown(news(info({ state: 'done', exit_code: 0 }), [['node-0', 'a\nb\r\nc']], done))
      assert.ok(text.startsWith('a\r\nb\r\nc'), JSON.stringify(text))
    })

    it('of several processes shows whole lines, each with its process', async () => {
      const job = info({ nodes: 2, state: 'failed', exit_code: 1 })
      const text = await shown(
        news(job, [['node-0', 'one, '], ['node-1', 'other\n']], { more: true }), // prettier-ignore
        news(job, [['node-0', 'two\nrest']], done),
      )
      assert.equal(plain(text), '[node-1] other\r\n[node-0] one, two\r\n[node-0] rest\r\n— failed, exit code 1\r\n')
    })

    it('says what it waits for, and goes on after trouble', async () => {
      const text = await shown(
        news(info({ state: 'queued', message: 'no node is free' }), []),
        new Error('the daemon does not answer'),
        news(info({ state: 'cancelled' }), [], done),
      )
      assert.equal(plain(text), '— queued: no node is free\r\n— the daemon does not answer\r\n— cancelled\r\n')
    })

    it('Ctrl-C ends the following alone', () => {
      let text = ''
      const terminal = new LogTerminal(() => new Promise(() => undefined))
      terminal.onDidWrite((each) => (text += each))
      terminal.open()
      terminal.handleInput('x')
      terminal.handleInput('\u0003')
      terminal.handleInput('\u0003')
      assert.equal(text.split('the job goes on').length, 2)
    })
  })
}
