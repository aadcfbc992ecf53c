// Templates outside of .aj: YAML in an AJ_HOME of the settings or the environment, named by an aj.toml or by its first
// line, is ours too. The editor itself looks at first lines only where the name of a file says nothing.
import type { Aj, Part } from './aj'
import type { Status } from './answers'
import type { TextDocument } from './editor'
import { LANGUAGE, Uri, languages, setting, workspace } from './editor'

export const elsewhere: Part = (aj) => {
  const look = (document: TextDocument) => void adopt(aj, document)
  const lookAtAll = () => {
    workspace.textDocuments.forEach(look)
  }
  lookAtAll()
  const settings = workspace.createFileSystemWatcher('**/{.aj,.azure_jobs}/aj.toml')
  return [
    workspace.onDidOpenTextDocument(look),
    workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('aj.home')) {
        lookAtAll()
      }
    }),
    settings,
    settings.onDidCreate(lookAtAll),
    settings.onDidChange(lookAtAll),
  ]
}

const NAMED = /^\uFEFF?#\s*aj:\s*template\s*$/

/** Milliseconds to wait before each look: the server may be starting, and sees every two seconds what aj.toml says. */
const LOOKS = [0, 1000, 3000]

/** Calls a document a template if the server says so soon. */
async function adopt(aj: Aj, document: TextDocument): Promise<void> {
  for (const pause of LOOKS) {
    await new Promise((resolve) => setTimeout(resolve, pause))
    if (document.isClosed || document.languageId !== 'yaml' || !['file', 'untitled'].includes(document.uri.scheme)) {
      return
    }
    await adoptNow(aj, document).catch(() => undefined)
  }
}

/** Calls a document a template if its first line does, or the server; asks that only where it can be. */
async function adoptNow(aj: Aj, document: TextDocument): Promise<void> {
  if (NAMED.test(document.lineAt(0).text) || (await isOurs(aj, document.uri))) {
    await languages.setTextDocumentLanguage(document, LANGUAGE)
  }
}

async function isOurs(aj: Aj, file: Uri): Promise<boolean> {
  if (file.scheme !== 'file' || !(await mayBe(file))) {
    return false
  }
  return (await aj.server.ask<Status>('aj.status', { uri: file.toString() })).ours === true
}

/** Whether a home is named by hand, or one above a file has an aj.toml that names templates. */
async function mayBe(file: Uri): Promise<boolean> {
  if (setting<string>('home', '') !== '' || (process.env.AJ_HOME ?? '') !== '') {
    return true
  }
  for (let folder = file; folder.path !== '/';) {
    folder = Uri.joinPath(folder, '..')
    for (const home of ['.aj', '.azure_jobs']) {
      const text = await textOf(Uri.joinPath(folder, home, 'aj.toml'))
      if (/^\s*templates\s*=/m.test(text)) {
        return true
      }
    }
  }
  return false
}

async function textOf(file: Uri): Promise<string> {
  return workspace.fs.readFile(file).then(
    (bytes) => Buffer.from(bytes).toString(),
    () => '',
  )
}
