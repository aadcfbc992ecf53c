// Lays a graph out in columns: what extends stands left, what is extended right, with few crossings.

export interface Edge {
  readonly from: string
  readonly to: string
}

export interface Box {
  readonly name: string
  readonly width: number
}

export interface Placed extends Box {
  /** Of its left edge and its middle. */
  readonly x: number
  readonly y: number
  readonly column: number
}

export interface Line extends Edge {
  /** Pairs that are joined by a curve from one column to the next, and straight within a column. */
  readonly points: readonly (readonly [number, number])[]
  /** It closes a circle of templates that extend one another. */
  readonly back: boolean
}

export interface Layout {
  readonly boxes: readonly Placed[]
  readonly lines: readonly Line[]
  readonly width: number
  readonly height: number
}

export const HEIGHT = 28
const GAP = 12
const PASSAGE = 8
const BETWEEN = 56
const SWEEPS = 8

/** A place in a column: a box, or a passage that the lines to one box take through a column. */
interface Slot {
  readonly id: string
  readonly column: number
  readonly box: Box | undefined
  readonly left: Slot[]
  readonly right: Slot[]
  y: number
}

export function layOut(boxes: readonly Box[], edges: readonly Edge[]): Layout {
  const names = new Set(boxes.map((each) => each.name))
  const inside = edges.filter(({ from, to }) => from !== to && names.has(from) && names.has(to))
  const { forward, back } = withoutCircles(boxes, inside)
  const rank = ranks(boxes, forward)
  const slots = new Map<string, Slot>()
  const columns: Slot[][] = []
  const slot = (id: string, column: number, box?: Box): Slot => {
    let found = slots.get(id)
    if (found === undefined) {
      found = { id, column, box, left: [], right: [], y: 0 }
      slots.set(id, found)
      const there = (columns[column] ??= [])
      there.push(found)
    }
    return found
  }
  for (const each of boxes) {
    slot(`box ${each.name}`, rank.get(each.name) ?? 0, each)
  }
  const roads = forward.map((edge) => {
    const last = rank.get(edge.to) ?? 0
    const road: Slot[] = []
    for (let column = rank.get(edge.from) ?? 0; column <= last; column++) {
      const end = column === rank.get(edge.from) ? edge.from : column === last ? edge.to : undefined
      road.push(end === undefined ? slot(`${column} to ${edge.to}`, column) : slot(`box ${end}`, column))
    }
    road.slice(1).forEach((right, index) => {
      join(road[index], right)
    })
    return { edge, road }
  })
  arrange(columns)
  level(columns)
  return drawn(columns, roads, back)
}

function join(left: Slot | undefined, right: Slot): void {
  if (left !== undefined && !left.right.includes(right)) {
    left.right.push(right)
    right.left.push(left)
  }
}

/** Takes out the edges that close a circle, found depth first. */
function withoutCircles(boxes: readonly Box[], edges: readonly Edge[]): { forward: Edge[]; back: Edge[] } {
  const out = new Map<string, Edge[]>()
  for (const each of edges) {
    out.set(each.from, [...(out.get(each.from) ?? []), each])
  }
  const extended = new Set(edges.map((each) => each.to))
  const heads = [...boxes].sort((one, other) => Number(extended.has(one.name)) - Number(extended.has(other.name)))
  const state = new Map<string, 'open' | 'done'>()
  const forward: Edge[] = []
  const back: Edge[] = []
  for (const head of heads) {
    const todo = state.has(head.name) ? [] : [{ name: head.name, next: 0 }]
    for (let top = todo.at(-1); top !== undefined; top = todo.at(-1)) {
      state.set(top.name, 'open')
      const edge = out.get(top.name)?.[top.next++]
      if (edge === undefined) {
        state.set(top.name, 'done')
        todo.pop()
      } else if (state.get(edge.to) === 'open') {
        back.push(edge)
      } else {
        forward.push(edge)
        if (!state.has(edge.to)) {
          todo.push({ name: edge.to, next: 0 })
        }
      }
    }
  }
  return { forward, back }
}

/** The column of each box: one further right than anything that extends it. */
function ranks(boxes: readonly Box[], edges: readonly Edge[]): Map<string, number> {
  const rank = new Map(boxes.map((each) => [each.name, 0]))
  const waits = new Map<string, number>()
  const out = new Map<string, string[]>()
  for (const { from, to } of edges) {
    waits.set(to, (waits.get(to) ?? 0) + 1)
    out.set(from, [...(out.get(from) ?? []), to])
  }
  const ready = boxes.map((each) => each.name).filter((name) => !waits.has(name))
  for (let name = ready.pop(); name !== undefined; name = ready.pop()) {
    for (const to of out.get(name) ?? []) {
      rank.set(to, Math.max(rank.get(to) ?? 0, (rank.get(name) ?? 0) + 1))
      const left = (waits.get(to) ?? 1) - 1
      waits.set(to, left)
      if (left === 0) {
        ready.push(to)
      }
    }
  }
  return rank
}

