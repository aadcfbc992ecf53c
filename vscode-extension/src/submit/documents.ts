// Documents that show a job, or what is said of templates: read-only texts of a moment, held as long as the window is.
import type { Disposable, TextDocument, TextDocumentContentProvider } from '../editor'
import { TabInputText, TabInputTextDiff, Uri, ViewColumn, commands, languages, window, workspace } from '../editor'

const SCHEME = 'aj-job'

export class JobDocuments implements TextDocumentContentProvider, Disposable {
  private readonly texts = new Map<string, string>()
  private readonly registered: Disposable
  private count = 0

  constructor() {
    this.registered = workspace.registerTextDocumentContentProvider(SCHEME, this)
  }

  provideTextDocumentContent(uri: Uri): string {
    return this.texts.get(uri.toString()) ?? ''
  }

  /** Shows a JobSpec beside the template, without taking the focus. */
  async show(title: string, text: string): Promise<void> {
    const document = await this.json(this.put(title, text))
    await window.showTextDocument(document, { viewColumn: ViewColumn.Beside, preserveFocus: true, preview: true })
  }

  /** Shows a JobSpec over the template, in a tab of its own; gives what closes it. */
  async showOver(title: string, text: string): Promise<() => Promise<void>> {
    const uri = this.put(title, text)
    const document = await this.json(uri)
    await window.showTextDocument(document, { viewColumn: ViewColumn.Active, preserveFocus: true, preview: false })
    return () => closed((input) => input instanceof TabInputText && same(input.uri, uri))
  }

  /** Shows words about templates, without taking the focus. */
  async showText(title: string, text: string): Promise<void> {
    const document = await workspace.openTextDocument(this.put(title, text, ''))
    await window.showTextDocument(document, { viewColumn: ViewColumn.Beside, preserveFocus: true, preview: true })
  }

  /** Shows what differs between two JobSpecs, in a tab of its own; gives what closes it. */
  async compare(title: string, old: string, text: string): Promise<() => Promise<void>> {
    const [left, right] = [this.put('last submission', old), this.put('this one', text)]
    for (const each of [left, right]) {
      await this.json(each)
    }
    await commands.executeCommand('vscode.diff', left, right, title, { preview: false, preserveFocus: true })
    return () => closed((input) => input instanceof TabInputTextDiff && same(input.modified, right))
  }

  dispose(): void {
    this.registered.dispose()
  }

  private async json(uri: Uri): Promise<TextDocument> {
    return languages.setTextDocumentLanguage(await workspace.openTextDocument(uri), 'jsonc')
  }

  private put(title: string, text: string, ending = '.json'): Uri {
    this.count += 1
    const path = `/${title.replaceAll('/', '.')}${ending}`
    const uri = Uri.from({ scheme: SCHEME, path, query: String(this.count) })
    this.texts.set(uri.toString(), text)
    return uri
  }
}

async function closed(matches: (input: unknown) => boolean): Promise<void> {
  const tabs = window.tabGroups.all.flatMap((group) => group.tabs)
  await window.tabGroups.close(
    tabs.filter((tab) => matches(tab.input)),
    true,
  )
}

const same = (one: Uri, other: Uri) => one.toString() === other.toString()
