// The command that shows the graph of who extends whom.
import type { Aj } from '../../aj'
import type { Ending } from '../../editor'
import { command } from '../../editor'
import { templateOf } from '../../templates'
import type { Watch } from '../watch'
import { GraphPanel } from './panel'

export function graph(aj: Aj, watch: Watch): readonly Ending[] {
  let panel: GraphPanel | undefined
  return [
    {
      dispose: () => {
        panel?.dispose()
      },
    },
    command('aj.graph', async (given) => {
      const template = templateOf(given)
      panel ??= new GraphPanel(aj, watch, template, () => {
        panel = undefined
      })
      await panel.reveal(template)
      return panel
    }),
  ]
}
