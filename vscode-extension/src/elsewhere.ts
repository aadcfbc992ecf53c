// Templates outside of .aj: YAML in an AJ_HOME of the settings or the environment, or named by an aj.toml, is ours too.
import type { Aj, Part } from './aj'
import type { Status } from './answers'
import type { TextDocument } from './editor'
import { LANGUAGE, RelativePattern, languages, setting, workspace } from './editor'

export const elsewhere: Part = (aj) => {
  const look = (document: TextDocument) => void adopt(aj, document)
  const lookAtAll = () => {
    workspace.textDocuments.forEach(look)
  }
  lookAtAll()
  const settings = workspace.createFileSystemWatcher('**/{.aj,.azure_jobs}/aj.toml')
  return [
    workspace.onDidOpenTextDocument(look),
    settings,
    settings.onDidCreate(lookAtAll),
    settings.onDidChange(lookAtAll),
  ]
}

/** Milliseconds to wait before each look: the server may be starting, and sees every two seconds what aj.toml says. */
const LOOKS = [0, 1000, 3000]

/** Calls a document a template if the server says so soon. */
async function adopt(aj: Aj, document: TextDocument): Promise<void> {
  for (const pause of LOOKS) {
    await new Promise((resolve) => setTimeout(resolve, pause))
    if (document.isClosed || document.languageId !== 'yaml' || document.uri.scheme !== 'file') {
      return
    }
    await adoptNow(aj, document).catch(() => undefined)
  }
}

/** Calls a document a template if the server says that it is one; asks only where that can be. */
async function adoptNow(aj: Aj, document: TextDocument): Promise<void> {
  if (!(await thereMayBeSome())) {
    return
  }
  const { ours } = await aj.server.ask<Status>('aj.status', { uri: document.uri.toString() })
  if (ours) {
    await languages.setTextDocumentLanguage(document, LANGUAGE)
  }
}

async function thereMayBeSome(): Promise<boolean> {
  if (setting<string>('home', '') !== '' || (process.env.AJ_HOME ?? '') !== '') {
    return true
  }
  for (const folder of workspace.workspaceFolders ?? []) {
    for (const file of await workspace.findFiles(new RelativePattern(folder, '{.aj,.azure_jobs}/aj.toml'))) {
      const text = Buffer.from(await workspace.fs.readFile(file)).toString()
      if (/^\s*templates\s*=/m.test(text)) {
        return true
      }
    }
  }
  return false
}
