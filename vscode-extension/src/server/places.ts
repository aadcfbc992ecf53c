// The places of finding.ts as this editor has them: settings, progress, the PATH, and the Python that is selected.
import { join } from 'node:path'
import type { ExtensionContext, LogOutputChannel } from '../editor'
import { ProgressLocation, extensions, setting, window, workspace } from '../editor'
import { carriedWheel, ownServer } from './environment'
import type { Launch, Places } from './finding'
import { onPath, run } from './processes'

/** The folder that the extension's own environments are kept in. */
export function storageOf(context: ExtensionContext): string {
  return join(context.globalStorageUri.fsPath, 'servers')
}

export function places(context: ExtensionContext, log: LogOutputChannel): Places {
  return {
    configured: setting<readonly string[]>('server.command', []),
    own: () => own(context, log),
    onPath: () => onPath('aj'),
    // The environment of a workspace may be anybody's: it has to be trusted first.
    selected: () => (workspace.isTrusted ? selectedPython() : Promise.resolve(undefined)),
  }
}

async function own(context: ExtensionContext, log: LogOutputChannel): Promise<Launch | undefined> {
  const wheels = join(context.extensionUri.fsPath, 'wheel')
  if (!setting<boolean>('server.ownEnvironment', true) || (await carriedWheel(wheels)) === undefined) {
    return undefined
  }
  return window.withProgress(
    { location: ProgressLocation.Notification, title: 'aj: installing the language server', cancellable: true },
    (progress, token) => {
      const stopping = new AbortController()
      token.onCancellationRequested(() => {
        stopping.abort()
      })
      return ownServer({
        wheels,
        storage: storageOf(context),
        environment: process.env,
        signal: stopping.signal,
        report: (message) => {
          progress.report({ message })
        },
        log: (line) => {
          log.info(line)
        },
      })
    },
  )
}

/** What the Python extension says about the selected environment. */
interface PythonApi {
  readonly environments: {
    getActiveEnvironmentPath(): { readonly path: string }
    resolveEnvironment(
      path: unknown,
    ): Promise<{ readonly executable: { readonly uri?: { readonly fsPath: string } } } | undefined>
  }
}

async function selectedPython(): Promise<string | undefined> {
  const api = await pythonApi()
  const environment = await api?.environments.resolveEnvironment(api.environments.getActiveEnvironmentPath())
  const configured = workspace.getConfiguration('python').get<string>('defaultInterpreterPath')
  const python = environment?.executable.uri?.fsPath ?? (configured?.startsWith('/') ? configured : undefined)
  if (python === undefined) {
    return undefined
  }
  const found = await run(python, ['-c', 'import ajkit.lsp.main']).catch(() => undefined)
  return found?.code === 0 ? python : undefined
}

async function pythonApi(): Promise<PythonApi | undefined> {
  const extension = extensions.getExtension<PythonApi>('ms-python.python')
  return extension?.activate().then(
    (api) => api,
    () => undefined,
  )
}
