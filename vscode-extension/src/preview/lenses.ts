// The line above every preview: the request that it is drawn for, and whether something is wrong with its template.
import type { CodeLensProvider, Ending, TextDocument } from '../editor'
import { CodeLens, DiagnosticSeverity, EventEmitter, Range, Uri, languages } from '../editor'
import { spelled } from '../request/request'
import type { Requests } from '../request/requests'
import { previewed } from '../templates'

export class RequestLenses implements CodeLensProvider, Ending {
  private readonly changed = new EventEmitter<void>()
  private readonly disposables: readonly Ending[]
  readonly onDidChangeCodeLenses = this.changed.event

  constructor(private readonly requests: Requests) {
    this.disposables = [
      this.changed,
      requests.onChanged(() => {
        this.changed.fire()
      }),
      languages.onDidChangeDiagnostics(() => {
        this.changed.fire()
      }),
    ]
  }

  provideCodeLenses(document: TextDocument): CodeLens[] {
    const shown = previewed(document.uri)
    if (shown === undefined) {
      return []
    }
    const uri = shown.template.toString()
    const asked = spelled(this.requests.of(shown.template)) || 'as the template says'
    const errors = languages
      .getDiagnostics(Uri.parse(uri))
      .filter((each) => each.severity === DiagnosticSeverity.Error).length
    // Above the first line it would be scrolled out of sight when it appears.
    const top = new Range(1, 0, 1, 0)
    const lenses = [
      new CodeLens(top, {
        title: `$(settings) ${asked}`,
        command: 'aj.request',
        arguments: [uri],
        tooltip: 'Change it',
      }),
      new CodeLens(top, { title: '$(rocket) Submit job…', command: 'aj.submit', arguments: [uri] }),
    ]
    if (errors > 0) {
      const title = `$(error) ${errors} ${errors === 1 ? 'error' : 'errors'}: may show what was good last`
      lenses.push(new CodeLens(top, { title, command: 'workbench.actions.view.problems' }))
    }
    return lenses
  }

  dispose(): void {
    this.disposables.forEach((each) => {
      each.dispose()
    })
  }
}
