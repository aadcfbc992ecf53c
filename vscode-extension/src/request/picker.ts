// The picker of shape, command and overlays: every value is shown, and changed one by one.
import type { Aj } from '../aj'
import type { Home } from '../answers'
import type { QuickPickItem, Uri } from '../editor'
import { window } from '../editor'
import type { Field, Request } from './request'
import { LISTS, NUMBERS, changed, numberFlaw, pairsFlaw, spelled, split } from './request'

interface Choice extends QuickPickItem {
  readonly field: Field | 'done' | 'clear'
}

/** Asks for a request, beginning with one; undefined when the person left. `why` says what is missing. */
export async function pickRequest(
  aj: Aj,
  template: Uri,
  from: Request,
  done: string,
  why?: string,
): Promise<Request | undefined> {
  let request = from
  for (;;) {
    const picked = await window.showQuickPick(choices(request, done), {
      title: why ?? 'Shape, command and overlays',
      placeHolder: 'Enter takes them; pick a value to change it',
      ignoreFocusOut: true,
    })
    if (picked === undefined) {
      return undefined
    }
    if (picked.field === 'done') {
      return request
    }
    request = picked.field === 'clear' ? {} : ((await asked(aj, template, request, picked.field)) ?? request)
  }
}

function choices(request: Request, done: string): readonly Choice[] {
  const none = 'as the template says'
  return [
    { field: 'done', label: `$(check) ${done}`, description: spelled(request) || none },
    ...NUMBERS.map((each) => ({
      field: each.field,
      label: each.option,
      description: request[each.field]?.toString() ?? none,
      detail: each.title,
    })),
    {
      field: 'command',
      label: 'command',
      description: request.command ?? 'that of the template alone',
      detail: 'A line for the shell, after the command of the template',
    },
    ...LISTS.map((each) => ({
      field: each.field,
      label: each.option,
      description: (request[each.field] ?? []).join('; ') || 'none',
      detail: each.title,
    })),
    { field: 'clear', label: '$(clear-all) Take all of it away', description: 'the template alone' },
  ]
}

async function asked(aj: Aj, template: Uri, request: Request, field: Field): Promise<Request | undefined> {
  const number = NUMBERS.find((each) => each.field === field)
  if (number) {
    const text = await window.showInputBox({
      title: `${number.title} (${number.option})`,
      prompt: 'Empty: as the template says',
      value: request[number.field]?.toString() ?? '',
      validateInput: (typed) => numberFlaw(typed, number.least),
      ignoreFocusOut: true,
    })
    return text === undefined ? undefined : changed(request, field, text.trim() === '' ? undefined : Number(text))
  }
  if (field === 'with') {
    return overlays(aj, template, request)
  }
  const list = LISTS.find((each) => each.field === field)
  const text = await window.showInputBox({
    title: list?.title ?? 'A line for the shell, after the command of the template',
    prompt: list ? 'Several: with semicolons between them' : 'Empty: the command of the template alone',
    value: list ? (request[list.field] ?? []).join('; ') : (request.command ?? ''),
    validateInput: (typed) => (list ? pairsFlaw(typed) : undefined),
    ignoreFocusOut: true,
  })
  return text === undefined ? undefined : changed(request, field, list ? split(text) : text.trim())
}

/** Bases by name; those that are merged in already keep their order, the others follow. */
async function overlays(aj: Aj, template: Uri, request: Request): Promise<Request | undefined> {
  const { homes } = await aj.server.ask<{ homes: readonly Home[] }>('aj.templates', { uri: template.toString() })
  const known = homes.flatMap((home) => home.bases.map((each) => each.name))
  const now = request.with ?? []
  const names = [...now, ...known.filter((each) => !now.includes(each))]
  const picked = await window.showQuickPick(
    names.map((label) => ({ label, picked: now.includes(label) })),
    { title: 'Bases merged in after the template (--with)', canPickMany: true, ignoreFocusOut: true },
  )
  return (
    picked &&
    changed(
      request,
      'with',
      picked.map((each) => each.label),
    )
  )
}
