// The item in the status bar: whether the server is ready, reads, or has a problem, and which AJ_HOME is in use.
import type { Aj, Part } from './aj'
import type { Status } from './answers'
import type { Disposable, QuickPickItem } from './editor'
import { MarkdownString, StatusBarAlignment, ThemeColor, command, commands, languages, window } from './editor'
import { isTemplate, previewed } from './templates'
import { counted } from './views/words'

const PAUSE = 400
const WHILE_INDEXING = 1_500

export const status: Part = (aj) => {
  const item = new StatusItem(aj)
  return [item, command('aj.statusMenu', () => menu(aj))]
}

class StatusItem implements Disposable {
  private readonly item = window.createStatusBarItem('aj.status', StatusBarAlignment.Right, 100)
  private readonly listening: readonly Disposable[]
  private timer: NodeJS.Timeout | undefined

  constructor(private readonly aj: Aj) {
    this.item.name = 'aj'
    this.item.command = 'aj.statusMenu'
    const soon = () => {
      this.soon(PAUSE)
    }
    this.listening = [
      aj.server.onChanged(() => void this.draw()),
      window.onDidChangeVisibleTextEditors(soon),
      languages.onDidChangeDiagnostics(soon),
    ]
    soon()
  }

  dispose(): void {
    clearTimeout(this.timer)
    this.item.dispose()
    this.listening.forEach((each) => {
      each.dispose()
    })
  }

  private soon(pause: number): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => void this.draw(), pause)
  }

  private async draw(): Promise<void> {
    const now = this.aj.server.now
    const concerned = window.visibleTextEditors.some(
      ({ document }) => isTemplate(document) || previewed(document.uri) !== undefined,
    )
    if (now.kind === 'off' || !(concerned || now.kind === 'failed')) {
      this.item.hide()
      return
    }
    this.item.backgroundColor = undefined
    if (now.kind === 'running') {
      await this.drawRunning(now.version, now.launch.from)
    } else if (now.kind === 'failed') {
      this.say('$(error) aj', `aj: ${now.message}`)
      this.item.tooltip = now.message
      this.item.backgroundColor = new ThemeColor('statusBarItem.errorBackground')
    } else {
      this.say('$(sync~spin) aj', 'aj: the language server is being started')
      this.item.tooltip = 'The language server is being started.'
    }
    this.item.show()
  }

  /** What stands there, and what somebody hears who does not see it. */
  private say(text: string, label: string): void {
    this.item.text = text
    this.item.accessibilityInformation = { label }
  }

  private async drawRunning(version: string, from: string): Promise<void> {
    const found = await this.aj.server.ask<Status>('aj.status', {}).catch(() => undefined)
    if (found === undefined) {
      return
    }
    const indexing = found.homes.some((each) => each.state === 'indexing')
    const wrong = found.errors > 0 ? ` $(error) ${found.errors}` : ''
    const told = `${counted(found.errors, 'error')}, ${counted(found.warnings, 'warning')} in ${counted(found.open, 'open template')}`
    this.say(
      indexing ? '$(sync~spin) aj: indexing' : `$(check) aj${wrong}`,
      indexing ? 'aj: templates are being read' : `aj: ready, ${told}`,
    )
    const homes = found.homes.map((each) => {
      const files = each.files === null ? each.state : `${each.files} templates`
      return `- \`${each.path}\` (${files})`
    })
    const lines = [
      `**aj ${version}**, ${from}`,
      homes.length > 0
        ? ['AJ_HOME in use:', ...homes].join('\n')
        : 'No AJ_HOME: no folder `.aj` or `.azure_jobs` here.',
      told,
    ]
    this.item.tooltip = new MarkdownString(lines.join('\n\n'))
    if (indexing) {
      this.soon(WHILE_INDEXING)
    }
  }
}

interface Choice extends QuickPickItem {
  readonly command: string
  readonly given?: string
}

async function menu(aj: Aj): Promise<void> {
  const now = aj.server.now
  const choices: Choice[] = [
    { label: '$(debug-restart) Restart the language server', command: 'aj.restart' },
    { label: '$(output) Show the log', command: 'aj.showLog' },
    { label: '$(warning) Show the problems', command: 'workbench.actions.view.problems' },
    { label: '$(settings-gear) Settings', command: 'workbench.action.openSettings', given: '@ext:aj.aj' },
    { label: "$(package) Make the extension's own server anew", command: 'aj.remakeEnvironment' },
  ]
  const title =
    now.kind === 'failed' ? now.message : now.kind === 'running' ? `aj ${now.version}, ${now.launch.from}` : 'aj'
  const picked = await window.showQuickPick(choices, { title })
  if (picked) {
    await commands.executeCommand(picked.command, ...(picked.given === undefined ? [] : [picked.given]))
  }
}
