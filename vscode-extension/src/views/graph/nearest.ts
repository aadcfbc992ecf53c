// Which part of a large graph is shown first: what has to do with one template, nearest first.
import type { Edge } from './layout'

/** So many names: what one extends and what extends it, nearest first. */
export function nearest(names: readonly string[], edges: readonly Edge[], from: string, most: number): Set<string> {
  const ways = [steps(edges, 'from', 'to'), steps(edges, 'to', 'from')]
  const found = new Set([from])
  let borders = ways.map((way) => ({ way, border: [from] }))
  while (borders.some(({ border }) => border.length > 0) && found.size < most) {
    borders = borders.map(({ way, border }) => {
      const next: string[] = []
      for (const name of border.flatMap((each) => way.get(each) ?? [])) {
        if (!found.has(name) && found.size < most) {
          found.add(name)
          next.push(name)
        }
      }
      return { way, border: next }
    })
  }
  return new Set(names.filter((name) => found.has(name)))
}

/** Where to begin when no template is open: the one that has to do with most others. */
export function busiest(names: readonly string[], edges: readonly Edge[]): string | undefined {
  const counts = new Map<string, number>()
  for (const { from, to } of edges) {
    counts.set(from, (counts.get(from) ?? 0) + 1)
    counts.set(to, (counts.get(to) ?? 0) + 1)
  }
  return [...names].sort((one, other) => (counts.get(other) ?? 0) - (counts.get(one) ?? 0))[0]
}

function steps(edges: readonly Edge[], start: keyof Edge, end: keyof Edge): Map<string, string[]> {
  const found = new Map<string, string[]>()
  for (const each of edges) {
    const there = found.get(each[start])
    if (there) {
      there.push(each[end])
    } else {
      found.set(each[start], [each[end]])
    }
  }
  return found
}
