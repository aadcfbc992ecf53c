// The features of the extension, a line each.
import type { Part } from './aj'
import { comparing } from './comparing'
import { elsewhere } from './elsewhere'
import { previewing } from './preview/part'
import { relatives } from './relatives'
import { serverCommands } from './server/commands'
import { status } from './status'
import { submitting } from './submit/part'
import { views } from './views/part'

export const PARTS: readonly Part[] = [
  serverCommands, //
  status,
  elsewhere,
  previewing,
  submitting,
  relatives,
  comparing,
  views,
]
