// Previews beside a template: opened without taking the focus, live, and following the template that is edited.
import type { Aj } from '../aj'
import type { Base, Preview } from '../answers'
import type { TextEditor } from '../editor'
import { PREVIEW, TabInputText, Uri, ViewColumn, languages, window, workspace } from '../editor'
import { sent } from '../request/request'
import { isTemplate, previewed } from '../templates'

const LANGUAGES: Readonly<Record<string, string>> = { spec: 'jsonc', merged: 'aj-template', amlt: 'aj-template' }

export class Previews {
  private following: Promise<void> = Promise.resolve()

  constructor(private readonly aj: Aj) {}

  /** Shows a preview beside the active editor, or in the column of the previews that are there. */
  async open(kind: string, template: Uri): Promise<TextEditor> {
    const uri = await this.ask(kind, template)
    const there = this.visible().find((each) => each.document.uri.authority === kind) ?? this.visible()[0]
    const tabs = this.tabs().find((each) => each.kind === kind)
    const column = there?.viewColumn ?? tabs?.column ?? ViewColumn.Beside
    return this.show(uri, kind, column)
  }

  /** Draws the previews of a template anew, for its request of now. */
  async redraw(template: Uri): Promise<void> {
    for (const each of this.tabs()) {
      if (each.template.toString() === template.toString()) {
        await this.ask(each.kind, template)
      }
    }
  }

  /** Hands the previews that an earlier server wrote, each with its request, to one that has just begun. */
  async handOver(): Promise<void> {
    const client = await this.aj.server.start()
    for (const each of this.tabs()) {
      client.readAgain(await this.ask(each.kind, each.template))
    }
  }

  /** The editors that show a preview. */
  visible(): readonly TextEditor[] {
    return window.visibleTextEditors.filter((each) => each.document.uri.scheme === PREVIEW)
  }

  /** Has the previews follow another editor; several in a row come one after the other. */
  follow(editor: TextEditor | undefined): Promise<void> {
    this.following = this.following.then(
      () => this.turnTo(editor),
      () => this.turnTo(editor),
    )
    return this.following
  }

  private async turnTo(editor: TextEditor | undefined): Promise<void> {
    if (editor === undefined || !isTemplate(editor.document) || window.activeTextEditor !== editor) {
      return
    }
    const template = editor.document.uri
    for (const each of this.visible()) {
      const old = previewed(each.document.uri)
      const column = each.viewColumn
      if (old === undefined || column === undefined || column === editor.viewColumn || same(old.template, template)) {
        continue
      }
      if (await this.extends(old.template, template)) {
        continue // a base of what is shown is being edited: that is what one looks at the preview for
      }
      const uri = await this.ask(old.kind, template)
      const gone = each.document.uri
      await this.show(uri, old.kind, column)
      await this.close(gone)
    }
  }

  private async extends(template: Uri, base: Uri): Promise<boolean> {
    const { root } = await this.aj.server.ask<{ root: Base }>('aj.bases', { uri: template.toString() })
    const within = (each: Base): boolean =>
      (each.uri !== null && same(Uri.parse(each.uri), base)) || each.bases.some(within)
    return within(root)
  }

  /** Tells the server what a preview is asked for; its text comes when the document is opened. */
  private async ask(kind: string, template: Uri): Promise<Uri> {
    const request = sent(this.aj.requests.of(template))
    const answer = await this.aj.server.ask<Preview>('aj.preview', { uri: template.toString(), kind, request })
    return Uri.parse(answer.uri)
  }

  private async show(uri: Uri, kind: string, viewColumn: ViewColumn): Promise<TextEditor> {
    const document = await workspace.openTextDocument(uri)
    const language = LANGUAGES[kind] ?? document.languageId
    const named =
      document.languageId === language ? document : await languages.setTextDocumentLanguage(document, language)
    return window.showTextDocument(named, { viewColumn, preserveFocus: true, preview: false })
  }

  private async close(uri: Uri): Promise<void> {
    const tabs = window.tabGroups.all.flatMap((group) => group.tabs)
    const gone = tabs.filter((tab) => tab.input instanceof TabInputText && same(tab.input.uri, uri))
    await window.tabGroups.close(gone, true)
  }

  private tabs() {
    return window.tabGroups.all.flatMap((group) =>
      group.tabs.flatMap((tab) => {
        const found = tab.input instanceof TabInputText ? previewed(tab.input.uri) : undefined
        return found ? [{ ...found, column: group.viewColumn }] : []
      }),
    )
  }
}

const same = (one: Uri, other: Uri) => one.toString() === other.toString()
