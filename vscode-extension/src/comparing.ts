// What templates come to, compared: with the files as saved, with another template, with the last commit.
import type { Aj, Part } from './aj'
import type { Difference, Home, Impact } from './answers'
import type { QuickPickItem } from './editor'
import { Uri, command, window } from './editor'
import { activeTemplate } from './templates'

interface Other extends QuickPickItem {
  /** Null: the template itself, as it was committed last. */
  readonly uri: string | null
}

const COMMITTED: Other = { label: '$(git-commit) The last commit', description: 'of this template', uri: null }

export const comparing: Part = (aj) => [
  command('aj.impact', async (given) => {
    const template = activeTemplate(given)
    const { message, text } = await aj.server.ask<Impact>('aj.impact', { uri: template.toString() })
    await tell(aj, message, message, text)
  }),
  command('aj.diff', async (given) => {
    const template = activeTemplate(given)
    const other = await window.showQuickPick([COMMITTED, ...(await others(aj, template))], {
      title: 'Compare with what?',
      matchOnDescription: true,
    })
    if (other === undefined) {
      return
    }
    const found = await aj.server.ask<Difference>('aj.diff', { uri: template.toString(), other: other.uri })
    const [problem] = found.problems
    if (problem !== undefined) {
      throw new Error(problem.message)
    }
    const title = `${found.after.name} against ${other.uri === null ? 'the last commit' : found.before.name}`
    await tell(aj, `Nothing differs: ${title}`, title, found.text)
  }),
]

/** Shows a text beside the template; words alone where there is none. */
async function tell(aj: Aj, nothing: string, title: string, text: string): Promise<void> {
  if (text === '') {
    void window.showInformationMessage(nothing)
    return
  }
  await aj.documents.showText(title, text)
}

/** The other templates of its home, those to run first. */
async function others(aj: Aj, template: Uri): Promise<readonly Other[]> {
  const { homes } = await aj.server.ask<{ homes: readonly Home[] }>('aj.templates', { uri: template.toString() })
  return homes
    .flatMap((home) => [...home.leaves, ...home.bases])
    .filter((each) => Uri.parse(each.uri).toString() !== template.toString())
    .map((each) => ({
      label: `${each.leaf ? '$(play-circle)' : '$(file-code)'} ${each.name}`,
      description: each.description ?? '',
      uri: each.uri,
    }))
}
