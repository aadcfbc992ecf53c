// The views as somebody uses them who looks around: templates, who extends whom, jobs.
import assert from 'node:assert/strict'

const job = (lines) => `config:\n  ${lines.join('\n  ')}\n`

export const SETUP = {
  open: '.aj/template/train.yaml',
  // What is drawn on a canvas cannot be read.
  settings: { 'terminal.integrated.gpuAcceleration': 'off' },
  files: {
    '.aj/base/cluster.yaml': job(['target: {service: slurm, queue: gpu, gpus_per_node: 8}']),
    '.aj/base/large.yaml': `base: cluster\n${job([
      'jobs: [{instance_count: 4, submit_args: {env: {NCCL_DEBUG: WARN}}}]',
    ])}`,
    '.aj/data/books.yaml': job(['jobs: [{submit_args: {env: {DATA: books}}}]']),
    '.aj/data/cached.yaml': `base: books\n${job(['environment: {setup: [mkdir -p /tmp/cache]}'])}`,
    '.aj/template/pretrain.yaml': `base: [base.large, data.cached, base.logging]\n${job([
      'description: From nothing, on four nodes',
      'jobs: [{command: [bash pretrain.sh], sku: "{nodes}xG{processes}"}]',
    ])}`,
    '.aj/template/finetune.yaml': `base: [base.cluster, data.books, base.logging]\n${job([
      'description: On from a checkpoint',
      'jobs: [{command: [bash finetune.sh], instance_count: 1, sku: "{nodes}xG{processes}"}]',
    ])}`,
    '.aj/template/evaluate.yaml': `base: [base.local, data.cached]\n${job([
      'description: Says how good it is',
      'jobs: [{command: ["for i in 1 2 3; do echo batch $i of 3; sleep 0.4; done", echo evaluated on $DATA], instance_count: 2}]',
    ])}`,
  },
}

export function stations(page, { lens, row, toast, there, press, ...tools }) {
  const { type, picture, run } = tools
  const named = (label) => page.locator(`.monaco-list-row[aria-label^="${label},"]`).first()
  const template = (name) => named(`template ${name}`)
  const graph = () => page.frameLocator('iframe.webview.ready').frameLocator('iframe#active-frame')
  const node = (name) => graph().locator(`.node[data-name="${name}"]`)
  const marked = (name) => graph().locator(`.node.current[data-name="${name}"]`).waitFor()
  const job = (state) => page.locator('.monaco-list-row[aria-label^="job "]', { hasText: state }).first()

  return {
    'the templates are listed, with what is wrong': async () => {
      await lens('Submit job').waitFor()
      await page.locator('.activitybar [aria-label^="aj"]').first().click()
      await template('pretrain').waitFor()
      await there('.monaco-list-row[aria-label^="template broken"]', '1 error')
      await template('evaluate').click()
      await there('.tab', 'evaluate.yaml')
      await template('train').click()
      await there('.tab.active', 'train.yaml')
      await template('train').locator('.monaco-tl-twistie').click()
      await named('base base.logging').waitFor()
      await page.mouse.move(900, 600)
      await picture('templates')
    },
    'a filter leaves what matches, in open folders': async () => {
      await run('aj: Filter Templates')
      await there('.quick-input-title', 'Show which templates')
      await type('slurm')
      await there('.pane-body .message', '“slurm”')
      await template('train').waitFor({ state: 'detached' })
      await named('base base.cluster').waitFor()
      await press('Enter')
      await run('aj: Show All Templates Again')
      await template('evaluate').waitFor()
    },
    'the graph marks the current template, and a click opens a file': async () => {
      await run('aj: Show Inheritance Graph')
      await node('train').waitFor()
      await marked('train')
      await node('base.cluster').click()
      await there('.tab', 'cluster.yaml')
      await marked('base.cluster')
    },
    'the graph is walked with keys': async () => {
      await node('data.books').press('ArrowLeft')
      const focused = graph().locator('.node:focus')
      const name = await focused.getAttribute('data-name')
      assert.ok(['data.cached', 'finetune'].includes(name), name)
      await node(name).press('+')
      await node(name).press('Enter')
      await marked(name)
    },
    'the graph is of the colours of the theme': async () => {
      const colour = () =>
        graph()
          .locator('body')
          .evaluate((body) => getComputedStyle(body).backgroundColor)
      await run('View: Toggle Primary Side Bar Visibility')
      await graph().locator('#fit').click()
      await page.mouse.move(640, 740)
      await picture('graph')
      const light = await colour()
      await run('Preferences: Toggle between Light/Dark Themes')
      await graph().locator('body.vscode-dark').waitFor()
      assert.notEqual(await colour(), light)
      await picture('graph-dark')
      await run('Preferences: Toggle between Light/Dark Themes')
      await graph().locator('body.vscode-light').waitFor()
      await run('View: Toggle Primary Side Bar Visibility')
    },
    'the current one is written in a colour where a theme has none for what is selected': async () => {
      // As the editor's own themes of high contrast.
      const [fill, colour] = await graph()
        .locator('.node.current text')
        .evaluate((text) => {
          for (const each of ['Background', 'Foreground']) {
            document.documentElement.style.removeProperty(`--vscode-list-activeSelection${each}`)
          }
          return [getComputedStyle(text).fill, getComputedStyle(document.body).color]
        })
      assert.equal(fill, colour)
      await run('View: Close All Editors')
    },
    'a job that is submitted from the tree shows up, and its log is followed': async () => {
      await template('evaluate').click()
      await there('.tab', 'evaluate.yaml')
      await template('evaluate').hover()
      await template('evaluate').locator('[aria-label*="Submit Job"]').first().click()
      await there('.quick-input-title', 'with which shape')
      await press('Enter')
      await row('Submit').waitFor()
      await there('.quick-input-title', '2 nodes')
      await press('Enter')
      await toast('is taken as').waitFor()
      await job('local').click()
      await there('.terminal-wrapper', /node-1\]\sevaluated\son\sbooks/)
      await there('.terminal-wrapper', /—\sdone/)
      await job('done').waitFor()
      await run('Notifications: Clear All Notifications')
      await run('View: Toggle Status Bar Visibility')
      await picture('jobs')
      await run('View: Toggle Status Bar Visibility')
    },
  }
}
