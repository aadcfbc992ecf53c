// Where the server comes from: the places in their order, and words about all of them when none has it.

/** How to start the server; `from` says in words where it comes from. */
export interface Launch {
  readonly program: string
  readonly arguments: readonly string[]
  readonly environment?: NodeJS.ProcessEnv
  readonly from: string
}

/** The places where a server may be, each asked only when those before it have none. */
export interface Places {
  /** The setting `aj.server.command`. */
  readonly configured: readonly string[]
  /** The extension's own environment; undefined where there is no wheel to make it from. Rejects with words. */
  readonly own: () => Promise<Launch | undefined>
  /** The path of `aj` on the PATH. */
  readonly onPath: () => Promise<string | undefined>
  /** The interpreter of the selected Python environment, if `ajkit` is installed there. */
  readonly selected: () => Promise<string | undefined>
}

/** The server that was found, and what went wrong on the way to it. */
export interface Found {
  readonly launch: Launch
  readonly troubles: readonly string[]
}

export class NotFound extends Error {}

/** The person stopped the search. */
export class Stopped extends Error {}

export async function findServer(places: Places): Promise<Found> {
  const [program, ...rest] = places.configured
  if (program !== undefined) {
    const launch = { program, arguments: rest.length > 0 ? rest : ['lsp'], from: 'aj.server.command' }
    return { launch, troubles: [] }
  }
  const troubles: string[] = []
  try {
    const launch = await places.own()
    if (launch) {
      return { launch, troubles }
    }
  } catch (error) {
    if (error instanceof Stopped) {
      throw error
    }
    troubles.push(error instanceof Error ? error.message : String(error))
  }
  const aj = await places.onPath()
  if (aj !== undefined) {
    return { launch: { program: aj, arguments: ['lsp'], from: `${aj} on the PATH` }, troubles }
  }
  const python = await places.selected()
  if (python !== undefined) {
    const launch = { program: python, arguments: ['-m', 'ajkit.lsp.main'], from: `the selected Python, ${python}` }
    return { launch, troubles }
  }
  const others = 'There is no aj on the PATH, and none in the selected Python environment.'
  throw new NotFound(
    [...troubles, others, 'Install one (pip install ajkit), or name it in aj.server.command.'].join(' '),
  )
}
