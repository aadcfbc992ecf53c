// Where the editor begins: makes the server and the log, and hands them to every part.
import type { Aj } from './aj'
import type { Job } from './answers'
import type { ExtensionContext } from './editor'
import { EventEmitter, window } from './editor'
import { PARTS } from './parts'
import { Requests } from './request/requests'
import { Server } from './server/server'
import { JobDocuments } from './submit/documents'

export async function activate(context: ExtensionContext): Promise<Aj> {
  const log = window.createOutputChannel('aj', { log: true })
  const server = new Server(context, log)
  const submitted = new EventEmitter<Job>()
  const documents = new JobDocuments()
  const aj: Aj = {
    context,
    log,
    server,
    requests: new Requests(context.workspaceState),
    documents,
    onSubmitted: submitted.event,
    submitted: (job) => {
      submitted.fire(job)
    },
  }
  context.subscriptions.push(log, server, submitted, documents, ...PARTS.flatMap((part) => part(aj)))
  await server.startWhenNeeded()
  return aj
}
