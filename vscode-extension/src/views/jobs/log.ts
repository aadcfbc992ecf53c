// The log of a job in a terminal: what it has said, what it goes on to say, and how it ended.
import type { JobInfo, LogNews } from '../../answers'
import type { Event, Pseudoterminal } from '../../editor'
import { EventEmitter, words } from '../../editor'
import { stateOf } from './standing'

const SOON = 300
const LATER = 2_000
const INTERRUPT = '\u0003'
const DIM = '\u001b[2m'
const RED = '\u001b[31m'
const TAGS = [36, 33, 35, 32, 34]

/** Asks for what came after a mark. */
export type AskNews = (after: string) => Promise<LogNews>

export class LogTerminal implements Pseudoterminal {
  private readonly written = new EventEmitter<string>()
  private readonly named = new EventEmitter<string>()
  private readonly open_ = new Map<string, string>()
  private timer: NodeJS.Timeout | undefined
  private stopped = false
  private state = ''
  private trouble = ''
  private pause = SOON
  readonly onDidWrite: Event<string> = this.written.event
  readonly onDidChangeName: Event<string> = this.named.event

  constructor(private readonly ask: AskNews) {}

  open(): void {
    void this.follow('')
  }

  close(): void {
    this.stopped = true
    clearTimeout(this.timer)
  }

  /** Ctrl-C ends the following, not the job. */
  handleInput(data: string): void {
    if (data === INTERRUPT && !this.stopped) {
      this.close()
      this.say('no longer followed; the job goes on')
    }
  }

  private async follow(after: string): Promise<void> {
    let next = after
    try {
      const news = await this.ask(after)
      if (this.stopped) {
        return
      }
      this.trouble = ''
      this.show(news)
      next = news.after
      if (news.complete) {
        this.end(news.job)
        return
      }
      this.pause = news.pieces.length > 0 ? SOON : Math.min(this.pause * 1.5, LATER)
      if (news.more) {
        this.pause = 0
      }
    } catch (error) {
      if (this.stopped) {
        return
      }
      this.pause = LATER
      const trouble = words(error)
      if (trouble !== this.trouble) {
        this.trouble = trouble
        this.say(trouble, RED)
      }
      if (trouble.startsWith('job.missing')) {
        this.close()
        return
      }
    }
    this.timer = setTimeout(() => void this.follow(next), this.pause)
  }

  private show(news: LogNews): void {
    const state = stateOf(news.job)
    if (state !== this.state) {
      this.state = state
      this.named.fire(titleOf(news.job))
      if (news.pieces.length === 0 && !news.complete) {
        this.say(`${state}${news.job.message === '' ? '' : `: ${news.job.message}`}`)
      }
    }
    const several = news.job.nodes > 1 || news.job.processes_per_node > 1
    const text = news.pieces.map((each) => (several ? this.tagged(each.stream, each.text) : each.text)).join('')
    this.written.fire(text.replace(/\r?\n/g, '\r\n'))
  }

  /** Whole lines with their process in front; what is not whole yet waits. */
  private tagged(stream: string, text: string): string {
    const lines = `${this.open_.get(stream) ?? ''}${text}`.split('\n')
    this.open_.set(stream, lines.pop() ?? '')
    return lines.map((line) => `${tag(stream)}${line}\n`).join('')
  }

  private end(job: JobInfo): void {
    this.close()
    for (const [stream, rest] of this.open_) {
      if (rest !== '') {
        this.written.fire(`${tag(stream)}${rest}\r\n`)
      }
    }
    const code = job.exit_code === null ? '' : `, exit code ${job.exit_code}`
    const why = job.message === '' ? '' : `: ${job.message}`
    this.say(`${stateOf(job)}${code}${why}`, job.state === 'done' ? DIM : RED)
  }

  private say(text: string, colour = DIM): void {
    this.written.fire(`${colour}— ${text.replace(/\r?\n/g, '\r\n  ')}\u001b[0m\r\n`)
  }
}

/** The name of the terminal of a job. */
export function titleOf(job: JobInfo): string {
  return `${job.name} (${stateOf(job)})`
}

function tag(stream: string): string {
  const sum = Array.from(stream).reduce((all, each) => all * 7 + each.charCodeAt(0), 0)
  return `\u001b[${TAGS[sum % TAGS.length] ?? 36}m[${stream}]\u001b[0m `
}
