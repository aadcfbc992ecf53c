// The tree of templates: what it lists, how problems and filters show, and that its items carry their template.
import assert from 'node:assert/strict'
import * as vscode from 'vscode'
import { initOf } from '../../src/views/templates/making'
import { NO_FILTER } from '../../src/views/templates/filter'
import type { Node } from '../../src/views/templates/nodes'
import type { TemplatesTree } from '../../src/views/templates/tree'
import { closeAll, file, focused, holds, open, preview, replace, until } from '../editing'

async function tree(): Promise<TemplatesTree> {
  await vscode.commands.executeCommand('aj.templates.focus')
  return vscode.commands.executeCommand<TemplatesTree>('aj.templates.refresh')
}

/** The tree as text, so many levels deep. */
async function drawn(there: TemplatesTree, levels: number, node?: Node, indent = ''): Promise<readonly string[]> {
  const lines: string[] = []
  for (const each of levels > 0 ? await there.getChildren(node) : []) {
    const item = there.getTreeItem(each)
    lines.push(`${indent}${item.label as string}: ${item.description as string}`)
    lines.push(...(await drawn(there, levels - 1, each, `${indent}  `)))
  }
  return lines
}

async function found(there: TemplatesTree, name: string, nodes?: readonly Node[]): Promise<Node> {
  for (const each of nodes ?? (await there.getChildren())) {
    if (each.kind === 'template' && each.template.name === name) {
      return each
    }
    if (each.kind !== 'template') {
      const below = await found(there, name, await there.getChildren(each)).catch(() => undefined)
      if (below) {
        return below
      }
    }
  }
  throw new Error(`no ${name}`)
}

export const templatesView = () => {
  describe('templates view', () => {
    afterEach(async () => {
      ;(await tree()).filtered = NO_FILTER
      await closeAll()
    })

    it('lists what can be run and what is extended, with problems', async () => {
      const lines = await drawn(await tree(), 3)
      assert.equal(lines[0], 'Templates: 3')
      assert.ok(lines.includes('  broken: 1 error'), lines.join('\n'))
      assert.ok(lines.includes('  train: local'), lines.join('\n'))
      assert.ok(lines.includes('    base.local: used by 1'), lines.join('\n'))
    })

    it('below a template stands what it extends, below a base what extends it', async () => {
      const there = await tree()
      const train = await found(there, 'train')
      assert.deepEqual(await drawn(there, 1, train), ['base.local: used by 1', 'base.logging: used by 1'])
      const local = await found(there, 'base.local')
      assert.deepEqual(await drawn(there, 2, local), ['train: local', '  sweep: local'])
    })

    it('follows what is typed and not saved', async () => {
      const there = await tree()
      const editor = await open('.aj/template/broken.yaml')
      await replace(editor, 'base.locl', 'base.local')
      await holds(async () => {
        assert.equal(there.getTreeItem(await found(there, 'broken')).description, 'local')
      })
      assert.equal(there.view.badge, undefined)
    })

    it('counts templates with errors on its badge', async () => {
      const there = await tree()
      await holds(() => {
        assert.equal(there.view.badge?.tooltip, '1 template with errors')
      })
    })

    it('filters by words and by problems', async () => {
      const there = await tree()
      there.filtered = { words: 'SEEDS local', problems: false }
      assert.deepEqual(await drawn(there, 2), ['Templates: 1', '  sweep: local'])
      assert.match(there.view.message ?? '', /1 of 5: “SEEDS local”/)
      there.filtered = { words: '', problems: true }
      assert.equal((await drawn(there, 2)).length, 2)
      await vscode.commands.executeCommand('aj.templates.clearFilter')
      assert.equal(there.view.message, '')
    })

    it('opens, and commands are about the item, not the active editor', async () => {
      const there = await tree()
      await open('.aj/template/train.yaml')
      const sweep = await found(there, 'sweep')
      await vscode.commands.executeCommand('aj.preview', sweep)
      await until(() => preview('spec')?.document.getText().includes('"template_name": "sweep"'))
      await vscode.commands.executeCommand('aj.templates.open', sweep)
      await focused(file('.aj/template/sweep.yaml'))
    })

    it('selects the template that is edited', async () => {
      const there = await tree()
      await open('.aj/template/sweep.yaml')
      await holds(() => {
        const [selected] = there.view.selection
        assert.equal(selected?.kind === 'template' && selected.template.name, 'sweep')
      })
    })

    it('makes a first template with the aj of its server', () => {
      const of = (program: string, ...given: string[]) => initOf({ program, arguments: given, from: '' })?.slice(0, 2)
      assert.deepEqual(of('/bin/aj', 'lsp'), ['/bin/aj', ['init']])
      assert.deepEqual(of('uv', 'run', 'aj', 'lsp', '--trace'), ['uv', ['run', 'aj', 'init']])
      assert.deepEqual(of('python', '-m', 'ajkit.lsp.main'), ['python', ['-m', 'ajkit.cli', 'init']])
      assert.equal(of('ssh', 'there'), undefined)
    })
  })
}
