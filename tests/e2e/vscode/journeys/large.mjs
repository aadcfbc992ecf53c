// A home of a thousand templates: the graph begins with those that are near.
import assert from 'node:assert/strict'

const MANY = 1000
const name = (number) => `t${String(number).padStart(4, '0')}`

export const SETUP = {
  empty: true,
  open: '.aj/template/t0042.yaml',
  files: {
    '.aj/base/root.yaml': 'config:\n  target: {service: local, gpus_per_node: 0}\n',
    ...Object.fromEntries(
      Array.from({ length: 10 }, (_, number) => [
        `.aj/base/b${number}.yaml`,
        `base: root\nconfig:\n  description: Base ${number}\n`,
      ]),
    ),
    ...Object.fromEntries(
      Array.from({ length: MANY }, (_, number) => [
        `.aj/template/${name(number)}.yaml`,
        `base: base.b${number % 10}\nconfig:\n  jobs: [{command: [echo ${number}], instance_count: 1}]\n`,
      ]),
    ),
  },
}

export function stations(page, { lens, picture, run }) {
  const graph = () => page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame')
  const node = (name) => graph().locator(`.node[data-name="${name}"]`)

  return {
    'it shows those that are near': async () => {
      await lens('Submit job').waitFor()
      await run('aj: Show Inheritance Graph')
      await node('t0042').waitFor()
      assert.equal(await graph().locator('.node').count(), 3)
      await node('base.b2').click()
      await node('t0002').waitFor()
      assert.equal(await graph().locator('.node').count(), 60)
      await picture('graph-part')
    },
    'and all of them on demand': async () => {
      await graph().locator('#whole').click()
      await node('t0999').waitFor({ state: 'attached' })
      assert.equal(await graph().locator('.node').count(), MANY + 11)
      await graph().locator('#whole').click()
      await node('t0999').waitFor({ state: 'detached' })
    },
  }
}
