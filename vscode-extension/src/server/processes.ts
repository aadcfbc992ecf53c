// Runs a program to its end and gives what it said; a person can stop it.
import { spawn } from 'node:child_process'
import { access, constants } from 'node:fs/promises'
import { delimiter, join } from 'node:path'

export interface Done {
  readonly code: number | null
  readonly output: string
}

export interface RunOptions {
  readonly cwd?: string
  readonly environment?: NodeJS.ProcessEnv
  readonly signal?: AbortSignal
  readonly onLine?: (line: string) => void
}

/** Runs a program; rejects when it cannot be started or was stopped. */
export async function run(program: string, given: readonly string[], options: RunOptions = {}): Promise<Done> {
  if (options.signal?.aborted) {
    throw new Error('stopped')
  }
  const { promise, resolve, reject } = settle<Done>()
  const child = spawn(program, given, {
    cwd: options.cwd,
    env: options.environment ?? process.env,
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const stop = () => {
    try {
      if (child.pid !== undefined) {
        process.kill(-child.pid, 'SIGTERM')
      }
    } catch {
      // all of them have ended by themselves
    }
  }
  options.signal?.addEventListener('abort', stop, { once: true })
  let output = ''
  const take = (data: Buffer) => {
    const text = data.toString()
    output += text
    text.split('\n').forEach((line) => {
      if (line.trim() !== '') {
        options.onLine?.(line.trimEnd())
      }
    })
  }
  child.stdout.on('data', take)
  child.stderr.on('data', take)
  child.on('error', reject)
  child.on('close', (code) => {
    options.signal?.removeEventListener('abort', stop)
    if (options.signal?.aborted) {
      reject(new Error('stopped'))
    } else {
      resolve({ code, output })
    }
  })
  return promise
}

/** The first program of a name on the PATH; undefined where there is none. */
export async function onPath(name: string, environment: NodeJS.ProcessEnv = process.env): Promise<string | undefined> {
  for (const folder of (environment.PATH ?? '').split(delimiter).filter((each) => each.startsWith('/'))) {
    const path = join(folder, name)
    if (await isProgram(path)) {
      return path
    }
  }
  return undefined
}

/** Whether a path is a file that may be run. */
export async function isProgram(path: string): Promise<boolean> {
  try {
    await access(path, constants.X_OK)
    return true
  } catch {
    return false
  }
}

function settle<T>() {
  let resolve!: (value: T) => void
  let reject!: (error: Error) => void
  const promise = new Promise<T>((yes, no) => {
    resolve = yes
    reject = no
  })
  return { promise, resolve, reject }
}
