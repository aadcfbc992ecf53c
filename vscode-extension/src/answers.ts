// The answers of the server's commands, as far as they are read here (docs/editor-features.md).
import type { PlainRange } from './editor'

/** Of every answer: what its members mean. */
export const VERSION = 1

export interface Problem {
  readonly uri: string | null
  readonly range: PlainRange | null
  readonly severity: number
  readonly code: string
  readonly message: string
}

export interface Preview {
  readonly uri: string
  readonly kind: string
  readonly text: string
  readonly digest: string | null
  readonly problems: readonly Problem[]
  readonly stale: boolean
}

export interface Revealed {
  readonly uri: string
  readonly range: PlainRange | null
  readonly keypath: string | null
}

export interface Status {
  readonly version: number
  readonly server: string
  readonly homes: readonly {
    readonly path: string
    readonly uri: string
    readonly state: 'ready' | 'indexing' | 'unread'
    readonly files: number | null
  }[]
  /** Whether the file that was asked about is a template by its place; null when none was. */
  readonly ours?: boolean | null
  readonly open: number
  readonly errors: number
  readonly warnings: number
}

export interface Template {
  readonly name: string
  readonly uri: string
  readonly path: string
  readonly folder: string
  readonly leaf: boolean
  readonly service: string | null
  readonly description: string | null
  readonly errors: number
  readonly warnings: number
  readonly extends: readonly string[]
  readonly dependents: number
}

export interface Home {
  readonly path: string
  readonly uri: string
  readonly leaves: readonly Template[]
  readonly bases: readonly Template[]
}

export interface Base {
  readonly name: string
  readonly path: string | null
  readonly uri: string | null
  readonly again?: boolean
  readonly missing?: boolean
  readonly cycle?: boolean
  readonly bases: readonly Base[]
}

export interface Dependent {
  readonly name: string
  readonly uri: string
  readonly path: string
  readonly leaf: boolean
  readonly direct: boolean
  readonly standing?: 'effective' | 'overridden' | 'absent'
}

export interface Impact {
  readonly message: string
  readonly text: string
}

export interface Difference {
  readonly before: { readonly name: string }
  readonly after: { readonly name: string }
  readonly problems: readonly Problem[]
  readonly text: string
}

export interface DryRun {
  readonly text: string | null
  readonly spec_sha256: string | null
  readonly sid: string
  readonly now: string
  readonly problems: readonly Problem[]
  readonly summary: Summary | null
  readonly unsaved: readonly { readonly uri: string; readonly path: string }[]
}

export interface Summary {
  readonly name: string
  readonly service: string
  readonly cluster: string | null
  readonly queue: string | null
  readonly nodes: number
  readonly gpus_per_node: number
  readonly total_gpus: number
  readonly sku: string | null
  readonly code: { readonly folder: string; readonly bytes: number; readonly entries: number } | null
  readonly line: string
}

export interface Job {
  readonly id: string
  readonly name: string
  readonly service: string
  readonly state: string
}

export interface Submitted {
  readonly job: Job
  readonly spec_sha256: string
  readonly message: string
}

/** What a refused submission says beside its words. */
export interface RefusalData {
  readonly reason?: 'problems' | 'unseen' | 'changed' | 'refused' | 'unreachable' | 'stopped'
  readonly problems?: readonly Problem[]
  readonly location?: { readonly uri: string; readonly range: PlainRange } | null
  readonly fields?: readonly string[]
}

/** A job as the daemon keeps it; times are ISO 8601. */
export interface JobInfo extends Job {
  readonly template_name: string
  readonly nodes: number
  readonly processes_per_node: number
  readonly message: string
  readonly cancel_requested: boolean
  readonly backend_id: string | null
  readonly exit_code: number | null
  readonly accepted_at: string
  readonly changed_at: string
  readonly started_at: string | null
  readonly ended_at: string | null
}

export interface JobList {
  readonly running: boolean
  readonly jobs: readonly JobInfo[]
  readonly message: string | null
}

export interface LogNews {
  readonly job: JobInfo
  readonly pieces: readonly { readonly stream: string; readonly node: number; readonly text: string }[]
  readonly after: string
  readonly more: boolean
  readonly complete: boolean
}

export interface JobSpecAnswer {
  readonly job: JobInfo
  readonly text: string
  readonly template: { readonly uri: string; readonly path: string } | null
  readonly request: {
    readonly nodes?: number
    readonly processes?: number
    readonly ppn?: number
    readonly command: string | null
  }
}

export interface GraphNode {
  readonly name: string
  readonly uri: string
  readonly leaf: boolean
  readonly service: string | null
  readonly errors: number
  readonly warnings: number
}

export interface GraphAnswer {
  readonly home: { readonly path: string; readonly uri: string }
  readonly nodes: readonly GraphNode[]
  readonly edges: readonly { readonly from: string; readonly to: string }[]
}
