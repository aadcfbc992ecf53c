// What part of the drawing is seen: dragging pans, the wheel and keys zoom, all within reason.

export interface Seen {
  readonly x: number
  readonly y: number
  readonly scale: number
}

const LEAST = 0.05
const MOST = 3
const MARGIN = 24
const STEP = 1.25

export class Camera {
  private seen: Seen = { x: MARGIN, y: MARGIN, scale: 1 }
  private size = { width: 1, height: 1 }

  constructor(
    private readonly frame: SVGSVGElement,
    private readonly content: SVGGElement,
    private readonly moved: (seen: Seen) => void,
  ) {
    frame.addEventListener(
      'wheel',
      (event) => {
        event.preventDefault()
        if (event.shiftKey) {
          this.pan(-event.deltaY - event.deltaX, 0)
        } else {
          this.zoom(Math.exp(-event.deltaY / 400), event.offsetX, event.offsetY)
        }
      },
      { passive: false },
    )
    frame.addEventListener('pointerdown', (event) => {
      if (event.button === 0 && !(event.target as Element).closest('.node')) {
        frame.setPointerCapture(event.pointerId)
        frame.classList.add('dragged')
      }
    })
    frame.addEventListener('pointermove', (event) => {
      if (frame.hasPointerCapture(event.pointerId)) {
        this.pan(event.movementX, event.movementY)
      }
    })
    frame.addEventListener('pointerup', () => {
      frame.classList.remove('dragged')
    })
  }

  /** How large the drawing is. */
  measure(width: number, height: number): void {
    this.size = { width, height }
  }

  to(seen: Seen): void {
    this.seen = seen
    this.content.setAttribute('transform', `translate(${seen.x} ${seen.y}) scale(${seen.scale})`)
    this.moved(seen)
  }

  pan(x: number, y: number): void {
    this.to({ ...this.seen, x: this.seen.x + x, y: this.seen.y + y })
  }

  /** Zooms by a factor around a point of the frame, its middle by default. */
  zoom(factor: number, x = this.frame.clientWidth / 2, y = this.frame.clientHeight / 2): void {
    const scale = Math.min(MOST, Math.max(LEAST, this.seen.scale * factor))
    const by = scale / this.seen.scale
    this.to({ scale, x: x - (x - this.seen.x) * by, y: y - (y - this.seen.y) * by })
  }

  closer(): void {
    this.zoom(STEP)
  }

  farther(): void {
    this.zoom(1 / STEP)
  }

  /** Shows all of it, not larger than it is, nor smaller than so. */
  fit(least = LEAST): void {
    const { clientWidth, clientHeight } = this.frame
    const scale = Math.max(
      least,
      Math.min(1, (clientWidth - 2 * MARGIN) / this.size.width, (clientHeight - 2 * MARGIN) / this.size.height),
    )
    this.to({
      scale,
      x: Math.max(MARGIN, (clientWidth - this.size.width * scale) / 2),
      y: Math.max(MARGIN, (clientHeight - this.size.height * scale) / 2),
    })
  }

  /** Brings a point of the drawing to the middle, along the sides on which not everything is seen. */
  centre(x: number, y: number): void {
    const { scale } = this.seen
    const { clientWidth, clientHeight } = this.frame
    const wide = this.size.width * scale + 2 * MARGIN > clientWidth
    const high = this.size.height * scale + 2 * MARGIN > clientHeight
    this.to({
      scale,
      x: wide ? Math.min(MARGIN, clientWidth / 2 - x * scale) : this.seen.x,
      y: high ? Math.min(MARGIN, clientHeight / 2 - y * scale) : this.seen.y,
    })
  }

  /** Moves, as little as needed, until a box of the drawing is seen. */
  reach(x: number, y: number, width: number, height: number): void {
    const { scale } = this.seen
    const across = inside(this.seen.x + x * scale, width * scale, this.frame.clientWidth)
    const down = inside(this.seen.y + y * scale, height * scale, this.frame.clientHeight)
    if (across !== 0 || down !== 0) {
      this.pan(across, down)
    }
  }
}

function inside(start: number, length: number, room: number): number {
  const over = start + length - (room - MARGIN)
  return start < MARGIN ? MARGIN - start : over > 0 ? -Math.min(over, start - MARGIN) : 0
}
