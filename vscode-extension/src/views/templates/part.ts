// The commands of the tree of templates.
import type { Aj } from '../../aj'
import type { Ending } from '../../editor'
import { Uri, command, show, window } from '../../editor'
import type { Watch } from '../watch'
import { NO_FILTER } from './filter'
import { makeHome } from './making'
import { TemplatesTree } from './tree'

export function templates(aj: Aj, watch: Watch): readonly Ending[] {
  const tree = new TemplatesTree(aj, watch)
  return [
    tree,
    // The tree is given to who asks, to be looked at.
    command('aj.templates.refresh', async () => {
      await tree.refresh()
      return tree
    }),
    command('aj.templates.open', async (given) => {
      if (typeof given === 'object' && given !== null && 'uri' in given && given.uri instanceof Uri) {
        await show(given.uri)
      }
    }),
    command('aj.templates.filter', () => filter(tree)),
    command('aj.templates.onlyProblems', () => {
      tree.filtered = { ...tree.filtered, problems: !tree.filtered.problems }
    }),
    command('aj.templates.clearFilter', () => {
      tree.filtered = NO_FILTER
    }),
    command('aj.init', async () => {
      await makeHome(aj)
      await tree.refresh()
    }),
  ]
}

/** Filters while one types; leaving the box without Enter brings back what was before. */
async function filter(tree: TemplatesTree): Promise<void> {
  const before = tree.filtered
  const box = window.createInputBox()
  box.title = 'Show which templates?'
  box.placeholder = 'Words of the name, the service or the description; nothing shows all'
  box.value = before.words
  await new Promise<void>((resolve) => {
    let accepted = false
    box.onDidChangeValue((words) => {
      tree.filtered = { ...tree.filtered, words }
    })
    box.onDidAccept(() => {
      accepted = true
      box.hide()
    })
    box.onDidHide(() => {
      if (!accepted) {
        tree.filtered = before
      }
      box.dispose()
      resolve()
    })
    box.show()
  })
}
