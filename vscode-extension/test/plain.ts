// The parts that know no editor, in plain Node: finding a server, making one, giving up, and what a request says.
import assert from 'node:assert/strict'
import { mkdirSync, mkdtempSync, readdirSync, rmSync, symlinkSync, utimesSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { after, describe, it } from 'mocha'
import { changed, numberFlaw, pairsFlaw, sent, spelled, split } from '../src/request/request'
import { Backoff } from '../src/server/backoff'
import type { Making } from '../src/server/environment'
import { failure, isolated, ownServer } from '../src/server/environment'
import type { Places } from '../src/server/finding'
import { NotFound, Stopped, findServer } from '../src/server/finding'
import { NEEDED, misfit } from '../src/server/handshake'
import { onPath, run } from '../src/server/processes'
import { ago, distinct, underFacts } from '../src/submit/history'

const nowhere = () => Promise.resolve(undefined)
const OWN = { program: '/own/bin/aj', arguments: ['lsp'], from: "the extension's own environment" }

function places(some: Partial<Places>): Places {
  return { configured: [], own: nowhere, onPath: nowhere, selected: nowhere, ...some }
}

describe('finding a server', () => {
  const all = {
    own: () => Promise.resolve(OWN),
    onPath: () => Promise.resolve('/usr/bin/aj'),
    selected: () => Promise.resolve('/venv/bin/python'),
  }

  it('the setting, then our own, then the PATH, then the selected Python', async () => {
    const found = async (some: Partial<Places>) => {
      const { launch } = await findServer(places(some))
      return [launch.program, ...launch.arguments].join(' ')
    }
    assert.equal(await found({ ...all, configured: ['/my/aj'] }), '/my/aj lsp')
    assert.equal(await found({ ...all, configured: ['uv', 'run', 'aj', 'lsp'] }), 'uv run aj lsp')
    assert.equal(await found(all), '/own/bin/aj lsp')
    assert.equal(await found({ ...all, own: nowhere }), '/usr/bin/aj lsp')
    assert.equal(await found({ selected: all.selected }), '/venv/bin/python -m ajkit.lsp.main')
  })

  it('our own cannot be made: the next one, and what went wrong is kept', async () => {
    const found = await findServer(places({ ...all, own: () => Promise.reject(new Error('offline')) }))
    assert.deepEqual([found.launch.program, found.troubles], ['/usr/bin/aj', ['offline']])
  })

  it('none: everything that was tried', async () => {
    const lost = findServer(places({ own: () => Promise.reject(new Error('It is offline.')) }))
    await assert.rejects(lost, (error) => {
      assert.ok(error instanceof NotFound)
      assert.match(error.message, /^It is offline\. .*no aj on the PATH.*pip install ajkit/)
      return true
    })
  })

  it('stopped by the person: nothing else is tried', async () => {
    await assert.rejects(findServer(places({ ...all, own: () => Promise.reject(new Stopped('stopped')) })), Stopped)
  })
})

describe('whether server and extension fit', () => {
  const good = { name: 'aj', version: '0.1.0', commands: NEEDED, answers: 1 }

  it('they do', () => {
    assert.equal(misfit(good, '0.1.0', 'here'), undefined)
  })

  it('another program, an old one, and answers of another version', () => {
    assert.match(misfit({ ...good, name: 'yaml' }, '0.1.0', 'here') ?? '', /not the language server of aj.*yaml/)
    assert.match(misfit({ ...good, commands: NEEDED.slice(1) }, '0.1.0', 'here') ?? '', /too old.*no aj\.bases\./)
    assert.match(misfit({ ...good, answers: 2 }, '0.1.0', 'here') ?? '', /version 2, not 1\. Update the extension/)
    assert.match(misfit({ ...good, answers: 0 }, '0.1.0', 'here') ?? '', /Update that aj/)
  })
})

describe('starting again', () => {
  it('later each time, then not any more; long ago is forgotten', () => {
    const backoff = new Backoff([0, 10, 20])
    assert.deepEqual(
      [0, 1, 2, 3].map((at) => backoff.next(at)),
      [0, 10, 20, undefined],
    )
    assert.equal(backoff.next(10 * 60_000), 0)
    assert.equal(backoff.count, 1)
    backoff.clear()
    assert.equal(backoff.count, 0)
  })
})

describe('a request', () => {
  it('is spelled like the options of aj run', () => {
    const request = { nodes: 2, processes: 0, command: "echo 'it is'", with: ['base.big'], env: ['A=1', 'B=x y'] }
    const line = "-n 2 -p 0 --with base.big --env A=1 --env 'B=x y' --shell 'echo '\\''it is'\\'''"
    assert.equal(spelled(request), line)
    assert.equal(spelled({ command: 'ls' }), '--shell ls')
    assert.equal(spelled({}), '')
  })

  it('says every member, so that no setting slips in', () => {
    const none = { nodes: null, processes: null, ppn: null, command: null, with: null, set: null, env: null }
    assert.deepEqual(sent({ nodes: 2 }), { ...none, nodes: 2 })
  })

  it('changes one by one', () => {
    assert.deepEqual(changed({ nodes: 2, ppn: 1 }, 'nodes', undefined), { ppn: 1 })
    assert.deepEqual(changed({ with: ['a'] }, 'with', []), {})
    assert.deepEqual(changed({}, 'processes', 0), { processes: 0 })
  })

  it('typed text that is none', () => {
    assert.deepEqual(
      ['', '2', ' 3 '].map((each) => numberFlaw(each, 1)),
      [undefined, undefined, undefined],
    )
    assert.match(numberFlaw('0', 1) ?? '', /at least 1/)
    assert.match(numberFlaw('two', 0) ?? '', /whole number/)
    assert.match(pairsFlaw('A=1; B') ?? '', /B is not/)
    assert.deepEqual(split(' A=1 ;; B=x y '), ['A=1', 'B=x y'])
  })
})

describe('the history', () => {
  it('says how long ago, and each kind of request once', () => {
    const minute = 60_000
    const said = [0, minute, 5 * minute, 120 * minute, 3 * 24 * 60 * minute].map((age) => ago(0, age))
    assert.deepEqual(said, ['just now', '1 minute ago', '5 minutes ago', '2 hours ago', '3 days ago'])
    const one = { request: { nodes: 1 }, text: 'x-a1 at T1', sid: 'a1', now: 'T1', job: 'a', name: 'a', at: 2 }
    assert.deepEqual(
      distinct([one, { ...one, job: 'b', at: 1 }]).map((each) => each.job),
      ['a'],
    )
    assert.equal(underFacts(one, 'b2', 'T2'), 'x-b2 at T2')
  })
})

describe('programs', () => {
  it('a run that is stopped takes its children with it', async () => {
    const stopping = new AbortController()
    const running = run('/bin/sh', ['-c', 'sleep 60 & wait'], { signal: stopping.signal })
    setTimeout(() => {
      stopping.abort()
    }, 50)
    await assert.rejects(running, /stopped/)
  })

  it('one that is stopped before it begins does not', async () => {
    const folder = mkdtempSync(join(tmpdir(), 'aj-stopped-'))
    await assert.rejects(run('/bin/sh', ['-c', 'touch begun'], { cwd: folder, signal: AbortSignal.abort() }), /stopped/)
    assert.deepEqual(readdirSync(folder), [])
    rmSync(folder, { recursive: true })
  })

  it('is looked up on the PATH, in order', async () => {
    assert.equal(await onPath('sh', { PATH: '/nowhere:/bin' }), '/bin/sh')
    assert.equal(await onPath('no-such-program', { PATH: '/bin' }), undefined)
    assert.equal(await onPath('sh', { PATH: 'bin:.' }), undefined)
  })
})

describe("the extension's own environment", () => {
  const top = mkdtempSync(join(tmpdir(), 'aj-own-'))
  const python = process.env.AJ_TEST_PYTHON ?? ''
  const wheel = process.env.AJ_TEST_WHEEL ?? ''

  after(function () {
    this.timeout(90_000)
    rmSync(top, { recursive: true, force: true })
  })

  /** A PATH with nothing but some programs of this machine. */
  function path(name: string, programs: Readonly<Record<string, string>>): string {
    const folder = join(top, name)
    mkdirSync(folder)
    for (const [as, target] of Object.entries(programs)) {
      symlinkSync(target, join(folder, as))
    }
    return folder
  }

  function making(name: string, environment: NodeJS.ProcessEnv, wheels = dirname(wheel)): Making & { said: string[] } {
    const said: string[] = []
    const say = (words: string) => {
      said.push(words)
    }
    const storage = join(top, name, 'storage')
    return { wheels, storage, environment, signal: new AbortController().signal, report: say, log: say, said }
  }

  it('there is none without a wheel', async () => {
    const empty = join(top, 'empty')
    mkdirSync(empty)
    assert.equal(await ownServer(making('none', process.env, empty)), undefined)
  })

  it('made once from the wheel, apart from the project', async () => {
    const environment = {
      ...process.env,
      PYTHONPATH: '/nowhere',
      PIP_CONSTRAINT: '/nowhere',
      VIRTUAL_ENV: '/nowhere',
      PIP_NO_COMPILE: '1',
    }
    const order = making('made', environment)
    for (const [name, days] of [
      ['server-old', 40],
      ['server-before', 4],
    ] as const) {
      const ready = join(order.storage, name, 'ready')
      const used = new Date(Date.now() - days * 24 * 60 * 60_000)
      mkdirSync(dirname(ready), { recursive: true })
      writeFileSync(ready, '')
      utimesSync(ready, used, used)
    }
    const [one, two] = await Promise.all([ownServer(order), ownServer(order)])
    assert.ok(one)
    assert.deepEqual(one.program, two?.program)
    const version = await run(one.program, ['--version'], { environment: one.environment ?? {} })
    assert.match(version.output, /\d+\.\d+\.\d+/)
    const said = order.said.length
    await ownServer(order)
    assert.equal(order.said.length, said, 'the second time it is there')
    const kept = readdirSync(order.storage).filter((each) => one.program.startsWith(join(order.storage, each)))
    assert.deepEqual(readdirSync(order.storage).sort(), [...kept, 'server-before'].sort(), 'others by their last use')
  }).timeout(300_000)

  it('offline: said in words, and nothing is left behind', async () => {
    const PATH = path('offline', { python3: python })
    const order = making('off', { ...process.env, PATH, PIP_INDEX_URL: 'http://127.0.0.1:9', PIP_NO_CACHE_DIR: '1' })
    await assert.rejects(ownServer(order), /cannot be fetched \(python\): is this machine offline\?/)
    assert.deepEqual(readdirSync(order.storage), [])
  }).timeout(120_000)

  it('stopped by the person', async () => {
    const stopping = new AbortController()
    const order = {
      ...making('stopped', { ...process.env, PATH: path('slow', { python3: python }) }),
      signal: stopping.signal,
    }
    const made = ownServer(order)
    setTimeout(() => {
      stopping.abort()
    }, 400)
    await assert.rejects(made, Stopped)
  }).timeout(90_000)

  it('no Python that is new enough', async () => {
    const old = join(top, 'python3')
    writeFileSync(old, '#!/bin/sh\nexit 1\n', { mode: 0o755 })
    const order = making('old', { PATH: path('old-python', { python3: old }) })
    await assert.rejects(ownServer(order), /Neither uv nor a Python from 3\.11 on/)
  })

  it('what pip says in other cases', () => {
    assert.match(failure('/usr/bin/python3', 'ensurepip is not available'), /apt install python3-venv/)
    assert.match(failure('/x/pip', 'a\nb\nno space left on device'), /pip says: a b no space left on device$/)
    assert.deepEqual(isolated({ PYTHONPATH: '1', PIP_INDEX_URL: '2', PATH: '3' }), { PIP_INDEX_URL: '2', PATH: '3' })
  })
})
