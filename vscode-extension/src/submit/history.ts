// What was submitted from each template: the request, the JobSpec as it was shown, and the job it became.
import type { Memento, Uri } from '../editor'
import type { Request } from '../request/request'
import { spelled } from '../request/request'

export interface Submission {
  readonly request: Request
  readonly text: string
  readonly job: string
  readonly name: string
  readonly sid: string
  readonly now: string
  /** Milliseconds since 1970. */
  readonly at: number
}

const KEPT = 10

export class History {
  constructor(private readonly kept: Memento) {}

  /** The submissions of a template, newest first. */
  of(template: Uri): readonly Submission[] {
    return this.kept.get<readonly Submission[]>(key(template)) ?? []
  }

  async add(template: Uri, submission: Submission): Promise<void> {
    await this.kept.update(key(template), [submission, ...this.of(template)].slice(0, KEPT))
  }
}

/** The submissions that asked for different things, the newest of each. */
export function distinct(submissions: readonly Submission[]): readonly Submission[] {
  const seen = new Set<string>()
  return submissions.filter((each) => {
    const asked = spelled(each.request)
    return !seen.has(asked) && seen.add(asked)
  })
}

/** The text of an earlier job as it would be under other facts: what then differs was changed by somebody. */
export function underFacts(earlier: Submission, sid: string, now: string): string {
  return earlier.text.replaceAll(earlier.sid, sid).replaceAll(earlier.now, now)
}

/** How long ago something was, in words. */
export function ago(at: number, now: number): string {
  const minutes = Math.floor((now - at) / 60_000)
  const [count, unit] =
    minutes < 1
      ? [0, 'just now']
      : minutes < 60
        ? [minutes, 'minute']
        : minutes < 60 * 24
          ? [Math.floor(minutes / 60), 'hour']
          : [Math.floor(minutes / 60 / 24), 'day']
  return count === 0 ? unit : `${count} ${unit}${count === 1 ? '' : 's'} ago`
}

const key = (template: Uri) => `submissions ${template.toString()}`
