// From the cursor in a template to the place in its preview, and from a place in a preview to the line that set it.
import type { Aj } from '../aj'
import type { Revealed } from '../answers'
import type { Disposable, TextEditor } from '../editor'
import { OverviewRulerLane, ThemeColor, commands, rangeOf, reveal, setting, show, window } from '../editor'
import type { PlainRange, Uri } from '../editor'
import { isTemplate } from '../templates'
import type { Previews } from './previews'

const PAUSE = 120

/** What the definition provider gives: locations, or links. */
type Target =
  { readonly uri: Uri; readonly range: PlainRange } | { readonly targetUri: Uri; readonly targetRange: PlainRange }

export class Cursor implements Disposable {
  private readonly mark = window.createTextEditorDecorationType({
    isWholeLine: true,
    backgroundColor: new ThemeColor('editor.rangeHighlightBackground'),
    overviewRulerColor: new ThemeColor('editorOverviewRuler.findMatchForeground'),
    overviewRulerLane: OverviewRulerLane.Center,
  })
  private readonly listening: Disposable
  private timer: NodeJS.Timeout | undefined

  constructor(
    private readonly aj: Aj,
    private readonly previews: Previews,
  ) {
    this.listening = window.onDidChangeTextEditorSelection(({ textEditor }) => {
      if (
        setting<boolean>('preview.followCursor', true) &&
        isTemplate(textEditor.document) &&
        previews.visible().length > 0
      ) {
        clearTimeout(this.timer)
        this.timer = setTimeout(() => void this.reveal(textEditor).catch(() => undefined), PAUSE)
      }
    })
  }

  /** Marks the key under the cursor in the previews that show it; whether one does. */
  async reveal(editor: TextEditor): Promise<boolean> {
    let shown = false
    for (const each of this.previews.visible()) {
      const answer = await this.aj.server.ask<Revealed>('aj.revealInPreview', {
        uri: editor.document.uri.toString(),
        position: { line: editor.selection.active.line, character: editor.selection.active.character },
        preview: each.document.uri.toString(),
      })
      const range = answer.range && rangeOf(answer.range)
      each.setDecorations(this.mark, range ? [range] : [])
      if (range) {
        reveal(each, range)
        shown = true
      }
    }
    return shown
  }

  /** Goes from the cursor in a preview to the line that wrote what stands there. */
  async source(editor: TextEditor): Promise<void> {
    const found = await commands.executeCommand<readonly Target[]>(
      'vscode.executeDefinitionProvider',
      editor.document.uri,
      editor.selection.active,
    )
    const first = found[0]
    if (first === undefined) {
      void window.showInformationMessage('No template wrote this: it is made when the job is.')
      return
    }
    await ('targetUri' in first
      ? show(first.targetUri, first.targetRange, editor.viewColumn)
      : show(first.uri, first.range, editor.viewColumn))
  }

  dispose(): void {
    clearTimeout(this.timer)
    this.listening.dispose()
    this.mark.dispose()
  }
}
