// The extension's own environment for the server: made once from the wheel that it carries, apart from any project.
import { createHash } from 'node:crypto'
import { mkdir, readFile, readdir, rm, stat, utimes, writeFile } from 'node:fs/promises'
import { basename, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { Launch } from './finding'
import { Stopped } from './finding'
import { onPath, run } from './processes'

const PYTHONS = ['python3.14', 'python3.13', 'python3.12', 'python3.11', 'python3', 'python']
const NEW_ENOUGH = 'import sys; sys.exit(sys.version_info < (3, 11))'
const LOCK_AGE = 10 * 60_000
const UNUSED = 30 * 24 * 60 * 60_000
// What would let a project, or a person's habits, into the environment.
const FOREIGN =
  /^(PYTHON(PATH|HOME|STARTUP|USERBASE)|VIRTUAL_ENV|CONDA_PREFIX|PIP_(USER|TARGET|PREFIX|CONSTRAINT|REQUIRE_VIRTUALENV|REQUIREMENT)|UV_(CONSTRAINT|OVERRIDE|PROJECT|PYTHON|PROJECT_ENVIRONMENT|SYSTEM_PYTHON))$/
const NO_NETWORK =
  /NewConnectionError|ConnectionError|Max retries exceeded|Failed to fetch|error sending request|dns error|Temporary failure in name resolution|Network is unreachable|Connection refused|No matching distribution/i

export interface Making {
  /** The extension's folder of wheels. */
  readonly wheels: string
  /** The folder that environments are kept in. */
  readonly storage: string
  readonly environment: NodeJS.ProcessEnv
  readonly signal: AbortSignal
  readonly report: (words: string) => void
  readonly log: (line: string) => void
}

/** The wheel that the extension carries; undefined where it was built without one. */
export async function carriedWheel(folder: string): Promise<string | undefined> {
  const names = await readdir(folder).catch(() => [])
  const wheel = names.find((each) => each.endsWith('.whl'))
  return wheel === undefined ? undefined : join(folder, wheel)
}

/** An environment of this process without what could let a project in. */
export function isolated(environment: NodeJS.ProcessEnv): NodeJS.ProcessEnv {
  return Object.fromEntries(Object.entries(environment).filter(([name]) => !FOREIGN.test(name)))
}

/** The server in the extension's own environment, which is made if it is not there yet. */
export async function ownServer(making: Making): Promise<Launch | undefined> {
  const wheel = await carriedWheel(making.wheels)
  if (wheel === undefined) {
    return undefined
  }
  const folder = join(making.storage, await folderName(wheel))
  const ready = join(folder, 'ready')
  if (!(await exists(ready))) {
    await mkdir(making.storage, { recursive: true })
    await locked(`${folder}.lock`, making.signal, async () => {
      if (!(await exists(ready))) {
        await make(folder, wheel, making)
        await writeFile(ready, '')
        await tidy(making.storage)
      }
    })
  }
  await utimes(ready, new Date(), new Date())
  return {
    program: join(folder, 'bin', 'aj'),
    arguments: ['lsp'],
    environment: isolated(making.environment),
    from: "the extension's own environment",
  }
}

/** Takes away those of earlier versions that no window has started a server from for long. */
async function tidy(storage: string): Promise<void> {
  for (const name of await readdir(storage)) {
    const used = await stat(join(storage, name, 'ready')).catch(() => undefined)
    if (used !== undefined && Date.now() - used.mtimeMs > UNUSED) {
      await rm(join(storage, name), { recursive: true, force: true })
    }
  }
}

/** Takes away every environment that was made. */
export async function removeOwn(storage: string): Promise<void> {
  await rm(storage, { recursive: true, force: true })
}

async function folderName(wheel: string): Promise<string> {
  const digest = createHash('sha256').update(await readFile(wheel))
  return `server-${digest.digest('hex').slice(0, 12)}`
}

async function make(folder: string, wheel: string, making: Making): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  try {
    const uv = await onPath('uv', making.environment)
    await (uv === undefined ? withPip(folder, wheel, making) : withUv(uv, folder, wheel, making))
  } catch (error) {
    await rm(folder, { recursive: true, force: true })
    throw making.signal.aborted ? new Stopped('Making the server was stopped.') : error
  }
}

async function withUv(uv: string, folder: string, wheel: string, making: Making): Promise<void> {
  making.report('making an environment with uv')
  await step(uv, ['venv', '--no-project', '--no-config', '--python', '>=3.11', folder], making)
  making.report(`installing ${basename(wheel)} with uv`)
  await step(uv, ['pip', 'install', '--no-config', '--python', join(folder, 'bin', 'python'), wheel], making)
}

async function withPip(folder: string, wheel: string, making: Making): Promise<void> {
  const python = await newEnoughPython(making)
  making.report(`making an environment with ${python}`)
  await step(python, ['-m', 'venv', folder], making)
  making.report(`installing ${basename(wheel)} with pip`)
  const pip = ['-m', 'pip', 'install', '--disable-pip-version-check', '--no-input', '--retries', '1', wheel]
  await step(join(folder, 'bin', 'python'), pip, making)
}

async function newEnoughPython(making: Making): Promise<string> {
  for (const name of PYTHONS) {
    const python = await onPath(name, making.environment)
    if (python !== undefined && (await run(python, ['-c', NEW_ENOUGH], { signal: making.signal })).code === 0) {
      return python
    }
  }
  throw new Error(
    'Neither uv nor a Python from 3.11 on is on the PATH: the server that comes with the extension cannot be installed.',
  )
}

async function step(program: string, given: readonly string[], making: Making): Promise<void> {
  const done = await run(program, given, {
    // Not the project's folder: uv would read its settings.
    cwd: making.storage,
    environment: isolated(making.environment),
    signal: making.signal,
    onLine: making.log,
  })
  if (done.code !== 0) {
    throw new Error(failure(program, done.output))
  }
}

/** What a failed step means for the person. */
export function failure(program: string, output: string): string {
  const name = basename(program)
  if (NO_NETWORK.test(output)) {
    return `The packages of the server cannot be fetched (${name}): is this machine offline? Connect and restart the server, or say where your mirror is (PIP_INDEX_URL, UV_INDEX_URL).`
  }
  if (output.includes('ensurepip')) {
    return `${name} cannot make environments: install its venv package (apt install python3-venv), or uv, then restart the server.`
  }
  const last = output.trim().split('\n').slice(-3).join(' ').trim()
  return `The server that comes with the extension cannot be installed: ${name} says: ${last}`
}

/** Does something that two windows must not do at once. */
async function locked(lock: string, signal: AbortSignal, work: () => Promise<void>): Promise<void> {
  while (!(await taken(lock))) {
    if (signal.aborted) {
      throw new Stopped('Making the server was stopped.')
    }
    await sleep(300)
  }
  try {
    await work()
  } finally {
    await rm(lock, { recursive: true, force: true })
  }
}

async function taken(lock: string): Promise<boolean> {
  try {
    await mkdir(lock)
    return true
  } catch {
    const age = await stat(lock).then(
      (found) => Date.now() - found.mtimeMs,
      () => 0,
    )
    if (age > LOCK_AGE) {
      await rm(lock, { recursive: true, force: true })
    }
    return false
  }
}

async function exists(path: string): Promise<boolean> {
  return stat(path).then(
    () => true,
    () => false,
  )
}
