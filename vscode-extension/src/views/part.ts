// The views of aj: templates, the graph of who extends whom, jobs.
import type { Part } from '../aj'
import { command, commands } from '../editor'
import { graph } from './graph/part'
import { jobs } from './jobs/part'
import { templates } from './templates/part'
import { Watch } from './watch'

export const views: Part = (aj) => {
  const watch = new Watch(aj)
  const walkthrough = `${aj.context.extension.id}#start`
  return [
    watch,
    ...templates(aj, watch),
    ...graph(aj, watch),
    ...jobs(aj),
    command('aj.getStarted', () => commands.executeCommand('workbench.action.openWalkthrough', walkthrough, false)),
  ]
}
