// Draws the boxes and lines of a layout as SVG; texts stay texts, so that no name can be markup.
import { HEIGHT } from '../layout'
import type { Line, Placed } from '../layout'
import type { Drawing, Shown } from '../messages'

const SVG = 'http://www.w3.org/2000/svg'

export class Picture {
  private readonly groups = new Map<string, SVGGElement>()
  private readonly paths: { readonly line: Line; readonly path: SVGPathElement }[] = []

  constructor(
    readonly drawing: Drawing,
    content: SVGGElement,
  ) {
    content.replaceChildren()
    for (const line of drawing.layout.lines) {
      const path = element('path', { d: curve(line), class: line.back ? 'line back' : 'line' })
      this.paths.push({ line, path })
      content.append(path)
    }
    for (const box of drawing.layout.boxes) {
      const shown = drawing.nodes[box.name]
      if (shown) {
        const group = node(box, shown)
        this.groups.set(box.name, group)
        content.append(group)
      }
    }
    this.mark(drawing.current)
  }

  /** Marks the template that is being edited. */
  mark(current: string | null): void {
    for (const [name, group] of this.groups) {
      const is = name === current
      group.classList.toggle('current', is)
      if (is) {
        group.setAttribute('aria-current', 'true')
      } else {
        group.removeAttribute('aria-current')
      }
    }
  }

  /** Brings out the lines of one box; of none, of all alike. */
  bringOut(name: string | null): void {
    for (const { line, path } of this.paths) {
      path.classList.toggle('near', name !== null && (line.from === name || line.to === name))
    }
  }

  box(name: string): Placed | undefined {
    return this.drawing.layout.boxes.find((each) => each.name === name)
  }

  focus(name: string): void {
    for (const [each, group] of this.groups) {
      group.setAttribute('tabindex', each === name ? '0' : '-1')
    }
    this.groups.get(name)?.focus({ preventScroll: true })
  }

  /** Where Tab goes to first. */
  enter(name: string | undefined): void {
    const first = name ?? this.drawing.layout.boxes[0]?.name
    this.groups.get(first ?? '')?.setAttribute('tabindex', '0')
  }
}

/** The name of the box that an event is about. */
export function nameOf(event: Event): string | null {
  const group = event.target instanceof Element ? event.target.closest('.node') : null
  return group?.getAttribute('data-name') ?? null
}

export function element<K extends keyof SVGElementTagNameMap>(
  tag: K,
  attributes: Readonly<Record<string, string | number>>,
): SVGElementTagNameMap[K] {
  const made = document.createElementNS(SVG, tag)
  for (const [name, value] of Object.entries(attributes)) {
    made.setAttribute(name, String(value))
  }
  return made
}

function node(box: Placed, shown: Shown): SVGGElement {
  const standing = shown.errors > 0 ? 'error' : shown.warnings > 0 ? 'warning' : 'fine'
  const group = element('g', {
    class: `node ${shown.leaf ? 'leaf' : 'base'} ${standing}`,
    transform: `translate(${box.x} ${box.y - HEIGHT / 2})`,
    tabindex: -1,
    role: 'button',
    'aria-label': shown.label,
    'data-name': box.name,
  })
  const title = element('title', {})
  title.textContent = shown.label
  const text = element('text', { x: 26, y: HEIGHT / 2, 'dominant-baseline': 'central' })
  text.textContent = box.name
  group.append(
    title,
    element('rect', { width: box.width, height: HEIGHT, rx: 4 }),
    shown.leaf
      ? element('path', { class: 'kind', d: 'M11 9v10l8-5z' })
      : element('path', { class: 'kind', d: 'M10 9h9M10 14h9M10 19h6' }),
    text,
  )
  if (standing !== 'fine') {
    group.append(element('circle', { class: 'mark', cx: box.width - 1, cy: 1, r: 4.5 }))
  }
  return group
}

function curve({ points, back }: Line): string {
  const [first, ...rest] = points
  if (first === undefined) {
    return ''
  }
  let [x, y] = first
  let path = `M${x} ${y}`
  rest.forEach(([toX, toY], index) => {
    const bend = back ? -60 : (toX - x) / 2
    // Within a column a line goes straight; between columns it bends.
    path += !back && index % 2 === 1 ? `H${toX}` : `C${x + bend} ${y} ${toX - bend} ${toY} ${toX} ${toY}`
    x = toX
    y = toY
  })
  return path
}
