// Tells views that templates may stand differently than they show: files, problems or the server changed.
import type { Aj } from '../aj'
import type { Ending, Event } from '../editor'
import { EventEmitter, languages, workspace } from '../editor'

const PAUSE = 400

export class Watch implements Ending {
  private readonly happened = new EventEmitter<void>()
  private readonly listening: readonly Ending[]
  private timer: NodeJS.Timeout | undefined

  /** Fires once things are quiet after a change. */
  readonly onChanged: Event<void> = this.happened.event

  constructor(aj: Aj) {
    const files = workspace.createFileSystemWatcher('**/*.{yaml,yml,toml}')
    const soon = () => {
      this.soon()
    }
    this.listening = [
      this.happened,
      files,
      files.onDidChange(soon),
      files.onDidCreate(soon),
      files.onDidDelete(soon),
      workspace.onDidChangeWorkspaceFolders(soon),
      languages.onDidChangeDiagnostics(({ uris }) => {
        if (uris.some((each) => /\.ya?ml$/.test(each.path))) {
          this.soon()
        }
      }),
      aj.server.onChanged(({ kind }) => {
        if (kind === 'running' || kind === 'failed') {
          this.soon()
        }
      }),
    ]
  }

  dispose(): void {
    clearTimeout(this.timer)
    this.listening.forEach((each) => each.dispose())
  }

  private soon(): void {
    clearTimeout(this.timer)
    this.timer = setTimeout(() => {
      this.happened.fire()
    }, PAUSE)
  }
}
