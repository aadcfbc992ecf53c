// From "Submit job" to a job that is taken: shown first, asked once, and exactly what was shown is sent.
import type { Aj } from '../aj'
import type { DryRun, Problem, RefusalData, Submitted } from '../answers'
import type { Uri as UriType } from '../editor'
import { ProgressLocation, Uri, commands, env, show, window, workspace } from '../editor'
import { pickRequest } from '../request/picker'
import type { Request } from '../request/request'
import { sent } from '../request/request'
import { Refusal } from '../server/server'
import { chooseRequest, chooseTemplate, confirm } from './choosing'
import type { JobDocuments } from './documents'
import type { History } from './history'
import { underFacts } from './history'

const ERROR = 1

export class Submission {
  constructor(
    private readonly aj: Aj,
    private readonly documents: JobDocuments,
    private readonly history: History,
  ) {}

  /** The whole way; does nothing when the person leaves on it. */
  async submit(given: unknown): Promise<void> {
    if (!workspace.isTrusted) {
      const choice = await window.showWarningMessage(
        'Jobs are not submitted from a workspace that is not trusted: they run its code.',
        'Manage Workspace Trust',
      )
      if (choice !== undefined) {
        await commands.executeCommand('workbench.trust.manage')
      }
      return
    }
    const template = await chooseTemplate(this.aj, given)
    if (template === undefined) {
      return
    }
    const request = await chooseRequest(this.aj, template, this.history.of(template))
    if (request !== undefined) {
      await this.show(template, request)
    }
  }

  /** Shows the JobSpec that would be submitted now. */
  async dryRun(template: UriType): Promise<void> {
    const found = await this.ready(template, this.aj.requests.of(template))
    if (found) {
      await this.documents.show(found.run.summary?.name ?? 'job', found.run.text ?? '')
    }
  }

  /** Shows the job beside the last one of its template, asks, and sends it; again when it has changed meanwhile. */
  private async show(template: UriType, from: Request): Promise<void> {
    const found = await this.ready(template, from)
    if (found === undefined) {
      return
    }
    const { run, request } = found
    const text = run.text ?? ''
    const name = run.summary?.name ?? 'job'
    const [last] = this.history.of(template)
    const close = last
      ? await this.documents.compare(`${last.name} ↔ ${name}`, underFacts(last, run.sid, run.now), text)
      : await this.documents.showOver(name, text)
    let answer
    try {
      answer = await confirm(run, last?.name)
    } finally {
      await close()
    }
    if (answer === 'save') {
      await Promise.all(run.unsaved.map((each) => saved(Uri.parse(each.uri))))
    }
    if (answer !== 'no') {
      await this.send(template, request, run)
    }
  }

  /** A dry run without problems: asks for a shape that is missing, and goes to the first problem otherwise. */
  private async ready(
    template: UriType,
    from: Request,
  ): Promise<{ readonly run: DryRun; readonly request: Request } | undefined> {
    let request = from
    for (;;) {
      const asked = sent(request)
      const run = await window.withProgress({ location: ProgressLocation.Window, title: 'aj: dry run' }, () =>
        this.aj.server.ask<DryRun>('aj.dryRun', { uri: template.toString(), request: asked }),
      )
      const errors = run.problems.filter((each) => each.severity === ERROR)
      if (errors.length === 0 && run.spec_sha256 !== null) {
        await this.aj.requests.put(template, request)
        return { run, request }
      }
      if (!errors.every((each) => each.uri === null)) {
        await refuse(errors)
        return undefined
      }
      // Nothing is wrong with the files: the request lacks something, a shape above all.
      const why = errors.map((each) => each.message).join('; ')
      const other = await pickRequest(this.aj, template, request, 'Go on with these', why)
      if (other === undefined) {
        return undefined
      }
      request = other
    }
  }

  private async send(template: UriType, request: Request, run: DryRun): Promise<void> {
    const facts = { sid: run.sid, now: run.now, spec_sha256: run.spec_sha256 }
    try {
      const answer = await this.aj.server.ask<Submitted>('aj.submit', {
        uri: template.toString(),
        request: { ...sent(request), ...facts },
      })
      const { job } = answer
      const { text, sid, now } = run
      const kept = { request, text: text ?? '', sid, now, job: job.id, name: job.name, at: Date.now() }
      await this.history.add(template, kept)
      this.aj.submitted(job)
      void told(answer)
    } catch (error) {
      if (!(error instanceof Refusal)) {
        throw error
      }
      await this.refused(template, request, run, error)
    }
  }

  private async refused(template: UriType, request: Request, run: DryRun, refusal: Refusal): Promise<void> {
    const data: RefusalData = refusal.data
    if (data.reason === 'problems') {
      await refuse((data.problems ?? []).filter((each) => each.severity === ERROR))
    } else if (data.reason === 'changed') {
      void window.showWarningMessage(refusal.message)
      await this.show(template, request)
    } else if (data.reason === 'unreachable') {
      // The same facts: what may have arrived stays one job.
      if ((await window.showErrorMessage(refusal.message, 'Try Again')) !== undefined) {
        await this.send(template, request, run)
      }
    } else if (data.reason === 'stopped') {
      void window.showInformationMessage(refusal.message)
    } else {
      throw refusal
    }
  }
}

/** Says why nothing was submitted, and goes to the first place where it can be mended. */
async function refuse(errors: readonly Problem[]): Promise<void> {
  const first = errors.find((each) => each.uri !== null && each.range !== null) ?? errors[0]
  const more = errors.length > 1 ? ` (and ${errors.length - 1} more)` : ''
  void window
    .showErrorMessage(`Not submitted: ${first?.message ?? 'the template has problems'}${more}`, 'Show Problems')
    .then((choice) => choice && commands.executeCommand('workbench.actions.view.problems'))
  if (first?.uri) {
    await show(Uri.parse(first.uri), first.range)
  }
}

async function saved(uri: UriType): Promise<void> {
  await workspace.textDocuments.find((each) => each.uri.toString() === uri.toString())?.save()
}

/** Says that a job was taken, and offers what one does next. */
async function told(answer: Submitted): Promise<void> {
  const choice = await window.showInformationMessage(answer.message, 'Follow Log', 'Copy Id')
  if (choice === 'Copy Id') {
    await env.clipboard.writeText(answer.job.id)
  } else if (choice === 'Follow Log') {
    await commands.executeCommand('aj.jobs.log', answer.job.id)
  }
}
