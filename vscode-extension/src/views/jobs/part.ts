// The view of jobs, and the commands on one of them.
import type { Aj } from '../../aj'
import type { JobInfo, JobSpecAnswer, LogNews } from '../../answers'
import type { Ending, QuickPickItem, Terminal } from '../../editor'
import { Uri, command, commands, env, show, window } from '../../editor'
import type { Request } from '../../request/request'
import { History } from '../../submit/history'
import { Jobs } from './list'
import { LogTerminal, titleOf } from './log'
import { isLive, lineOf } from './standing'
import { JobsTree } from './tree'

export function jobs(aj: Aj): readonly Ending[] {
  const list = new Jobs(aj)
  const tree = new JobsTree(list)
  const logs = new Map<string, Terminal>()
  const chosen = (given: unknown, what: string, live = false) => choose(list, given, what, live)
  return [
    list,
    tree,
    aj.onSubmitted(() => void list.refresh().catch(() => undefined)),
    window.onDidCloseTerminal((gone) => {
      for (const [id, terminal] of logs) {
        if (terminal === gone) {
          logs.delete(id)
        }
      }
    }),
    command('aj.jobs.refresh', async () => {
      await list.refresh(true)
      return tree
    }),
    command('aj.jobs.more', () => list.more()),
    command('aj.jobs.log', async (given) => {
      const job = await chosen(given, 'Follow the log of which job?')
      if (job) {
        follow(aj, logs, job)
      }
    }),
    command('aj.jobs.cancel', async (given) => {
      const job = await chosen(given, 'Cancel which job?', true)
      if (job) {
        await cancel(aj, job)
        await list.refresh()
      }
    }),
    command('aj.jobs.resubmit', async (given) => {
      const job = await chosen(given, 'Submit which job again?')
      if (job) {
        await resubmit(aj, job)
      }
    }),
    command('aj.jobs.copyId', async (given) => {
      const job = await chosen(given, 'Copy the id of which job?')
      if (job) {
        await env.clipboard.writeText(job.id)
      }
    }),
    command('aj.jobs.spec', async (given) => {
      const job = await chosen(given, 'Show the JobSpec of which job?')
      if (job) {
        const { text } = await specOf(aj, job)
        await aj.documents.show(job.name, text)
      }
    }),
    command('aj.jobs.template', async (given) => {
      const job = await chosen(given, 'Open the template of which job?')
      if (job) {
        await show(templateOfJob(await specOf(aj, job)))
      }
    }),
  ]
}

/** The job of an item, of an id, or one that is picked. */
async function choose(list: Jobs, given: unknown, title: string, live: boolean): Promise<JobInfo | undefined> {
  if (typeof given === 'object' && given !== null && 'job' in given) {
    return given.job as JobInfo
  }
  await list.refresh(true)
  const found = list.all.filter((each) => !live || isLive(each))
  if (typeof given === 'string') {
    const job = found.find((each) => each.id === given)
    if (job === undefined) {
      throw new Error(`there is no job ${given} that this can be done with`)
    }
    return job
  }
  if (found.length === 0) {
    throw new Error(live ? 'no job is live' : 'there are no jobs yet')
  }
  const items: (QuickPickItem & { readonly job: JobInfo })[] = found.map((job) => ({
    label: job.name,
    description: lineOf(job, Date.now()),
    job,
  }))
  return (await window.showQuickPick(items, { title, matchOnDescription: true }))?.job
}

function follow(aj: Aj, logs: Map<string, Terminal>, job: JobInfo): void {
  let terminal = logs.get(job.id)
  if (terminal === undefined) {
    const pty = new LogTerminal((after) => aj.server.ask<LogNews>('aj.followLogs', { job: job.id, after }))
    terminal = window.createTerminal({ name: titleOf(job), pty, isTransient: true })
    logs.set(job.id, terminal)
  }
  terminal.show(true)
}

async function cancel(aj: Aj, job: JobInfo): Promise<void> {
  const yes = 'Cancel Job'
  const detail = `${lineOf(job, Date.now())}. All its processes are stopped.`
  if ((await window.showWarningMessage(`Cancel ${job.name}?`, { modal: true, detail }, yes)) === yes) {
    await aj.server.ask('aj.cancelJob', { job: job.id })
  }
}

/** Goes the way of a submission again, with what was asked for then. */
async function resubmit(aj: Aj, job: JobInfo): Promise<void> {
  const found = await specOf(aj, job)
  const template = templateOfJob(found)
  const before = new History(aj.context.workspaceState).of(template).find((each) => each.job === job.id)
  const { command: line, ...shape } = found.request
  const request: Request = before?.request ?? (line === null ? shape : { ...shape, command: line })
  await aj.requests.put(template, request)
  await commands.executeCommand('aj.submit', template)
}

function specOf(aj: Aj, job: JobInfo): Promise<JobSpecAnswer> {
  return aj.server.ask<JobSpecAnswer>('aj.jobSpec', { job: job.id })
}

function templateOfJob({ job, template }: JobSpecAnswer): Uri {
  if (template === null) {
    throw new Error(`no folder of this window has the template ${job.template_name}: open the one that it is in`)
  }
  return Uri.parse(template.uri)
}
