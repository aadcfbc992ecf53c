// What a person is asked before a job goes out: what of, with which shape and command, and whether to send it.
import type { Aj } from '../aj'
import type { DryRun, Home } from '../answers'
import type { QuickPickItem } from '../editor'
import { Uri, window } from '../editor'
import { pickRequest } from '../request/picker'
import type { Request } from '../request/request'
import { spelled } from '../request/request'
import { templateOf } from '../templates'
import type { Submission } from './history'
import { ago, distinct } from './history'

/** The template of the argument or the active editor, else one that is picked. */
export async function chooseTemplate(aj: Aj, given: unknown): Promise<Uri | undefined> {
  const known = templateOf(given)
  if (known !== undefined) {
    return known
  }
  const { homes } = await aj.server.ask<{ homes: readonly Home[] }>('aj.templates', {})
  // Templates of several projects may have the same name.
  const place = (home: Home) => (homes.length > 1 ? [home.path.split('/').slice(-2).join('/')] : [])
  const leaves = homes.flatMap((home) => home.leaves.map((leaf) => ({ ...leaf, place: place(home) })))
  if (leaves.length === 0) {
    throw new Error('there is no template that can be submitted here: aj init makes a first one')
  }
  const picked = await window.showQuickPick(
    leaves.map((each) => ({
      label: each.name,
      description: [each.service ?? '', ...each.place].filter((word) => word !== '').join(' · '),
      detail: each.description ?? '',
      uri: each.uri,
    })),
    { title: 'Submit which template?', matchOnDetail: true },
  )
  return picked && Uri.parse(picked.uri)
}

interface Choice extends QuickPickItem {
  readonly request: Request | undefined
}

/** The shape and command: those of the preview, of an earlier submission, or others. */
export async function chooseRequest(
  aj: Aj,
  template: Uri,
  earlier: readonly Submission[],
): Promise<Request | undefined> {
  const now = aj.requests.of(template)
  const before = distinct(earlier).filter((each) => spelled(each.request) !== spelled(now))
  const same = earlier.find((each) => spelled(each.request) === spelled(now))
  const choices: Choice[] = [
    {
      label: `$(play) ${spelled(now) || 'As the template says'}`,
      description: same ? `submitted ${ago(same.at, Date.now())}` : 'as previewed',
      request: now,
    },
    ...before.map((each) => ({
      label: `$(history) ${spelled(each.request) || 'As the template says'}`,
      description: `submitted ${ago(each.at, Date.now())} as ${each.name}`,
      request: each.request,
    })),
    { label: '$(edit) Other shape, command or overlays…', request: undefined },
  ]
  const picked = await window.showQuickPick(choices, { title: 'Submit job: with which shape and command?' })
  if (picked === undefined) {
    return undefined
  }
  return picked.request ?? pickRequest(aj, template, now, 'Go on with these')
}

export type Answer = 'submit' | 'save' | 'no'

/** Asks once, over the difference that is shown. */
export async function confirm(found: DryRun, last: string | undefined): Promise<Answer> {
  const names = found.unsaved.map((each) => each.path.slice(each.path.lastIndexOf('/') + 1)).join(', ')
  const unsaved = found.unsaved.length > 0
  const choices: (QuickPickItem & { readonly answer: Answer })[] = [
    {
      label: unsaved ? '$(rocket) Submit with unsaved changes' : '$(rocket) Submit',
      detail: unsaved ? `As the editor shows it; not saved: ${names}` : 'Exactly this job',
      answer: 'submit',
    },
    ...(unsaved ? [{ label: `$(save) Save ${names}, then submit`, answer: 'save' } as const] : []),
    { label: '$(close) Do not submit', answer: 'no' },
  ]
  const picked = await window.showQuickPick(choices, {
    title: `Submit ${found.summary?.line ?? 'this job'}?`,
    placeHolder: last
      ? `Below: what differs from ${last}. Nothing has been sent yet`
      : 'The job is shown below. Nothing has been sent yet',
    ignoreFocusOut: true,
  })
  return picked?.answer ?? 'no'
}
