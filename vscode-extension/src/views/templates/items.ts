// How the nodes of the tree of templates look: names, numbers, icons, what hovering them tells.
import type { Template } from '../../answers'
import { MarkdownString, ThemeColor, ThemeIcon, TreeItem, TreeItemCollapsibleState } from '../../editor'
import { counted } from '../words'
import type { Node } from './nodes'
import { idOf } from './nodes'

const { Collapsed, Expanded, None } = TreeItemCollapsibleState
const GROUPS = { leaves: 'Templates', bases: 'Bases' } as const

export function itemOf(node: Node, filtered: boolean): TreeItem {
  const item = plainItem(node, filtered)
  // Folders are open while one filters, whatever they were before: to the editor these are others.
  item.id = filtered ? `${idOf(node)}\nfiltered` : idOf(node)
  item.contextValue = node.kind === 'template' ? (node.template.leaf ? 'leaf' : 'base') : node.kind
  return item
}

function plainItem(node: Node, filtered: boolean): TreeItem {
  switch (node.kind) {
    case 'home':
      return home(node.family.home.path)
    case 'group': {
      const item = new TreeItem(GROUPS[node.group], Expanded)
      item.description = String(node.family[node.group].length)
      return item
    }
    case 'folder': {
      const item = new TreeItem(node.folder === '.' ? 'beside them' : node.folder, filtered ? Expanded : Collapsed)
      item.iconPath = ThemeIcon.Folder
      return item
    }
    case 'template':
      return templateItem(node)
  }
}

function home(path: string): TreeItem {
  const [project = path, name = path] = path.split('/').slice(-2)
  const item = new TreeItem(project, Expanded)
  item.description = name
  item.tooltip = path
  item.iconPath = new ThemeIcon('home')
  return item
}

function templateItem(node: Node & { readonly kind: 'template' }): TreeItem {
  const { template, family, way } = node
  const related = family.related(template, way)
  const item = new TreeItem(template.name, related.length > 0 ? Collapsed : None)
  const words = [
    template.leaf
      ? (template.service ?? '')
      : template.dependents === 0
        ? 'not used'
        : `used by ${template.dependents}`,
    ...problems(template),
  ]
  item.description = words.filter((each) => each !== '').join(' · ')
  item.tooltip = told(template)
  item.iconPath = icon(template)
  item.command = { command: 'vscode.open', title: 'Open', arguments: [node.uri] }
  item.accessibilityInformation = {
    label: `${template.leaf ? 'template' : 'base'} ${template.name}, ${item.description}`,
  }
  return item
}

function problems(template: Template): readonly string[] {
  const { errors, warnings } = template
  return [errors > 0 ? counted(errors, 'error') : '', warnings > 0 ? counted(warnings, 'warning') : '']
}

function icon(template: Template): ThemeIcon {
  const colour =
    template.errors > 0 ? 'list.errorForeground' : template.warnings > 0 ? 'list.warningForeground' : undefined
  return new ThemeIcon(template.leaf ? 'play-circle' : 'file-code', colour && new ThemeColor(colour))
}

function told(template: Template): MarkdownString {
  const text = new MarkdownString()
  text.appendMarkdown('**').appendText(template.name).appendMarkdown('**\n\n')
  if (template.description) {
    text.appendText(template.description).appendMarkdown('\n\n')
  }
  const rows = [
    template.extends.length > 0 ? `extends ${template.extends.join(', ')}` : 'extends nothing',
    `used by ${counted(template.dependents, 'file')}`,
    ...problems(template),
    template.path,
  ]
  for (const each of rows.filter((row) => row !== '')) {
    text.appendMarkdown('- ').appendText(each).appendMarkdown('\n')
  }
  return text
}
