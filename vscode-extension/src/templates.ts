// Which template a command is about: the one it was given, the active one, or the one that the active preview shows.
import type { TextDocument } from './editor'
import { LANGUAGE, PREVIEW, Uri, window } from './editor'

const ENDINGS: Readonly<Record<string, string>> = { spec: '.json', merged: '', amlt: '.yaml' }

/** Whether a document is a template that somebody edits. */
export function isTemplate(document: TextDocument): boolean {
  return document.languageId === LANGUAGE && ['file', 'untitled'].includes(document.uri.scheme)
}

/** The template of a command's argument (a URI, as text or not, or what carries one), else of the active editor; undefined for neither. */
export function templateOf(given?: unknown): Uri | undefined {
  const named = typeof given === 'object' && given !== null && 'uri' in given ? given.uri : given
  const uri = typeof named === 'string' ? Uri.parse(named) : named instanceof Uri ? named : undefined
  if (uri !== undefined) {
    return uri.scheme === PREVIEW ? previewed(uri)?.template : uri
  }
  const document = window.activeTextEditor?.document
  if (document === undefined) {
    return undefined
  }
  return document.uri.scheme === PREVIEW
    ? previewed(document.uri)?.template
    : isTemplate(document)
      ? document.uri
      : undefined
}

/** The same, for commands that cannot do without. */
export function activeTemplate(given?: unknown): Uri {
  const found = templateOf(given)
  if (found === undefined) {
    throw new Error('open a template first: a .yaml file below .aj or .azure_jobs')
  }
  return found
}

/** The kind and the template of a preview's URI; undefined for other URIs. */
export function previewed(uri: Uri): { readonly kind: string; readonly template: Uri } | undefined {
  const ending = ENDINGS[uri.authority]
  if (uri.scheme !== PREVIEW || ending === undefined || !uri.path.endsWith(ending)) {
    return undefined
  }
  const path = uri.path.slice(0, uri.path.length - ending.length)
  const untitled = path.startsWith('/untitled:')
  const template = untitled ? Uri.parse(path.slice(1)) : Uri.from({ scheme: 'file', path })
  return { kind: uri.authority, template }
}

/** The URI of a preview of a template. */
export function previewUri(kind: string, template: Uri): Uri {
  const path = template.scheme === 'untitled' ? `/untitled:${template.path}` : template.path
  return Uri.from({ scheme: PREVIEW, authority: kind, path: path + (ENDINGS[kind] ?? '') })
}
