// The commands that make a job of a template.
import type { Part } from '../aj'
import { command } from '../editor'
import { activeTemplate } from '../templates'
import { Submission } from './flow'
import { History } from './history'

export const submitting: Part = (aj) => {
  const submission = new Submission(aj, aj.documents, new History(aj.context.workspaceState))
  return [
    command('aj.submit', (given) => submission.submit(given)),
    command('aj.dryRun', (given) => submission.dryRun(activeTemplate(given))),
  ]
}
