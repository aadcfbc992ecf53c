// Templates outside of .aj: YAML in an AJ_HOME of the settings or the environment, or named by an aj.toml, is ours too.
import type { Aj, Part } from './aj'
import type { Status } from './answers'
import type { TextDocument } from './editor'
import { LANGUAGE, RelativePattern, languages, setting, workspace } from './editor'

export const elsewhere: Part = (aj) => {
  const look = (document: TextDocument) => void adopt(aj, document).catch(() => undefined)
  workspace.textDocuments.forEach(look)
  return [workspace.onDidOpenTextDocument(look)]
}

/** Calls a document a template if the server says that it is one; asks only where that can be. */
async function adopt(aj: Aj, document: TextDocument): Promise<void> {
  if (document.languageId !== 'yaml' || document.uri.scheme !== 'file' || !(await thereMayBeSome())) {
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
