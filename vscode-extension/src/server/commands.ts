// The commands about the server itself.
import type { Part } from '../aj'
import { command } from '../editor'
import { removeOwn } from './environment'
import { storageOf } from './places'

export const serverCommands: Part = (aj) => [
  command('aj.restart', () => aj.server.restart()),
  command('aj.remakeEnvironment', async () => {
    await aj.server.stop()
    await removeOwn(storageOf(aj.context))
    await aj.server.restart()
  }),
  command('aj.showLog', () => {
    aj.log.show()
  }),
]
