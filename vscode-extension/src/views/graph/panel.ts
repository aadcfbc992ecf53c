// The panel of the graph: a page without anything from elsewhere, kept up to date with the templates and the editor.
import { randomBytes } from 'node:crypto'
import type { Aj } from '../../aj'
import type { GraphAnswer } from '../../answers'
import type { Ending, TextEditor, WebviewPanel } from '../../editor'
import { Uri, ViewColumn, show, window, words } from '../../editor'
import { isTemplate } from '../../templates'
import type { Watch } from '../watch'
import { drawingOf } from './drawing'
import type { Drawing, FromPage, ToPage } from './messages'

export class GraphPanel implements Ending {
  private readonly panel: WebviewPanel
  private readonly listening: readonly Ending[]
  private readonly ended: () => void
  private readonly placed: Promise<void>
  private graph: GraphAnswer | undefined
  private last: Drawing | undefined
  private whole = false
  private stale = true

  constructor(
    private readonly aj: Aj,
    watch: Watch,
    private template: Uri | undefined,
    ended: () => void,
  ) {
    this.ended = ended
    const { extensionUri } = aj.context
    this.panel = window.createWebviewPanel('aj.graph', 'Inheritance Graph', ViewColumn.Beside, {
      enableScripts: true,
      enableForms: false,
      localResourceRoots: [Uri.joinPath(extensionUri, 'out'), Uri.joinPath(extensionUri, 'media')],
    })
    this.panel.iconPath = Uri.joinPath(extensionUri, 'media', 'aj.svg')
    this.placed = this.columnKnown()
    this.listening = [
      this.panel.webview.onDidReceiveMessage((message: FromPage) => void this.heard(message)),
      this.panel.onDidDispose(() => {
        this.close()
      }),
      this.panel.onDidChangeViewState(() => {
        if (this.panel.visible && this.stale) {
          void this.draw()
        }
      }),
      watch.onChanged(() => {
        this.stale = true
        if (this.panel.visible) {
          void this.draw()
        }
      }),
      window.onDidChangeActiveTextEditor((editor) => void this.follow(editor)),
    ]
    this.panel.webview.html = this.page()
  }

  /** What the page was last told to draw; undefined until it has asked. */
  get drawing(): Drawing | undefined {
    return this.last
  }

  /** Shows it, around another template where one is given. */
  async reveal(template: Uri | undefined): Promise<void> {
    this.panel.reveal(undefined, false)
    if (template !== undefined && template.toString() !== this.template?.toString()) {
      this.template = template
      await this.draw()
    }
  }

  /** Opens the file of a template beside the graph. */
  async open(name: string): Promise<void> {
    const node = this.graph?.nodes.find((each) => each.name === name)
    if (node) {
      await this.placed
      await show(Uri.parse(node.uri), null, this.panel.viewColumn)
    }
  }

  dispose(): void {
    this.panel.dispose()
  }

  /** Until the editor has said in which column it stands: "beside" is none yet, and what is opened would cover it. */
  private columnKnown(): Promise<void> {
    return new Promise((resolve) => {
      const listening: readonly Ending[] = [
        this.panel.onDidChangeViewState(() => {
          if (this.panel.viewColumn !== undefined) {
            end()
          }
        }),
        this.panel.onDidDispose(() => {
          end()
        }),
      ]
      const end = () => {
        listening.forEach((each) => each.dispose())
        resolve()
      }
    })
  }

  private close(): void {
    this.listening.forEach((each) => each.dispose())
    this.ended()
  }

  private async heard(message: FromPage): Promise<void> {
    switch (message.kind) {
      case 'ready':
        await this.draw(true)
        break
      case 'open':
        await this.open(message.name)
        break
      case 'whole':
        this.whole = message.whole
        await this.draw()
    }
  }

  /** Another template is edited: it is marked, or what is near it is drawn. */
  private async follow(editor: TextEditor | undefined): Promise<void> {
    if (editor === undefined || !isTemplate(editor.document)) {
      return
    }
    this.template = editor.document.uri
    const current = this.current()
    if (this.last?.whole && current !== null) {
      this.last = { ...this.last, current }
      await this.say({ kind: 'current', current })
    } else if (this.panel.visible) {
      await this.draw()
    } else {
      this.stale = true
    }
  }

  /** Has the page draw what there is now; `anew` though it was told the same before. */
  private async draw(anew = false): Promise<void> {
    this.stale = false
    try {
      const uri = this.template?.toString() ?? null
      this.graph = await this.aj.server.ask<GraphAnswer>('aj.graph', { uri })
      const drawing = drawingOf(this.graph, this.current(), this.whole)
      const told = JSON.stringify(drawing) === JSON.stringify(this.last)
      this.last = drawing
      if (!told || anew) {
        await this.say(drawing)
      }
    } catch (error) {
      this.last = undefined
      await this.say({ kind: 'trouble', words: words(error) })
    }
  }

  /** The name of the template that is edited, where the graph has it. */
  private current(): string | null {
    const uri = this.template?.toString()
    return this.graph?.nodes.find((each) => Uri.parse(each.uri).toString() === uri)?.name ?? null
  }

  private async say(message: ToPage): Promise<void> {
    await this.panel.webview.postMessage(message)
  }

  private page(): string {
    const { webview } = this.panel
    const nonce = randomBytes(16).toString('base64')
    const at = (...path: string[]) =>
      webview.asWebviewUri(Uri.joinPath(this.aj.context.extensionUri, ...path)).toString()
    const policy = `default-src 'none'; style-src ${webview.cspSource}; script-src 'nonce-${nonce}'`
    return `<!DOCTYPE html>
<html lang="en">
<head>
  <meta charset="UTF-8">
  <meta http-equiv="Content-Security-Policy" content="${policy}">
  <link rel="stylesheet" href="${at('media', 'graph.css')}">
  <title>Inheritance graph</title>
</head>
<body>
  <header role="toolbar" aria-label="Graph">
    <button id="out" title="Zoom out (-)" aria-label="Zoom out">−</button>
    <button id="in" title="Zoom in (+)" aria-label="Zoom in">+</button>
    <button id="fit" title="Show everything that is drawn (0)">Fit</button>
    <button id="whole" hidden></button>
    <span id="note" role="status"></span>
  </header>
  <svg id="graph" role="group" aria-label="Which template extends which: arrow keys move along, Enter opens"></svg>
  <script nonce="${nonce}" src="${at('out', 'graph.js')}"></script>
</body>
</html>`
  }
}
