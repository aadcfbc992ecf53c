// Where the editor begins: makes the server and the log, and hands them to every part.
import type { Aj } from './aj'
import type { Job } from './answers'
import type { ExtensionContext } from './editor'
import { EventEmitter, window } from './editor'
import { PARTS } from './parts'
import { Server } from './server/server'

export async function activate(context: ExtensionContext): Promise<Aj> {
  const log = window.createOutputChannel('aj', { log: true })
  const server = new Server(context, log)
  const submitted = new EventEmitter<Job>()
  const aj: Aj = {
    context,
    log,
    server,
    onSubmitted: submitted.event,
    submitted: (job) => {
      submitted.fire(job)
    },
  }
  context.subscriptions.push(log, server, submitted, ...PARTS.flatMap((part) => part(aj)))
  await server.startWhenNeeded()
  return aj
}
