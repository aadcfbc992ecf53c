// The newest jobs that the daemon keeps, asked again while somebody looks: often while some are live, else seldom.
import type { Aj } from '../../aj'
import type { JobInfo, JobList } from '../../answers'
import type { Ending, Event } from '../../editor'
import { EventEmitter, commands, words } from '../../editor'
import { isLive } from './standing'

const PAGE = 50
const LIVELY = 1_500
const QUIET = 15_000

export class Jobs implements Ending {
  private readonly changed = new EventEmitter<void>()
  private timer: NodeJS.Timeout | undefined
  private asking: Promise<void> | undefined
  private watched = false
  private failed = false
  private most = PAGE
  private known: readonly JobInfo[] = []
  readonly onChanged: Event<void> = this.changed.event

  constructor(private readonly aj: Aj) {}

  /** Newest first. */
  get all(): readonly JobInfo[] {
    return this.known
  }

  /** Whether there may be older ones. */
  get mayBeMore(): boolean {
    return this.known.length >= this.most
  }

  async more(): Promise<void> {
    this.most += PAGE
    await this.refresh()
  }

  /** Whether somebody looks. */
  watch(watched: boolean): void {
    this.watched = watched
    clearTimeout(this.timer)
    if (watched) {
      void this.refresh().catch(() => undefined)
    }
  }

  /** Asks now. A daemon that does not run is left alone, unless it is to `start` or jobs are shown that seem to live. */
  async refresh(start = false): Promise<void> {
    clearTimeout(this.timer)
    if (start) {
      await this.asking // it starts none
    }
    this.asking ??= this.ask(start).finally(() => {
      this.asking = undefined
      this.again()
    })
    await this.asking
  }

  /** Asks again after a while, as long as somebody looks. */
  private again(): void {
    clearTimeout(this.timer)
    if (this.watched) {
      const lively = !this.failed && this.known.some(isLive)
      this.timer = setTimeout(() => void this.refresh().catch(() => undefined), lively ? LIVELY : QUIET)
    }
  }

  dispose(): void {
    this.watched = false
    clearTimeout(this.timer)
    this.changed.dispose()
  }

  private list(start: boolean): Promise<JobList> {
    return this.aj.server.ask<JobList>('aj.jobs', { most: this.most, start })
  }

  private async ask(start: boolean): Promise<void> {
    let state = 'failed'
    this.failed = false
    try {
      let list = await this.list(start)
      if (!list.running && this.known.some(isLive)) {
        list = await this.list(true) // it went to sleep between two questions: they have ended
      }
      state = list.running ? 'listed' : 'asleep'
      if (list.running) {
        this.known = list.jobs
      }
    } catch (error) {
      this.failed = true
      this.aj.log.warn(`the jobs cannot be listed: ${words(error)}`)
      if (start) {
        throw error
      }
    } finally {
      await commands.executeCommand('setContext', 'aj.jobs.state', state)
      this.changed.fire()
    }
  }
}
