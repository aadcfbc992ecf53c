// The features of the extension, a line each.
import type { Part } from './aj'
import { relatives } from './relatives'
import { serverCommands } from './server/commands'

export const PARTS: readonly Part[] = [
  serverCommands, //
  relatives,
]
