// A first AJ_HOME in a folder of the workspace: what `aj init` makes, with the aj that the server comes from.
import type { Aj } from '../../aj'
import { Uri, show, window, workspace } from '../../editor'
import type { Launch } from '../../server/finding'
import { run } from '../../server/processes'

/** Makes it where the person says, and opens the template that is in it. */
export async function makeHome(aj: Aj): Promise<void> {
  const folders = workspace.workspaceFolders ?? []
  const folder = folders.length > 1 ? await window.showWorkspaceFolderPick() : folders[0]
  if (folder === undefined) {
    if (folders.length === 0) {
      throw new Error('open a folder first: the templates of a project live in it')
    }
    return
  }
  await aj.server.start()
  const { now } = aj.server
  const making = now.kind === 'running' ? initOf(now.launch) : undefined
  if (making === undefined) {
    throw new Error('run `aj init` in a terminal: the program of the language server is not aj itself')
  }
  const [program, given, environment] = making
  const done = await run(program, given, { cwd: folder.uri.fsPath, environment })
  if (done.code !== 0) {
    throw new Error(done.output.trim())
  }
  const made = done.output.split('\n').map((each) => each.trim())
  const template = made.find((each) => /(^|\/)template\/[^/]+\.yaml$/.test(each))
  if (template !== undefined) {
    await show(template.startsWith('/') ? Uri.file(template) : Uri.joinPath(folder.uri, template))
  }
}

/** The command line of `aj init` for the aj of a server. */
export function initOf(launch: Launch): [string, readonly string[], NodeJS.ProcessEnv] | undefined {
  const given = launch.arguments
  const environment = launch.environment ?? process.env
  const at = given.indexOf('lsp')
  if (at >= 0) {
    return [launch.program, [...given.slice(0, at), 'init'], environment]
  }
  return given.includes('ajkit.lsp.main') ? [launch.program, ['-m', 'ajkit.cli', 'init'], environment] : undefined
}
