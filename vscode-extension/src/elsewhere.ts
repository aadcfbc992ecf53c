// Templates of an AJ_HOME that is not named .aj: YAML below the home of the settings or the environment is ours too.
import type { Part } from './aj'
import type { TextDocument } from './editor'
import { LANGUAGE, languages, setting, workspace } from './editor'

export const elsewhere: Part = () => {
  workspace.textDocuments.forEach(adopt)
  return [workspace.onDidOpenTextDocument(adopt)]
}

function adopt(document: TextDocument): void {
  const homes = [setting('home', ''), process.env.AJ_HOME ?? ''].filter((each) => each !== '').map(expanded)
  const path = document.uri.fsPath
  const ours = homes.some((home) => path.startsWith(`${home.replace(/\/+$/, '')}/`)) && path.endsWith('.yaml')
  if (ours && document.languageId === 'yaml' && document.uri.scheme === 'file') {
    void languages.setTextDocumentLanguage(document, LANGUAGE)
  }
}

/** A path with `~` as the home folder, and what is relative as seen from the first workspace folder. */
function expanded(path: string): string {
  if (path.startsWith('~/')) {
    return `${process.env.HOME ?? '~'}${path.slice(1)}`
  }
  const folder = workspace.workspaceFolders?.[0]?.uri.fsPath
  return path.startsWith('/') || folder === undefined ? path : `${folder}/${path}`
}
