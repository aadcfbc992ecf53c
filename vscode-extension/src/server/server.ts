// The server's life: found, started, asked, started again after a crash, and what a person is told about it.
import type { ChildProcess } from 'node:child_process'
import { spawn } from 'node:child_process'
import { setTimeout as sleep } from 'node:timers/promises'
import type { CloseHandlerResult } from 'vscode-languageclient/node'
import { CloseAction, ErrorAction, ResponseError, RevealOutputChannelOn, State } from 'vscode-languageclient/node'
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

/** How long a question waits for a server that is being started again. */
const PATIENCE = 30_000

export class Server implements Disposable {
  private readonly changed = new EventEmitter<Standing>()
  private readonly backoff = new Backoff()
  private readonly disposables: Disposable[] = []
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
      workspace.onDidOpenTextDocument((document) => {
        if (isTemplate(document) && this.starting === undefined) {
          void this.start().catch(() => undefined)
        }
      }),
      workspace.onDidChangeConfiguration((event) => {
        if (event.affectsConfiguration('aj')) {
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
    this.starting ??= this.launch().catch((error: unknown) => {
      this.fail(words(error), !(error instanceof Stopped))
      throw error
    })
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
    await this.running(client)
    try {
      const asked = { command, arguments: [argument] }
      // A token that is undefined would count as one more parameter.
      const more = token === undefined ? [] : [token]
      return await client.sendRequest<T>('workspace/executeCommand', asked, ...more)
    } catch (error) {
      if (error instanceof ResponseError) {
        throw new Refusal(error.message, error.code, (error.data as RefusalData | undefined) ?? {})
      }
      throw error
    }
  }

  async stop(): Promise<void> {
    const client = this.client
    this.client = this.starting = undefined
    this.become({ kind: 'off' })
    // A server that does not answer is killed by the client; that it did not say goodbye is no news.
    await client?.dispose().catch(() => undefined)
  }

  dispose(): void {
    this.disposables.forEach((each) => {
      each.dispose()
    })
    void this.stop()
    this.changed.dispose()
  }

  private async launch(): Promise<Client> {
    this.become({ kind: 'starting' })
    const { launch, troubles } = await findServer(places(this.context, this.log))
    for (const each of troubles) {
      this.log.warn(each)
    }
    this.log.info(`starting ${[launch.program, ...launch.arguments].join(' ')} (${launch.from})`)
    const client: Client = new Client(() => this.spawned(launch), {
      outputChannel: this.log,
      revealOutputChannelOn: RevealOutputChannelOn.Never,
      initializationFailedHandler: () => false,
      markdown: { isTrusted: { enabledCommands: [] }, supportHtml: false, supportThemeIcons: true },
      errorHandler: {
        error: () => ({ action: ErrorAction.Continue, handled: true }),
        closed: () => this.closed(client),
      },
    })
    try {
      await client.start()
    } catch (error) {
      await this.silence()
      throw new Error(`The language server (${launch.from}) does not start: ${this.lastWords || words(error)}`, {
        cause: error,
      })
    }
    await this.check(client, launch)
    this.client = client
    const running = { kind: 'running', version: client.initializeResult?.serverInfo?.version ?? '', launch } as const
    client.onDidChangeState(({ newState }) => {
      if (newState === State.Running && this.client === client) {
        this.become(running)
      }
    })
    this.become(running)
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
      throw new Error(wrong)
    }
  }

  private async spawned(launch: Launch): Promise<ChildProcess> {
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
    this.child = child
    return child
  }

  /** The server ended by itself: start it again, later each time, until it is too often. */
  private async closed(client: Client): Promise<CloseHandlerResult> {
    const no = { action: CloseAction.DoNotRestart, handled: true }
    if (this.client !== client) {
      return no
    }
    const wait = this.backoff.next(Date.now())
    if (wait === undefined) {
      this.fail(`The language server ended ${this.backoff.count} times within minutes. ${this.lastWords}`.trim(), true)
      return no
    }
    this.log.warn(`the language server ended; it is started again in ${wait / 1000} s. ${this.lastWords}`)
    this.become({ kind: 'starting' })
    await sleep(wait)
    return this.standing.kind === 'starting' ? { action: CloseAction.Restart, handled: true } : no
  }

  /** Waits for the last words of a process that may be ending. */
  private async silence(): Promise<void> {
    const child = this.child
    if (child !== undefined) {
      await Promise.race([new Promise((resolve) => child.once('close', resolve)), sleep(500)])
    }
  }

  private async running(client: Client): Promise<void> {
    const until = Date.now() + PATIENCE
    while (client.state !== State.Running) {
      if (this.standing.kind === 'failed' || Date.now() > until) {
        throw new Error('The language server does not run: aj: Restart Language Server starts it.')
      }
      await sleep(50)
    }
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
