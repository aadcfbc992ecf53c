// Starts a real VS Code (its server, and the workbench in Chromium) on a copy of the project, and ends it again.
import { spawn } from 'node:child_process'
import fs from 'node:fs'
import { createRequire } from 'node:module'
import net from 'node:net'
import os from 'node:os'
import path from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { fileURLToPath } from 'node:url'

const here = path.dirname(fileURLToPath(import.meta.url))
export const ROOT = path.resolve(here, '../../..')
export const EXTENSION = path.join(ROOT, 'vscode-extension')
const SERVER = path.join(ROOT, '.e2e/vscode-4.100.3/vscode/out/server-main.js')
const { chromium } = createRequire(path.join(EXTENSION, 'package.json'))('playwright-core')

const SETTINGS = {
  'workbench.startupEditor': 'none',
  'chat.disableAIFeatures': true,
  'chat.commandCenter.enabled': false,
  'telemetry.telemetryLevel': 'off',
  'extensions.autoUpdate': false,
  'extensions.autoCheckUpdates': false,
  'extensions.ignoreRecommendations': true,
  'workbench.enableExperiments': false,
  'workbench.colorTheme': 'Default Light Modern',
  'workbench.tips.enabled': false,
  'git.enabled': false,
  'files.autoSave': 'off',
  'editor.hover.delay': 100,
  'editor.accessibilitySupport': 'off',
  'window.confirmBeforeClose': 'never',
}

/** Folders of one run, all below one temporary folder. */
export function folders() {
  const top = fs.mkdtempSync(path.join(os.tmpdir(), 'aj-vscode-'))
  const made = { top }
  for (const name of ['home', 'data', 'extensions', 'server', 'run', 'state']) {
    made[name] = path.join(top, name)
    fs.mkdirSync(made[name], { mode: 0o700 })
  }
  made.project = path.join(top, 'translate')
  fs.cpSync(path.join(here, 'project'), made.project, { recursive: true })
  return made
}

/**
 * A running VS Code: `open(payload)` gives its page, `close()` ends everything.
 * `trust` turns workspace trust on (the project is then not trusted); `settings` and `machine` are added to the user's
 * and the machine's; `variables` to the environment; `arguments` to the command line.
 */
export async function launch(where, { trust = false, settings = {}, machine = {}, variables = {}, args = [] } = {}) {
  write(path.join(where.data, 'User/settings.json'), {
    ...SETTINGS,
    'security.workspace.trust.enabled': trust,
    ...settings,
  })
  write(path.join(where.data, 'Machine/settings.json'), machine)
  const environment = {
    ...process.env,
    HOME: where.home,
    XDG_RUNTIME_DIR: where.run,
    XDG_STATE_HOME: where.state,
    EXTENSIONS_GALLERY: '{"serviceUrl":""}',
    AJ_IDLE_SECONDS: '2',
    ...variables,
  }
  delete environment.AJ_HOME
  const port = await freePort()
  const log = fs.openSync(path.join(where.top, 'server.log'), 'w')
  const server = spawn(
    process.execPath,
    [
      SERVER,
      ...['--host', '127.0.0.1', '--port', String(port), '--without-connection-token'],
      ...['--accept-server-license-terms', '--telemetry-level', 'off', '--enable-smoke-test-driver'],
      ...['--server-data-dir', where.server, '--user-data-dir', where.data, '--extensions-dir', where.extensions],
      ...(trust ? [] : ['--disable-workspace-trust']),
      ...args,
    ],
    { env: environment, stdio: ['ignore', log, log], detached: true },
  )
  let browser
  const close = async () => {
    await browser?.close()
    stop(server.pid)
    await sleep(100)
    fs.rmSync(where.top, { recursive: true, force: true, maxRetries: 5 })
  }
  try {
    await answering(`http://127.0.0.1:${port}/version`)
    browser = await chromium.launch({
      executablePath: process.env.CHROMIUM ?? '/usr/bin/chromium',
      args: [
        '--no-sandbox',
        '--disable-gpu',
        '--disable-quic',
        '--no-first-run',
        '--disable-background-networking',
        '--disable-component-update',
        '--disable-sync',
        '--font-render-hinting=none',
      ],
    })
  } catch (error) {
    await close()
    throw error
  }
  const remote = (file) => `vscode-remote://127.0.0.1:${port}${file}`
  const open = async (payload, prepare = () => {}, size = { width: 1400, height: 850 }) => {
    const context = await browser.newContext({
      viewport: size,
      permissions: ['clipboard-read', 'clipboard-write'],
    })
    const page = await context.newPage()
    page.setDefaultTimeout(60_000) // a machine may be busy
    await prepare(page)
    const entries = encodeURIComponent(JSON.stringify(payload(remote)))
    await page.goto(`http://127.0.0.1:${port}/?folder=${where.project}&payload=${entries}`)
    await page.waitForSelector('.monaco-workbench')
    return page
  }
  return { open, close, environment, port }
}

/** Runs VS Code's command line, as for installing an extension. */
export function commandLine(where, args) {
  return [
    SERVER,
    '--accept-server-license-terms',
    '--server-data-dir',
    where.server,
    '--user-data-dir',
    where.data,
    '--extensions-dir',
    where.extensions,
    ...args,
  ]
}

function write(file, value) {
  fs.mkdirSync(path.dirname(file), { recursive: true })
  fs.writeFileSync(file, JSON.stringify(value))
}

async function freePort() {
  const server = net.createServer().listen(0, '127.0.0.1')
  await new Promise((resolve) => server.once('listening', resolve))
  const { port } = server.address()
  await new Promise((resolve) => server.close(resolve))
  return port
}

async function answering(url) {
  for (let tries = 0; tries < 300; tries++) {
    const there = await fetch(url).then(
      (answer) => answer.ok,
      () => false,
    )
    if (there) {
      return
    }
    await sleep(100)
  }
  throw new Error(`VS Code does not answer at ${url}`)
}

function stop(group) {
  try {
    process.kill(-group, 'SIGTERM')
  } catch {
    // it has ended by itself
  }
}
