// The page of the graph: draws what the extension sends, and tells it what a person opens.
import { HEIGHT } from '../layout'
import type { FromPage, ToPage } from '../messages'
import type { Seen } from './camera'
import { Camera } from './camera'
import { Picture, element, nameOf } from './picture'
import { next } from './walk'

declare function acquireVsCodeApi(): {
  postMessage(message: FromPage): void
  getState(): Seen | undefined
  setState(seen: Seen): void
}

const extension = acquireVsCodeApi()
const frame = must('graph', SVGSVGElement)
const note = must('note', HTMLSpanElement)
const whole = must('whole', HTMLButtonElement)
const content = frame.appendChild(element('g', {}))
const camera = new Camera(frame, content, (seen) => {
  extension.setState(seen)
})
let picture: Picture | undefined
let remembered = extension.getState()

window.addEventListener('message', ({ data }: MessageEvent<ToPage>) => {
  switch (data.kind) {
    case 'drawing':
      draw(data)
      break
    case 'current':
      picture?.mark(data.current)
      reach(data.current)
      break
    case 'trouble':
      picture = undefined
      content.replaceChildren()
      note.textContent = data.words
  }
})

for (const [id, act] of Object.entries({
  in: () => {
    camera.closer()
  },
  out: () => {
    camera.farther()
  },
  fit: () => {
    camera.fit()
  },
})) {
  // prettier-ignore
  must(id, HTMLButtonElement).addEventListener('click', act)
}
whole.addEventListener('click', () => {
  extension.postMessage({ kind: 'whole', whole: !picture?.drawing.whole })
})
frame.addEventListener('click', (event) => {
  open(nameOf(event))
})
for (const [happening, on] of [
  ['pointerover', true],
  ['pointerout', false],
  ['focusin', true],
  ['focusout', false],
] as const) {
  // prettier-ignore
  frame.addEventListener(happening, (event) => picture?.bringOut(on ? nameOf(event) : null))
}
document.addEventListener('keydown', (event) => {
  if (event.ctrlKey || event.metaKey || event.altKey) {
    return
  }
  if (pressed(event.key, nameOf(event))) {
    event.preventDefault()
  }
})
extension.postMessage({ kind: 'ready' })

/** Below this scale names cannot be read: it is for those who ask for it. */
const READABLE = 0.8

function draw(drawing: ToPage & { readonly kind: 'drawing' }): void {
  const before = picture?.drawing
  const focused = document.activeElement?.getAttribute('data-name') ?? null
  picture = new Picture(drawing, content)
  camera.measure(drawing.layout.width, drawing.layout.height)
  note.textContent = drawing.note
  whole.hidden = !drawing.partial
  whole.textContent = drawing.whole ? 'Show what is near' : 'Show all'
  picture.enter(drawing.current ?? undefined)
  if (focused !== null) {
    picture.focus(focused)
  }
  const same = before && Object.keys(before.nodes).join('\n') === Object.keys(drawing.nodes).join('\n')
  if (same) {
    return
  }
  if (before === undefined && remembered !== undefined) {
    camera.to(remembered)
  } else {
    camera.fit(READABLE)
    const box = picture.box(drawing.current ?? '')
    if (box) {
      camera.centre(box.x + box.width / 2, box.y)
    }
  }
  remembered = undefined
  reach(drawing.current)
}

/** What a key does; whether it does anything. */
function pressed(key: string, name: string | null): boolean {
  switch (key) {
    case '+':
    case '=':
      camera.closer()
      return true
    case '-':
      camera.farther()
      return true
    case '0':
      camera.fit()
      return true
    case 'Enter':
    case ' ':
      open(name)
      return name !== null
    default: {
      const to = picture && name !== null ? next(picture.drawing.layout, name, key) : undefined
      if (to) {
        picture?.focus(to.name)
        reach(to.name)
      }
      return key.startsWith('Arrow') && name !== null
    }
  }
}

function open(name: string | null): void {
  if (name !== null) {
    extension.postMessage({ kind: 'open', name })
  }
}

function reach(name: string | null): void {
  const box = name === null ? undefined : picture?.box(name)
  if (box) {
    camera.reach(box.x, box.y - HEIGHT / 2, box.width, HEIGHT)
  }
}

function must<E extends Element>(id: string, type: new () => E): E {
  const found = document.getElementById(id) as Element | null
  if (!(found instanceof type)) {
    throw new Error(`the page has no ${id}`)
  }
  return found
}
