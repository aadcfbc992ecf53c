// The graph: its layout, the part that is shown of a large one, and its page in the editor.
import assert from 'node:assert/strict'
import * as vscode from 'vscode'
import type { GraphAnswer } from '../../src/answers'
import { drawingOf } from '../../src/views/graph/drawing'
import type { Edge } from '../../src/views/graph/layout'
import { HEIGHT, layOut } from '../../src/views/graph/layout'
import { nearest } from '../../src/views/graph/nearest'
import type { GraphPanel } from '../../src/views/graph/panel'
import { closeAll, holds, open, until } from '../editing'

const edges = (text: string): Edge[] =>
  text.split(' ').map((each) => ({ from: each.split('>')[0] ?? '', to: each.split('>')[1] ?? '' }))

const boxes = (names: string) => Array.from(names).map((name) => ({ name, width: 50 }))

/** A home with so many templates: ten bases, each of which a tenth extends, and one that those extend. */
function large(count: number): GraphAnswer {
  const names = Array.from({ length: count }, (_, index) => `t${index}`)
  const bases = Array.from({ length: 10 }, (_, index) => `base.b${index}`)
  return {
    home: { path: '/p/.aj', uri: 'file:///p/.aj' },
    nodes: [...names, ...bases, 'base.root'].map((name) => ({
      ...{ name, uri: `file:///p/.aj/${name}.yaml`, leaf: name.startsWith('t'), service: null, errors: 0, warnings: 0 },
    })),
    edges: [
      ...names.map((from, index) => ({ from, to: `base.b${index % 10}` })),
      ...bases.map((from) => ({ from, to: 'base.root' })),
    ],
  }
}

export const graphView = () => {
  describe('graph', () => {
    afterEach(closeAll)

    it('what extends stands left of what it extends', () => {
      const { boxes: placed } = layOut(boxes('abcd'), edges('a>b b>c a>c d>c'))
      const column = Object.fromEntries(placed.map((each) => [each.name, each.column]))
      assert.deepEqual(column, { a: 0, b: 1, c: 2, d: 0 })
    })

    it('boxes keep apart, and lines go round them', () => {
      const { boxes: placed, lines } = layOut(boxes('abcdefg'), edges('a>d b>d c>e d>f e>f a>f c>g b>g f>g'))
      for (const one of placed) {
        for (const other of placed.filter((each) => each.column === one.column && each !== one)) {
          assert.ok(Math.abs(one.y - other.y) >= HEIGHT, `${one.name} and ${other.name} overlap`)
        }
        for (const { points } of lines) {
          for (const [x, y] of points.slice(1, -1)) {
            const within = x >= one.x && x <= one.x + one.width && Math.abs(y - one.y) < HEIGHT / 2
            assert.ok(!within, `a line goes through ${one.name}`)
          }
        }
      }
      assert.equal(lines.length, 9)
    })

    it('crossings that need not be are undone', () => {
      const { boxes: placed } = layOut(boxes('abxy'), edges('a>y b>x'))
      const y = Object.fromEntries(placed.map((each) => [each.name, each.y]))
      assert.equal((y.a ?? 0) < (y.b ?? 0), (y.y ?? 0) < (y.x ?? 0))
    })

    it('a circle is drawn, its closing line as such', () => {
      const { lines, boxes: placed } = layOut(boxes('abc'), edges('a>b b>c c>b c>c'))
      assert.equal(placed.length, 3)
      assert.deepEqual(
        lines.filter((each) => each.back).map((each) => `${each.from}>${each.to}`),
        ['c>b'],
      )
    })

    it('nothing is laid out as nothing', () => {
      assert.deepEqual(layOut([], []), { boxes: [], lines: [], width: 0, height: 0 })
    })

    it('of a thousand templates those near the current one come first, all of them on demand', () => {
      const graph = large(1000)
      const part = drawingOf(graph, 't42', false)
      const names = Object.keys(part.nodes)
      assert.deepEqual(names, ['t42', 'base.b2', 'base.root'])
      assert.deepEqual([part.current, part.partial, part.whole], ['t42', true, false])
      assert.equal(part.note, '3 of 1,011 templates: what has to do with t42')
      assert.equal(Object.keys(drawingOf(graph, 'base.b2', false).nodes).length, 60)
      const begun = process.cpuUsage()
      const all = drawingOf(graph, 't42', true)
      const { user } = process.cpuUsage(begun)
      assert.equal(all.layout.boxes.length, 1011)
      assert.ok(user < 3_000_000, `the layout took ${user / 1000} ms of CPU`)
    })

    it('without a template that is open it begins at the busiest', () => {
      assert.ok(drawingOf(large(200), null, false).note.endsWith('what has to do with base.b0'))
      assert.equal(drawingOf(large(50), null, false).partial, false)
    })

    it('nearest goes both ways', () => {
      assert.deepEqual([...nearest(Array.from('abcde'), edges('a>b b>c d>c e>a'), 'b', 9)], ['a', 'b', 'c', 'e'])
    })

    it('the page asks, is told, and follows the editor', async () => {
      await open('.aj/template/train.yaml')
      const panel = await vscode.commands.executeCommand<GraphPanel>('aj.graph')
      // It is told once its script has run under the page's policy.
      const drawing = await until(() => panel.drawing)
      assert.deepEqual(Object.keys(drawing.nodes).sort(), ['base.local', 'base.logging', 'broken', 'sweep', 'train'])
      assert.equal(drawing.current, 'train')
      assert.match(drawing.nodes.train?.label ?? '', /^template train, extends base.local, base.logging, used by 1/)
      await open('.aj/template/sweep.yaml')
      await holds(() => {
        assert.equal(panel.drawing?.current, 'sweep')
      })
      const tabs = vscode.window.tabGroups.all.flatMap((group) => group.tabs)
      assert.equal(tabs.filter((tab) => tab.label === 'Inheritance Graph').length, 1)
    })

    it('what is opened from it never covers it, whichever column had the focus', async () => {
      await open('.aj/template/train.yaml')
      const panel = await vscode.commands.executeCommand<GraphPanel>('aj.graph')
      await until(() => panel.drawing)
      const seen = () => vscode.window.tabGroups.all.map((group) => group.activeTab?.label)
      for (const [name, label] of [
        ['base.local', 'local.yaml'],
        ['sweep', 'sweep.yaml'],
      ] as const) {
        await panel.reveal(undefined)
        await panel.open(name)
        await holds(() => {
          assert.deepEqual(seen(), [label, 'Inheritance Graph'])
        })
      }
      await vscode.window.tabGroups.close(vscode.window.tabGroups.all[0] ?? [])
      await until(() => seen().length === 1)
      await panel.open('train')
      await holds(() => {
        assert.deepEqual(seen(), ['Inheritance Graph', 'train.yaml'])
      })
    })
  })
}
