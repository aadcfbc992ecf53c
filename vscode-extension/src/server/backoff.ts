// How long to wait before a server that ended is started again, and when to give up.

const WAITS = [0, 1_000, 4_000, 15_000]
const WINDOW = 3 * 60_000

/** Ends of the server, newest last; those of long ago are forgotten. */
export class Backoff {
  private ends: number[] = []

  constructor(private readonly waits: readonly number[] = WAITS) {}

  /** Milliseconds to wait after an end at a time; undefined when it ended too often to go on. */
  next(now: number): number | undefined {
    this.ends = [...this.ends.filter((each) => now - each < WINDOW), now]
    return this.waits[this.ends.length - 1]
  }

  /** How often it ended lately. */
  get count(): number {
    return this.ends.length
  }

  /** A person restarts it: a new beginning. */
  clear(): void {
    this.ends = []
  }
}
