// The tree of templates: what the server says of every AJ_HOME in use, filtered, and anew when something changed.
import type { Aj } from '../../aj'
import type { Home } from '../../answers'
import type { Ending, Event, TreeDataProvider, TreeItem, TreeView, Uri } from '../../editor'
import { EventEmitter, commands, window, words } from '../../editor'
import type { Watch } from '../watch'
import { counted } from '../words'
import type { Filter } from './filter'
import { NO_FILTER, isFiltering, matches, spelledFilter } from './filter'
import { itemOf } from './items'
import type { Node } from './nodes'
import { Family } from './nodes'

/** How often, at most, everything is asked anew: so many times as long as the answer took. */
const RESPITE = 4

export class TemplatesTree implements TreeDataProvider<Node>, Ending {
  private readonly changed = new EventEmitter<undefined>()
  private readonly listening: readonly Ending[]
  private filter: Filter = NO_FILTER
  private homes: readonly Home[] | undefined
  private families: readonly Family[] = []
  private asking: Promise<void> | undefined
  private stale = true
  private respite = 0
  private drawn = ''
  readonly view: TreeView<Node>
  readonly onDidChangeTreeData: Event<undefined> = this.changed.event

  constructor(
    private readonly aj: Aj,
    watch: Watch,
  ) {
    this.view = window.createTreeView('aj.templates', { treeDataProvider: this, showCollapseAll: true })
    this.listening = [
      this.changed,
      this.view,
      watch.onChanged(() => {
        this.stale = true
        if (this.view.visible && this.asking === undefined) {
          setTimeout(() => void this.refresh(), Math.max(0, this.respite - Date.now()))
        }
      }),
      this.view.onDidChangeVisibility(({ visible }) => {
        if (visible && this.stale) {
          void this.refresh()
        }
      }),
      window.onDidChangeActiveTextEditor((editor) => {
        if (editor) {
          void this.reveal(editor.document.uri)
        }
      }),
    ]
  }

  /** Asks the server, and draws the tree anew. */
  async refresh(): Promise<void> {
    await this.asked()
    this.draw()
  }

  /** What is filtered by. */
  get filtered(): Filter {
    return this.filter
  }

  set filtered(filter: Filter) {
    this.filter = filter
    void commands.executeCommand('setContext', 'aj.templates.filtered', isFiltering(filter))
    this.draw()
  }

  getTreeItem(node: Node): TreeItem {
    return itemOf(node, isFiltering(this.filter))
  }

  getParent(node: Node): Node | undefined {
    return node.parent
  }

  async getChildren(node?: Node): Promise<Node[]> {
    switch (node?.kind) {
      case 'home':
        return node.family.groups(node)
      case 'group':
        return node.family.members(node)
      case 'folder':
        return node.family.within(node)
      case 'template':
        return node.family.relatives(node)
      case undefined:
        return this.roots()
    }
  }

  dispose(): void {
    this.listening.forEach((each) => each.dispose())
  }

  private async roots(): Promise<Node[]> {
    if (this.homes === undefined) {
      await this.asked()
      this.filterAnew()
    }
    const [only, ...others] = this.families
    if (only === undefined || others.length === 0) {
      return only?.groups(undefined) ?? []
    }
    return this.families.map((family) => ({ kind: 'home', family, parent: undefined }))
  }

  private async asked(): Promise<void> {
    this.asking ??= this.ask().finally(() => (this.asking = undefined))
    await this.asking
  }

  private async ask(): Promise<void> {
    const begun = Date.now()
    this.stale = false
    try {
      const { homes } = await this.aj.server.ask<{ homes: readonly Home[] }>('aj.templates', {})
      this.homes = homes
      await this.stand(homes.length > 0 ? 'some' : 'none')
    } catch (error) {
      this.aj.log.warn(`the templates cannot be listed: ${words(error)}`)
      this.homes ??= []
      await this.stand('failed')
    }
    this.respite = Date.now() + RESPITE * (Date.now() - begun)
  }

  /** Which words of welcome there are, while there is nothing to list. */
  private async stand(state: 'some' | 'none' | 'failed'): Promise<void> {
    await commands.executeCommand('setContext', 'aj.templates.state', state)
  }

  /** Draws anew where something differs: a click on a tree that is just being drawn goes nowhere. */
  private draw(): void {
    if (this.filterAnew()) {
      this.changed.fire(undefined)
    }
  }

  /** What is shown of what the server said; whether that differs from before. */
  private filterAnew(): boolean {
    const homes = this.homes ?? []
    const drawn = JSON.stringify([homes, this.filter])
    if (drawn === this.drawn) {
      return false
    }
    this.drawn = drawn
    const all = homes.flatMap((home) => [...home.leaves, ...home.bases])
    this.families = homes
      .map((home) => new Family(home, (template) => matches(this.filter, template)))
      .filter((family) => family.size > 0)
    const shown = this.families.reduce((sum, family) => sum + family.size, 0)
    this.view.message = spelledFilter(this.filter, shown, all.length) ?? ''
    const wrong = all.filter((each) => each.errors > 0).length
    this.view.badge = wrong > 0 ? { value: wrong, tooltip: `${counted(wrong, 'template')} with errors` } : undefined
    return true
  }

  /** Selects the template that is being edited, without taking the focus. */
  private async reveal(uri: Uri): Promise<void> {
    if (!this.view.visible || this.view.selection.some((each) => each.kind === 'template' && same(each.uri, uri))) {
      return
    }
    for (const root of await this.roots()) {
      for (const group of root.kind === 'group' ? [root] : await this.getChildren(root)) {
        const leaves = group.kind === 'group' && group.group === 'leaves' ? group.family.members(group) : []
        const found = leaves.find((each) => each.kind === 'template' && same(each.uri, uri))
        const now = window.activeTextEditor?.document.uri
        if (found && now && same(now, uri)) {
          await this.view.reveal(found, { select: true, focus: false })
          return
        }
      }
    }
  }
}

const same = (one: Uri, other: Uri) => one.toString() === other.toString()
