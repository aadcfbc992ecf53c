// From what the server says of a graph to what the page draws: a part of it where it is large, laid out.
import type { GraphAnswer, GraphNode } from '../../answers'
import { counted } from '../words'
import { layOut } from './layout'
import type { Drawing, Shown } from './messages'
import { busiest, nearest } from './nearest'

/** From so many templates on only a part is shown first. */
const LARGE = 120
const PART = 60
const LETTER = 7.4
const PADDING = 40

/** The drawing around a template, or of everything where it is small or `whole` is asked for. */
export function drawingOf(graph: GraphAnswer, current: string | null, whole: boolean): Drawing {
  const names = graph.nodes.map((each) => each.name)
  const middle = current ?? busiest(names, graph.edges)
  const large = names.length > LARGE && middle !== undefined
  const kept = large && !whole ? nearest(names, graph.edges, middle, PART) : new Set(names)
  const nodes = graph.nodes.filter((each) => kept.has(each.name))
  const edges = graph.edges.filter((each) => kept.has(each.from) && kept.has(each.to))
  const boxes = nodes.map((each) => ({ name: each.name, width: Math.ceil(each.name.length * LETTER + PADDING) }))
  return {
    kind: 'drawing',
    layout: layOut(boxes, edges),
    nodes: Object.fromEntries(nodes.map((each) => [each.name, shown(each, graph)])),
    current: current !== null && kept.has(current) ? current : null,
    note:
      kept.size < names.length
        ? `${kept.size} of ${counted(names.length, 'template')}: what has to do with ${middle ?? ''}`
        : counted(names.length, 'template'),
    partial: large,
    whole: whole || !large,
  }
}

function shown(node: GraphNode, graph: GraphAnswer): Shown {
  const { name, leaf, errors, warnings } = node
  const bases = graph.edges.filter((each) => each.from === name).map((each) => each.to)
  const users = graph.edges.filter((each) => each.to === name).length
  const label = [
    `${leaf ? 'template' : 'base'} ${name}`,
    bases.length > 0 ? `extends ${bases.join(', ')}` : 'extends nothing',
    users > 0 ? `used by ${users}` : '',
    errors > 0 ? counted(errors, 'error') : '',
    warnings > 0 ? counted(warnings, 'warning') : '',
  ]
  return { name, leaf, errors, warnings, label: label.filter((each) => each !== '').join(', ') }
}
