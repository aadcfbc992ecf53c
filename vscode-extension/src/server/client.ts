// The language client: what it asks about, and that the server's commands are ours to offer.
import type { DynamicFeature, LanguageClientOptions, ServerOptions, StaticFeature } from 'vscode-languageclient/node'
import { LanguageClient, TextDocumentContentRequest } from 'vscode-languageclient/node'
import type { Uri } from '../editor'
import { LANGUAGE, PREVIEW, workspace } from '../editor'

const SELECTOR = [
  { scheme: 'file', language: LANGUAGE },
  { scheme: 'untitled', language: LANGUAGE },
  { scheme: PREVIEW },
]

export class Client extends LanguageClient {
  constructor(server: ServerOptions, options: LanguageClientOptions) {
    super('aj', 'aj', server, {
      documentSelector: SELECTOR,
      middleware: {
        // A document that only gets another language is closed and opened again, but no text is asked for: the server
        // must not forget a preview that is still shown.
        didClose: (document, next) =>
          document.uri.scheme === PREVIEW && workspace.textDocuments.includes(document)
            ? Promise.resolve()
            : next(document),
      },
      ...options,
    })
  }

  /**
   * Leaves out the feature that would register the server's commands as the editor's: a code lens names the command
   * of the same name that shows its answer, and that has to be there before the server is.
   */
  override registerFeature(feature: StaticFeature | DynamicFeature<unknown>): void {
    if (!('registrationType' in feature) || feature.registrationType.method !== 'workspace/executeCommand') {
      super.registerFeature(feature)
    }
  }

  /** Has the editor ask for a document anew that an earlier server wrote: this one cannot know that it is open. */
  readAgain(document: Uri): void {
    for (const each of this.getFeature(TextDocumentContentRequest.method)?.getProviders() ?? []) {
      if (each.scheme === document.scheme) {
        each.onDidChangeEmitter.fire(document)
      }
    }
  }
}
