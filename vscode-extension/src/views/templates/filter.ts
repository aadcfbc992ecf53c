// Which templates the tree shows: those whose name, service or description hold every word that is typed.
import type { Template } from '../../answers'

export interface Filter {
  readonly words: string
  readonly problems: boolean
}

export const NO_FILTER: Filter = { words: '', problems: false }

export function isFiltering(filter: Filter): boolean {
  return filter.problems || filter.words.trim() !== ''
}

export function matches(filter: Filter, template: Template): boolean {
  if (filter.problems && template.errors + template.warnings === 0) {
    return false
  }
  const held = [template.name, template.service ?? '', template.description ?? ''].join('\n').toLowerCase()
  return filter.words
    .toLowerCase()
    .split(/\s+/)
    .every((word) => held.includes(word))
}

/** What the view says above its items. */
export function spelledFilter(filter: Filter, shown: number, all: number): string | undefined {
  if (!isFiltering(filter)) {
    return undefined
  }
  const what = [filter.words.trim() && `“${filter.words.trim()}”`, filter.problems && 'with problems']
  return `${shown} of ${all}: ${what.filter(Boolean).join(', ')}`
}
