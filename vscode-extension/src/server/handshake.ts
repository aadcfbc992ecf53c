// Whether a server that answered is one that this extension can talk to.
import { VERSION } from '../answers'

/** The commands of the server that the extension cannot do without. */
export const NEEDED = [
  'aj.bases',
  'aj.cancelJob',
  'aj.dependents',
  'aj.diff',
  'aj.dryRun',
  'aj.explain',
  'aj.followLogs',
  'aj.graph',
  'aj.impact',
  'aj.jobSpec',
  'aj.jobs',
  'aj.preview',
  'aj.revealInPreview',
  'aj.status',
  'aj.submit',
  'aj.templates',
]

export interface Answered {
  readonly name: string | undefined
  readonly version: string | undefined
  readonly commands: readonly string[]
  /** The version of the answers of commands; undefined until one was asked. */
  readonly answers?: number
}

/** What is wrong between server and extension, and what to do; undefined where they fit. */
export function misfit(server: Answered, extension: string, from: string): string | undefined {
  if (server.name !== 'aj') {
    return `What ${from} starts is not the language server of aj: it calls itself ${server.name ?? 'nothing'}.`
  }
  const what = `aj ${server.version ?? 'of unknown version'} (${from})`
  const lacking = NEEDED.filter((each) => !server.commands.includes(each))
  if (lacking.length > 0) {
    const some = lacking.slice(0, 3).join(', ') + (lacking.length > 3 ? ', …' : '')
    return `${what} is too old for this extension (${extension}): it has no ${some}. Update that aj, or leave aj.server.command empty to use the one that comes with the extension.`
  }
  if (server.answers !== undefined && server.answers !== VERSION) {
    const side = server.answers > VERSION ? 'Update the extension' : 'Update that aj'
    return `${what} and this extension (${extension}) do not fit: answers of version ${server.answers}, not ${VERSION}. ${side}.`
  }
  return undefined
}
