// The one seam to the editor: the words of its API that the extension uses, and the few things it does through it.
import * as vscode from 'vscode'

export {
  CancellationTokenSource,
  CodeLens,
  DiagnosticSeverity,
  Disposable,
  EventEmitter,
  MarkdownString,
  OverviewRulerLane,
  Position,
  ProgressLocation,
  Range,
  Selection,
  StatusBarAlignment,
  TabInputText,
  TabInputTextDiff,
  ThemeColor,
  ThemeIcon,
  TreeItem,
  TreeItemCollapsibleState,
  Uri,
  ViewColumn,
} from 'vscode'
export type {
  CancellationToken,
  CodeLensProvider,
  Event,
  ExtensionContext,
  LogOutputChannel,
  Memento,
  Pseudoterminal,
  QuickPickItem,
  Terminal,
  TextDocument,
  TextDocumentContentProvider,
  TextEditor,
  TreeDataProvider,
  TreeView,
  Webview,
  WebviewPanel,
} from 'vscode'

/** The parts of the editor that features use directly: `commands`, `env`, `languages`, `window`, `workspace`. */
export const { commands, env, extensions, languages, window, workspace } = vscode

/** What ends what it stands for, of whatever class. */
export interface Ending {
  dispose(): unknown
}

export const LANGUAGE = 'aj-template'
export const PREVIEW = 'aj-preview'

/** Registers a command; what goes wrong in it is told to the person, once, in words. */
export function command(id: string, run: (...given: unknown[]) => unknown): vscode.Disposable {
  return vscode.commands.registerCommand(id, async (...given: unknown[]) => {
    try {
      return await run(...given)
    } catch (error) {
      if (!(error instanceof vscode.CancellationError)) {
        void vscode.window.showErrorMessage(words(error))
      }
      return undefined
    }
  })
}

/** The words of anything that was thrown. */
export function words(error: unknown): string {
  return error instanceof Error ? error.message : String(error)
}

/** A setting below `aj.`, as it counts for a resource. */
export function setting<T>(name: string, otherwise: T, resource?: vscode.Uri): T {
  return vscode.workspace.getConfiguration('aj', resource).get<T>(name) ?? otherwise
}

/** A range of the protocol. */
export interface PlainRange {
  readonly start: { readonly line: number; readonly character: number }
  readonly end: { readonly line: number; readonly character: number }
}

/** A range of the protocol as one of the editor. */
export function rangeOf(plain: PlainRange): vscode.Range {
  return new vscode.Range(plain.start.line, plain.start.character, plain.end.line, plain.end.character)
}

/** Opens a file at a range: in the column where it is open already, else in the active one, but never in `kept`. */
export async function show(
  uri: vscode.Uri,
  range?: PlainRange | null,
  kept?: vscode.ViewColumn,
): Promise<vscode.TextEditor> {
  const editors = vscode.window.visibleTextEditors
  const there = editors.find((each) => each.document.uri.toString() === uri.toString())
  const viewColumn = there?.viewColumn ?? (kept === undefined ? vscode.ViewColumn.Active : columnBut(kept))
  const editor = await vscode.window.showTextDocument(uri, { preview: false, viewColumn })
  if (range) {
    const place = rangeOf(range)
    editor.selection = new vscode.Selection(place.start, place.start)
    reveal(editor, place)
  }
  return editor
}

/** A column that is open beside the one that is to be seen on, or a new one. */
function columnBut(kept: vscode.ViewColumn): vscode.ViewColumn {
  const other = vscode.window.tabGroups.all.find((each) => each.viewColumn !== kept)
  return other?.viewColumn ?? vscode.ViewColumn.Beside
}

/** Scrolls to a range, unless it can be seen. */
export function reveal(editor: vscode.TextEditor, range: vscode.Range): void {
  editor.revealRange(range, vscode.TextEditorRevealType.InCenterIfOutsideViewport)
}
