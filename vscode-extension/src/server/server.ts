// The server's life: found, started, asked, started again after a crash, and what a person is told about it.
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CloseHandlerResult } from 'vscode-languageclient/node'
import { CloseAction, ErrorAction, ErrorCodes, ResponseError, RevealOutputChannelOn } from 'vscode-languageclient/node'
import type { RefusalData, Status } from '../answers'
import type { CancellationToken, Disposable, Event, ExtensionContext, LogOutputChannel } from '../editor'
import { EventEmitter, commands, window, words, workspace } from '../editor'
import { isTemplate } from '../templates'
import { Backoff } from './backoff'
import { Client } from './client'
import type { Launch } from './finding'
import { Stopped, findServer } from './finding'
import { misfit } from './handshake'
import { places } from './places'

export type Standing =
  | { readonly kind: 'off' | 'starting' }
  | { readonly kind: 'running'; readonly version: string; readonly launch: Launch }
  | { readonly kind: 'failed'; readonly message: string }

/** The server said no: its words, and what it says beside them. */
export class Refusal extends Error {
  constructor(
    message: string,
    readonly code: number,
    readonly data: RefusalData,
  ) {
    super(message)
  }
}

/** Milliseconds that a process may take to end once it cannot be talked to. */
const LAST_WORDS = 2_000

/** Server and extension do not fit: starting it again would not help. */
class Misfit extends Error {}

export class Server implements Disposable {
  private readonly changed = new EventEmitter<Standing>()
  private readonly backoff = new Backoff()
  private readonly disposables: Disposable[] = []
  /** Ends when a person stops or restarts the server: what still goes on for it then must not come to anything. */
  private turn = new AbortController()
  private starting: Promise<Client> | undefined
  private client: Client | undefined
  private child: ChildProcess | undefined
  private standing: Standing = { kind: 'off' }
  private lastWords = ''

  readonly onChanged: Event<Standing> = this.changed.event

  constructor(
    private readonly context: ExtensionContext,
    private readonly log: LogOutputChannel,
  ) {}

  /** How it is now. */
  get now(): Standing {
    return this.standing
  }

  /** The process, for those who want to see it end. */
  get process(): ChildProcess | undefined {
    return this.child
  }

