// What every part of the extension is handed: the server, the log, and what happened to jobs.
import type { Job } from './answers'
import type { Ending, Event, ExtensionContext, LogOutputChannel } from './editor'
import type { Requests } from './request/requests'
import type { Server } from './server/server'
import type { JobDocuments } from './submit/documents'

export interface Aj {
  readonly context: ExtensionContext
  readonly log: LogOutputChannel
  readonly server: Server
  /** What each template is previewed with. */
  readonly requests: Requests
  /** Documents that show a job. */
  readonly documents: JobDocuments
  /** Fires when a job was submitted from here. */
  readonly onSubmitted: Event<Job>
  readonly submitted: (job: Job) => void
}

/** A feature: registers its commands and views, and gives what ends them. A line in parts.ts brings it in. */
export type Part = (aj: Aj) => readonly Ending[]