/** Orders each column by where its neighbours stand, to and fro. */
function arrange(columns: Slot[][]): void {
  for (const column of columns) {
    number(column)
  }
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const right = sweep % 2 === 0
    for (const column of right ? columns : [...columns].reverse()) {
      const wanted = new Map(column.map((each) => [each, mean(right ? each.left : each.right) ?? each.y]))
      column.sort((one, other) => (wanted.get(one) ?? 0) - (wanted.get(other) ?? 0))
      number(column)
    }
  }
}

/** Places from 0 to 1, so that columns of different length compare. */
function number(column: readonly Slot[]): void {
  column.forEach((each, index) => {
    each.y = (index + 0.5) / column.length
  })
}

/** Heights: each as near to the middle of its neighbours as the order and the space between allow. */
function level(columns: readonly Slot[][]): void {
  for (const column of columns) {
    const total = column.reduce((sum, each) => sum + room(each), 0)
    let y = -total / 2
    for (const each of column) {
      each.y = y + room(each) / 2
      y += room(each)
    }
  }
  for (let sweep = 0; sweep < SWEEPS; sweep++) {
    const right = sweep % 2 === 0
    for (const column of right ? columns : [...columns].reverse()) {
      const all = sweep >= SWEEPS - 2
      settle(
        column,
        column.map((each) => mean(all ? [...each.left, ...each.right] : right ? each.left : each.right) ?? each.y),
      )
    }
  }
}

/** The heights nearest to those wanted that keep the order and the room: neighbours that push each other move as one. */
function settle(column: readonly Slot[], wanted: readonly number[]): void {
  const blocks: { sum: number; count: number; slots: Slot[]; offsets: number[] }[] = []
  let offset = 0
  column.forEach((each, index) => {
    if (index > 0) {
      const above = column[index - 1]
      offset += ((above ? room(above) : 0) + room(each)) / 2
    }
    let block = { sum: (wanted[index] ?? 0) - offset, count: 1, slots: [each], offsets: [offset] }
    for (let last = blocks.at(-1); last && last.sum / last.count > block.sum / block.count; last = blocks.at(-1)) {
      blocks.pop()
      block = {
        sum: last.sum + block.sum,
        count: last.count + block.count,
        slots: [...last.slots, ...block.slots],
        offsets: [...last.offsets, ...block.offsets],
      }
    }
    blocks.push(block)
  })
  for (const { sum, count, slots, offsets } of blocks) {
    slots.forEach((each, index) => {
      each.y = sum / count + (offsets[index] ?? 0)
    })
  }
}

function drawn(
  columns: readonly Slot[][],
  roads: readonly { readonly edge: Edge; readonly road: readonly Slot[] }[],
  back: readonly Edge[],
): Layout {
  const all = columns.flat()
  const top = Math.min(0, ...all.map((each) => each.y - room(each) / 2))
  const wide = columns.map((column) => Math.max(0, ...column.map((each) => each.box?.width ?? 0)))
  const starts = wide.map((_, index) => wide.slice(0, index).reduce((sum, each) => sum + each + BETWEEN, 0))
  const boxes = all.flatMap(({ box, column, y }) =>
    box ? [{ ...box, column, x: starts[column] ?? 0, y: y - top }] : [],
  )
  const place = new Map(boxes.map((each) => [each.name, each]))
  const ends = (slot: Slot): [number, number] => {
    const x = starts[slot.column] ?? 0
    return [x, x + (slot.box?.width ?? wide[slot.column] ?? 0)]
  }
  const lines: Line[] = roads.map(({ edge, road }) => ({
    ...edge,
    back: false,
    points: road.flatMap((slot, index): [number, number][] => {
      const [left, right] = ends(slot)
      const y = slot.y - top
      return index === 0 ? [[right, y]] : index === road.length - 1 ? [[left, y]] : [[left, y], [right, y]] // prettier-ignore
    }),
  }))
  for (const edge of back) {
    const [from, to] = [place.get(edge.from), place.get(edge.to)]
    if (from && to) {
      lines.push({ ...edge, back: true, points: [[from.x, from.y], [to.x + to.width, to.y]] }) // prettier-ignore
    }
  }
  const bottom = Math.max(0, ...all.map((each) => each.y + room(each) / 2))
  const last = columns.length - 1
  return { boxes, lines, width: (starts[last] ?? 0) + (wide[last] ?? 0), height: bottom - top }
}

const room = (slot: Slot) => (slot.box ? HEIGHT + GAP : PASSAGE)

function mean(slots: readonly Slot[]): number | undefined {
  return slots.length > 0 ? slots.reduce((sum, each) => sum + each.y, 0) / slots.length : undefined
}
