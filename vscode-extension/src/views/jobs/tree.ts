// The tree of jobs: one line each, newest first.
import type { JobInfo } from '../../answers'
import type { Ending, TreeDataProvider, TreeView } from '../../editor'
import { EventEmitter, TreeItem, window } from '../../editor'
import { counted } from '../words'
import type { Jobs } from './list'
import { iconOf, isLive, lineOf, toldOf } from './standing'

export interface JobNode {
  readonly job: JobInfo
}

const MORE = 'more'

export class JobsTree implements TreeDataProvider<JobNode | typeof MORE>, Ending {
  private readonly changed = new EventEmitter<undefined>()
  private readonly listening: readonly Ending[]
  private shown = ''
  readonly view: TreeView<JobNode | typeof MORE>
  readonly onDidChangeTreeData = this.changed.event

  constructor(private readonly jobs: Jobs) {
    this.view = window.createTreeView('aj.jobs', { treeDataProvider: this })
    this.listening = [
      this.changed,
      this.view,
      this.view.onDidChangeVisibility(({ visible }) => {
        jobs.watch(visible)
      }),
      jobs.onChanged(() => {
        this.draw()
      }),
    ]
    jobs.watch(this.view.visible)
  }

  getChildren(node?: JobNode | typeof MORE): (JobNode | typeof MORE)[] {
    if (node !== undefined) {
      return []
    }
    return [...this.jobs.all.map((job) => ({ job })), ...(this.jobs.mayBeMore ? [MORE as typeof MORE] : [])]
  }

  getTreeItem(node: JobNode | typeof MORE): TreeItem {
    if (node === MORE) {
      const item = new TreeItem('Older jobs…')
      item.command = { command: 'aj.jobs.more', title: 'Show' }
      return item
    }
    const { job } = node
    const item = new TreeItem(job.name)
    item.id = job.id
    item.description = lineOf(job, Date.now())
    item.iconPath = iconOf(job)
    item.tooltip = toldOf(job)
    item.contextValue = isLive(job) ? 'job-live' : 'job-ended'
    item.command = { command: 'aj.jobs.log', title: 'Follow Log', arguments: [node] }
    item.accessibilityInformation = { label: `job ${job.name}, ${item.description}` }
    return item
  }

  dispose(): void {
    this.listening.forEach((each) => each.dispose())
  }

  /** Draws anew only where a person would see a difference: a tree that is drawn loses what is hovered. */
  private draw(): void {
    const now = Date.now()
    const shown = JSON.stringify([this.jobs.mayBeMore, this.jobs.all.map((job) => [job, lineOf(job, now)])])
    if (shown !== this.shown) {
      this.shown = shown
      this.changed.fire(undefined)
      const live = this.jobs.all.filter(isLive).length
      this.view.badge = live > 0 ? { value: live, tooltip: `${counted(live, 'job')} not ended` } : undefined
    }
  }
}
