// What a person asks a job for, like the options of `aj run`: values, their words, and their form on the wire.

export interface Request {
  readonly nodes?: number
  readonly processes?: number
  readonly ppn?: number
  /** A line for the shell, after the command of the template. */
  readonly command?: string
  readonly with?: readonly string[]
  readonly set?: readonly string[]
  readonly env?: readonly string[]
}

export type Field = keyof Request

/** The numbers of a request with their options and the least that they may be. */
export const NUMBERS = [
  { field: 'nodes', option: '-n', least: 1, title: 'Nodes' },
  { field: 'processes', option: '-p', least: 0, title: 'GPUs per node, or the size tier of a CPU SKU' },
  { field: 'ppn', option: '--ppn', least: 1, title: 'Launcher processes per node' },
] as const

/** The lists of a request with their options. */
export const LISTS = [
  { field: 'with', option: '--with', title: 'Bases merged in after the template' },
  { field: 'set', option: '--set', title: 'Values set over the merged config: KEYPATH=VALUE' },
  { field: 'env', option: '--env', title: 'Environment variables: NAME=VALUE' },
] as const

/** A request with one member changed; undefined, empty text and empty lists take it away. */
export function changed(
  request: Request,
  field: Field,
  value: number | string | readonly string[] | undefined,
): Request {
  const others = Object.fromEntries(Object.entries(request).filter(([name]) => name !== field))
  const gone = value === undefined || value === '' || (Array.isArray(value) && value.length === 0)
  return gone ? others : { ...others, [field]: value }
}

/** The options and words of a request as on a command line; empty for one that asks for nothing. */
export function spelled(request: Request): string {
  const numbers = NUMBERS.filter((each) => request[each.field] !== undefined).map(
    (each) => `${each.option} ${request[each.field]}`,
  )
  const lists = LISTS.flatMap((each) => (request[each.field] ?? []).map((value) => `${each.option} ${quoted(value)}`))
  const command = request.command === undefined ? [] : [`--shell ${quoted(request.command)}`]
  return [...numbers, ...lists, ...command].join(' ')
}

/** A word as a shell takes it. */
function quoted(word: string): string {
  return /^[\w@%+=:,./-]+$/.test(word) ? word : `'${word.replaceAll("'", "'\\''")}'`
}

/** Every member said explicitly: what is null counts as not given, whatever the settings of previews say. */
export function sent(request: Request): Readonly<Record<Field, unknown>> {
  return {
    nodes: request.nodes ?? null,
    processes: request.processes ?? null,
    ppn: request.ppn ?? null,
    command: request.command ?? null,
    with: request.with ?? null,
    set: request.set ?? null,
    env: request.env ?? null,
  }
}

/** What is wrong with the text of a number; undefined for a good one and for none. */
export function numberFlaw(text: string, least: number): string | undefined {
  const trimmed = text.trim()
  if (trimmed === '') {
    return undefined
  }
  return /^\d+$/.test(trimmed) && Number(trimmed) >= least ? undefined : `a whole number of at least ${least}`
}

/** What is wrong with the text of a list whose items are NAME=VALUE. */
export function pairsFlaw(text: string): string | undefined {
  const odd = split(text).find((each) => !/^[^=\s]+=/.test(each))
  return odd === undefined ? undefined : `${odd} is not of the form NAME=VALUE`
}

/** The items of a list, one a semicolon: values may hold spaces. */
export function split(text: string): readonly string[] {
  return text
    .split(';')
    .map((each) => each.trim())
    .filter((each) => each !== '')
}
