// The ways from a template to what it extends and to what extends it: pickers behind the code lenses.
import type { Part } from './aj'
import type { Base, Dependent } from './answers'
import type { QuickPickItem } from './editor'
import { Uri, command, show, window } from './editor'
import { activeTemplate } from './templates'

interface Way extends QuickPickItem {
  readonly uri: string | null
}

export const relatives: Part = (aj) => [
  command('aj.bases', async (given) => {
    const template = activeTemplate(given)
    const { root } = await aj.server.ask<{ root: Base }>('aj.bases', { uri: template.toString() })
    await go(
      root.bases.flatMap((each) => [...below(each, 0)]),
      `${root.name} extends`,
    )
  }),
  command('aj.dependents', async (given, keypath) => {
    const template = activeTemplate(given)
    const { dependents } = await aj.server.ask<{ dependents: readonly Dependent[] }>('aj.dependents', {
      uri: template.toString(),
      keypath: typeof keypath === 'string' ? keypath : null,
    })
    const named = typeof keypath === 'string' ? `${keypath} reaches` : 'Used by'
    await go(dependents.map(dependentItem), named)
  }),
]

function* below(base: Base, depth: number): Generator<Way> {
  const flaw = base.missing ? 'not found' : base.cycle ? 'goes in a circle' : base.again ? 'again' : ''
  yield {
    label: `${'\u2003'.repeat(depth)}${base.missing ? '$(error) ' : '$(file-code) '}${base.name}`,
    description: flaw,
    uri: base.uri,
  }
  for (const each of base.bases) {
    yield* below(each, depth + 1)
  }
}

function dependentItem(each: Dependent): Way {
  const words = [each.direct ? 'directly' : 'through others', each.standing ?? ''].filter((word) => word !== '')
  return {
    label: `${each.leaf ? '$(play-circle)' : '$(file-code)'} ${each.name}`,
    description: words.join(', '),
    uri: each.uri,
  }
}

async function go(ways: readonly Way[], title: string): Promise<void> {
  const empty = 'No other template'
  const picked = await window.showQuickPick(ways.length > 0 ? ways : [{ label: empty, uri: null }], {
    title,
    matchOnDescription: true,
  })
  if (picked?.uri) {
    await show(Uri.parse(picked.uri))
  }
}