  /** Starts it as soon as a template is open. */
  async startWhenNeeded(): Promise<void> {
    const needed = () => workspace.textDocuments.some(isTemplate)
    this.disposables.push(
      workspace.onDidGrantWorkspaceTrust(() => {
        // What the workspace says of the server counts from now on.
        if (this.starting !== undefined) {
          void this.restart().catch(() => undefined)
        }
      }),
      workspace.onDidOpenTextDocument((document) => {
        if (isTemplate(document) && this.starting === undefined) {
          void this.start().catch(() => undefined)
        }
      }),
      workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('aj') && this.standing.kind === 'running') {
          // The server asks for its settings when it hears that some have changed.
          void this.client?.sendNotification('workspace/didChangeConfiguration', { settings: null })
        }
      }),
    )
    if (needed()) {
      await this.start().catch(() => undefined)
    }
  }

  /** The client of a server that runs; a failure stays one until somebody restarts it. */
  start(): Promise<Client> {
    this.starting ??= this.begun(this.turn.signal, false)
    return this.starting
  }

  /** Ends it and finds one anew. */
  async restart(): Promise<void> {
    await this.stop()
    this.backoff.clear()
    await this.start()
  }

  /** What a command of the server answers. */
  async ask<T>(command: string, argument: object, token?: CancellationToken): Promise<T> {
    const client = await this.start()
    try {
      const asked = { command, arguments: [argument] }
      // A token that is undefined would count as one more parameter.
      const more = token === undefined ? [] : [token]
      return await client.sendRequest<T>('workspace/executeCommand', asked, ...more)
    } catch (error) {
      if (error instanceof ResponseError && error.code === ErrorCodes.PendingResponseRejected) {
        throw new Error('The language server ended before it answered.', { cause: error })
      }
      if (error instanceof ResponseError) {
        throw new Refusal(error.message, error.code, (error.data as RefusalData | undefined) ?? {})
      }
      throw error
    }
  }

  async stop(): Promise<void> {
    const { client, child } = this
    this.turn.abort()
    this.turn = new AbortController()
    this.client = this.child = this.starting = undefined
    this.become({ kind: 'off' })
    // A server that does not answer is killed by the client; that it did not say goodbye is no news.
    await client?.dispose().catch(() => {
      child?.kill() // it was being started: there is nothing to say goodbye to
    })
  }

  dispose(): void {
    this.disposables.forEach((each) => {
      each.dispose()
    })
    void this.stop()
    this.changed.dispose()
  }

  /** A server that was started and fits; one that is killed on the way there is started again, as after a crash. */
  private async begun(turn: AbortSignal, crashed: boolean): Promise<Client> {
    try {
      this.become({ kind: 'starting' })
      let again = crashed
      for (;;) {
        if (again) {
          await this.rest(turn)
        }
        const client = await this.launched(turn, again)
        if (client !== undefined) {
          return client
        }
        again = true
      }
    } catch (error) {
      if (turn.aborted) {
        throw new Stopped('The language server was stopped.', { cause: error })
      }
      this.fail(words(error), !(error instanceof Stopped))
      throw error
    }
  }

  /** Finds a server and starts it; undefined when it ended on the way and may be started again. */
  private async launched(turn: AbortSignal, again: boolean): Promise<Client | undefined> {
    const { launch, troubles } = await findServer(places(this.context, this.log))
    turn.throwIfAborted()
    for (const each of troubles) {
      this.log.warn(each)
    }
    this.log.info(`starting ${[launch.program, ...launch.arguments].join(' ')} (${launch.from})`)
    const client: Client = new Client(() => this.spawned(launch, turn), {
      outputChannel: this.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationFailedHandler: () => false,
      markdown: { isTrusted: { enabledCommands: [] }, supportHtml: false, supportThemeIcons: true },
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => this.closed(client),
      },
    })
    this.client = client
    try {
      await client.start()
      await this.check(client, launch)
    } catch (error) {
      turn.throwIfAborted()
      if (error instanceof Misfit) {
        throw error
      }
      const ended = await endOf(this.child)
      turn.throwIfAborted()
      // A program that ends by itself before it ever served would do so again.
      if (ended === 'killed' || (ended === 'over' && again)) {
        return undefined
      }
      throw new Error(`The language server (${launch.from}) does not start: ${this.lastWords || words(error)}`, {
        cause: error,
      })
    }
    turn.throwIfAborted()
    this.become({ kind: 'running', version: client.initializeResult?.serverInfo?.version ?? '', launch })
    return client
  }

  /** Throws when server and extension do not fit. */
  private async check(client: Client, launch: Launch): Promise<void> {
    const result = client.initializeResult
    const answered = {
      name: result?.serverInfo?.name,
      version: result?.serverInfo?.version,
      commands: result?.capabilities.executeCommandProvider?.commands ?? [],
    }
    const mine = (this.context.extension.packageJSON as { version: string }).version
    let wrong = misfit(answered, mine, launch.from)
    if (wrong === undefined) {
      const status = await client.sendRequest<Status>('workspace/executeCommand', { command: 'aj.status' })
      wrong = misfit({ ...answered, answers: status.version }, mine, launch.from)
    }
    if (wrong !== undefined) {
      await client.dispose().catch(() => undefined)
      throw new Misfit(wrong)
    }
  }

  private async spawned(launch: Launch, turn: AbortSignal): Promise<ChildProcess> {
    this.lastWords = ''
    this.child = undefined
    const child = spawn(launch.program, launch.arguments, {
      cwd: workspace.workspaceFolders?.[0]?.uri.fsPath,
      env: launch.environment ?? process.env,
    })
    child.stderr.on('data', (data: Buffer) => {
      this.lastWords = (this.lastWords + data.toString()).trimEnd().slice(-500)
    })
    await new Promise((resolve, reject) => {
      child.once('spawn', resolve)
      child.once('error', reject)
    })
    if (turn.aborted) {
      child.kill()
      turn.throwIfAborted()
    }
    this.child = child
    return child
  }

  /** The server ended by itself: one that had served is started again, as a new one. */
  private closed(client: Client): CloseHandlerResult {
    if (this.client === client && this.standing.kind === 'running') {
      this.starting = this.begun(this.turn.signal, true)
      this.starting.catch(() => undefined) // it is told where it fails
    }
    return { action: CloseAction.DoNotRestart, handled: true, message: 'The language server has ended.' }
  }

  /** Waits before a server is started again, longer each time. Throws when it ended too often. */
  private async rest(turn: AbortSignal): Promise<void> {
    const wait = this.backoff.next(Date.now())
    if (wait === undefined) {
      throw new Error(`The language server ended ${this.backoff.count} times within minutes. ${this.lastWords}`.trim())
    }
    this.log.warn(`the language server ended; it is started again in ${wait / 1000} s. ${this.lastWords}`)
    await sleep(wait, undefined, { signal: turn })
  }

  private become(standing: Standing): void {
    this.standing = standing
    this.changed.fire(standing)
  }

  private fail(message: string, tell: boolean): void {
    this.log.error(message)
    this.become({ kind: 'failed', message })
    if (tell) {
      void window.showErrorMessage(message, 'Restart', 'Settings', 'Show Log').then((choice) => {
        if (choice === 'Restart') {
          void commands.executeCommand('aj.restart')
        } else if (choice === 'Settings') {
          void commands.executeCommand('workbench.action.openSettings', 'aj.server')
        } else if (choice === 'Show Log') {
          this.log.show()
        }
      })
    }
  }
}

/** What becomes of a process that could not be talked to, once it has said its last words; one that goes on is ended. */
async function endOf(child: ChildProcess | undefined): Promise<'never begun' | 'over' | 'killed' | 'ended here'> {
  if (child === undefined) {
    return 'never begun'
  }
  await Promise.race([new Promise((resolve) => child.once('close', resolve)), sleep(LAST_WORDS)])
  if (child.exitCode === null && child.signalCode === null) {
    child.kill()
    return 'ended here'
  }
  return child.signalCode === null ? 'over' : 'killed'
}
