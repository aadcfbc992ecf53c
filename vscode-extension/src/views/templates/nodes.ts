// What stands in the tree of templates: homes, their two groups, folders of bases, and templates with their relatives.
import type { Home, Template } from '../../answers'
import { Uri } from '../../editor'

export type Group = 'leaves' | 'bases'

interface Below {
  readonly parent: Node | undefined
  readonly family: Family
}

export type Node =
  | (Below & { readonly kind: 'home' })
  | (Below & { readonly kind: 'group'; readonly group: Group })
  | (Below & { readonly kind: 'folder'; readonly folder: string })
  | (Below & {
      readonly kind: 'template'
      readonly template: Template
      /** Its children are what it extends, or what extends it. */
      readonly way: 'extends' | 'used by'
      /** Commands of templates take this from what they are given. */
      readonly uri: Uri
    })

/** The templates of one home, and who extends whom among them. */
export class Family {
  readonly leaves: readonly Template[]
  readonly bases: readonly Template[]
  private readonly named: ReadonlyMap<string, Template>
  private readonly users = new Map<string, Template[]>()

  constructor(
    readonly home: Home,
    wanted: (template: Template) => boolean,
  ) {
    const all = [...home.leaves, ...home.bases]
    this.leaves = home.leaves.filter(wanted)
    this.bases = home.bases.filter(wanted)
    this.named = new Map(all.map((each) => [each.name, each]))
    for (const each of all) {
      for (const base of each.extends) {
        this.users.set(base, [...(this.users.get(base) ?? []), each])
      }
    }
  }

  get size(): number {
    return this.leaves.length + this.bases.length
  }

  /** What stands below a home. */
  groups(parent: Node | undefined): Node[] {
    const groups: Group[] = ['leaves', 'bases']
    return groups
      .filter((group) => this[group].length > 0)
      .map((group) => ({ kind: 'group', group, parent, family: this }))
  }

  /** What stands below a group: leaves, or the folders of bases. */
  members(parent: Node & { readonly kind: 'group' }): Node[] {
    if (parent.group === 'leaves') {
      return this.leaves.map((each) => this.node(each, 'extends', parent))
    }
    const folders = new Set(this.bases.map((each) => each.folder))
    return [...folders].sort().map((folder) => ({ kind: 'folder', folder, parent, family: this }))
  }

  /** The bases of a folder. */
  within(parent: Node & { readonly kind: 'folder' }): Node[] {
    const found = this.bases.filter((each) => each.folder === parent.folder)
    return found.map((each) => this.node(each, 'used by', parent))
  }

  /** What a template extends, in merge order, or what extends it. */
  relatives(parent: Node & { readonly kind: 'template' }): Node[] {
    return this.related(parent.template, parent.way).map((each) => this.node(each, parent.way, parent))
  }

  related(template: Template, way: 'extends' | 'used by'): readonly Template[] {
    if (way === 'used by') {
      return this.users.get(template.name) ?? []
    }
    return template.extends.flatMap((name) => this.named.get(name) ?? [])
  }

  private node(template: Template, way: 'extends' | 'used by', parent: Node): Node {
    return { kind: 'template', template, way, parent, family: this, uri: Uri.parse(template.uri) }
  }
}

/** What tells a node from all others, and is the same after the tree was read anew. */
export function idOf(node: Node): string {
  const above = node.parent ? `${idOf(node.parent)}\n` : ''
  switch (node.kind) {
    case 'home':
      return node.family.home.uri
    case 'group':
      return `${above || `${node.family.home.uri}\n`}${node.group}`
    case 'folder':
      return `${above}${node.folder}/`
    case 'template':
      return `${above}${node.template.name}`
  }
}
