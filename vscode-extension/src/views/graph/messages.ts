// What the extension and the page of the graph say to each other.
import type { Layout } from './layout'

export interface Shown {
  readonly name: string
  readonly leaf: boolean
  readonly errors: number
  readonly warnings: number
  /** Where it stands in words, for those who do not see it. */
  readonly label: string
}

/** A drawing; `current` is the name of the template that is being edited. */
export interface Drawing {
  readonly kind: 'drawing'
  readonly layout: Layout
  readonly nodes: Readonly<Record<string, Shown>>
  readonly current: string | null
  readonly note: string
  /** Whether there is more to show, or less than all is asked for. */
  readonly partial: boolean
  readonly whole: boolean
}

export interface Current {
  readonly kind: 'current'
  readonly current: string | null
}

export interface Trouble {
  readonly kind: 'trouble'
  readonly words: string
}

export type ToPage = Drawing | Current | Trouble

export type FromPage =
  | { readonly kind: 'ready' }
  | { readonly kind: 'open'; readonly name: string }
  | { readonly kind: 'whole'; readonly whole: boolean }
