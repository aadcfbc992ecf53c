// Which box an arrow key leads to: along the lines to the sides, up and down within a column.
import type { Layout, Placed } from '../layout'

/** The box next to one in the direction of a key; undefined where there is none, or the key is no arrow. */
export function next(layout: Layout, name: string, key: string): Placed | undefined {
  const here = layout.boxes.find((each) => each.name === name)
  if (here === undefined) {
    return undefined
  }
  const named = (found: readonly string[]) => layout.boxes.filter((each) => found.includes(each.name))
  switch (key) {
    case 'ArrowRight':
      return nearest(here, named(layout.lines.filter((each) => each.from === name).map((each) => each.to)))
    case 'ArrowLeft':
      return nearest(here, named(layout.lines.filter((each) => each.to === name).map((each) => each.from)))
    case 'ArrowDown':
      return nearest(here, column(layout, here).filter((each) => each.y > here.y)) // prettier-ignore
    case 'ArrowUp':
      return nearest(here, column(layout, here).filter((each) => each.y < here.y)) // prettier-ignore
    default:
      return undefined
  }
}

function column(layout: Layout, here: Placed): readonly Placed[] {
  return layout.boxes.filter((each) => each.column === here.column)
}

function nearest(here: Placed, found: readonly Placed[]): Placed | undefined {
  return [...found].sort((one, other) => Math.abs(one.y - here.y) - Math.abs(other.y - here.y))[0]
}
