// The server's life in the editor: it comes back after a crash, says why when there is none, and has to fit.
import assert from 'node:assert/strict'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as vscode from 'vscode'
import type { Status } from '../src/answers'
import { aj, closeAll, cursorOn, file, holds, open, preview, replace, until } from './editing'

const configured = () => vscode.workspace.getConfiguration('aj')

async function command(value: readonly string[] | undefined): Promise<void> {
  await configured().update('server.command', value, vscode.ConfigurationTarget.Workspace)
}

/** Restarts with a command that cannot do; the message of the failure. */
async function failing(value: readonly string[]): Promise<string> {
  const there = await aj()
  await command(value)
  await vscode.commands.executeCommand('aj.restart')
  const now = await until(() => (there.server.now.kind === 'failed' ? there.server.now : undefined))
  return now.message
}

/** A program that starts the server after some words of a shell, in a folder of its own, and keeps its process ids. */
class Wrapped {
  readonly folder = mkdtempSync(join(tmpdir(), 'aj-wrapped-'))
  readonly program = join(this.folder, 'aj')

  constructor(words: string) {
    const aj = `'${process.env.AJ_TEST_AJ ?? 'aj'}'`
    const lines = ['#!/bin/sh', `cd '${this.folder}'`, 'echo $$ >> started', words, `exec ${aj} lsp`]
    writeFileSync(this.program, `${lines.join('\n')}\n`, { mode: 0o755 })
  }

  /** How often it was started. */
  get started(): number {
    const list = join(this.folder, 'started')
    return existsSync(list) ? readFileSync(list, 'utf8').trim().split('\n').length : 0
  }

  /** Those of its processes that live. */
  get living(): readonly string[] {
    const list = join(this.folder, 'started')
    const all = existsSync(list) ? readFileSync(list, 'utf8').trim().split('\n') : []
    return all.filter((pid) => existsSync(`/proc/${pid}`))
  }

  remove(): void {
    rmSync(this.folder, { recursive: true })
  }
}

export const serving = () => {
  describe('server', () => {
    after(async () => {
      await command(undefined)
      await vscode.commands.executeCommand('aj.restart')
      await closeAll()
    })

    it('comes back after a crash, and knows the open buffers', async () => {
      const there = await aj()
      const editor = await open('.aj/template/broken.yaml')
      await until(() => vscode.languages.getDiagnostics(editor.document.uri))
      await until(() => there.server.now.kind === 'running')
      const first = there.server.process
      assert.ok(first?.pid)
      process.kill(first.pid, 'SIGKILL')
      await until(() => there.server.process !== first && there.server.now.kind === 'running')
      await holds(() => {
        assert.equal(vscode.languages.getDiagnostics(editor.document.uri).length, 1)
      })
      const position = cursorOn(editor, 'description')
      const hovers = await until(() =>
        vscode.commands.executeCommand<vscode.Hover[]>('vscode.executeHoverProvider', editor.document.uri, position),
      )
      assert.equal(hovers.length, 1, 'one server, not two')
    })

    it('a preview is for its request after a crash too', async () => {
      const there = await aj()
      const template = file('.aj/template/train.yaml')
      await there.requests.put(template, { nodes: 3 })
      const editor = await open('.aj/template/train.yaml')
      await vscode.commands.executeCommand('aj.preview')
      const shows = (words: RegExp) =>
        holds(() => {
          assert.match(preview('spec')?.document.getText() ?? '', words)
        })
      await shows(/"nodes": 3/)
      const first = there.server.process
      first?.kill('SIGKILL')
      await until(() => there.server.process !== first && there.server.now.kind === 'running')
      await replace(editor, 'DATA: wikitext', 'DATA: books')
      await shows(/"DATA": "books"/)
      await shows(/"nodes": 3/)
      await there.requests.put(template, {})
      await closeAll()
    })

    it('killed before it has said hello, it is started again', async () => {
      const wrapped = new Wrapped('[ -e tried ] || { touch tried; kill -9 $$; }')
      try {
        const there = await aj()
        await command([wrapped.program])
        await vscode.commands.executeCommand('aj.restart')
        assert.equal(there.server.now.kind, 'running')
        assert.equal(wrapped.started, 2)
      } finally {
        wrapped.remove()
      }
    })

    it('restarted while it starts, in the end there is one', async () => {
      const wrapped = new Wrapped('sleep 0.5')
      try {
        const there = await aj()
        await command([wrapped.program])
        const restarts = [1, 2, 3].map(async (number) => {
          await new Promise((resolve) => setTimeout(resolve, 200 * number))
          await vscode.commands.executeCommand('aj.restart')
        })
        await Promise.all(restarts)
        await until(() => there.server.now.kind === 'running')
        await until(() => wrapped.living.length === 1)
        assert.equal(wrapped.living[0], String(there.server.process?.pid))
      } finally {
        wrapped.remove()
      }
    })

    it('one that hangs in its beginning is left behind by a restart', async () => {
      const wrapped = new Wrapped('[ -e tried ] || { touch tried; exec sleep 600; }')
      try {
        const there = await aj()
        await command([wrapped.program])
        void vscode.commands.executeCommand('aj.restart')
        await until(() => wrapped.started === 1 && there.server.process !== undefined)
        await vscode.commands.executeCommand('aj.restart')
        assert.equal(there.server.now.kind, 'running')
        await until(() => wrapped.living.length === 1)
      } finally {
        wrapped.remove()
      }
    })

    it('a program that is gone when it is to be started again is said so', async () => {
      const wrapped = new Wrapped('')
      const there = await aj()
      await command([wrapped.program])
      await vscode.commands.executeCommand('aj.restart')
      await until(() => there.server.now.kind === 'running')
      wrapped.remove()
      there.server.process?.kill('SIGKILL')
      const now = await until(() => (there.server.now.kind === 'failed' ? there.server.now : undefined))
      assert.match(now.message, /does not start.*ENOENT/s)
      await command(undefined)
      await vscode.commands.executeCommand('aj.restart')
    })

    it('says its AJ_HOME', async () => {
      const status = await (await aj()).server.ask<Status>('aj.status', {})
      assert.match(status.homes[0]?.path ?? '', /translate\/\.aj$/)
    })

    it('a program that is not there', async () => {
      assert.match(await failing(['/nowhere/aj', 'lsp']), /aj\.server\.command.*ENOENT/s)
    })

    it('a program that ends at once says its last words', async () => {
      assert.match(
        await failing(['/bin/sh', '-c', 'echo no such option >&2; exit 2']),
        /does not start: no such option/,
      )
    })

    it('a server that does not fit', async () => {
      const folder = mkdtempSync(join(tmpdir(), 'aj-old-'))
      try {
        const path = join(folder, 'old.mjs')
        writeFileSync(path, OLD)
        const message = await failing([process.execPath, path])
        assert.match(message, /aj 0\.0\.1 \(aj\.server\.command\) is too old for this extension/)
      } finally {
        rmSync(folder, { recursive: true })
      }
    })

    it('no server at all: what was tried, and what to do', async () => {
      const path = process.env.PATH
      process.env.PATH = '/nowhere'
      try {
        await configured().update('server.command', [], vscode.ConfigurationTarget.Workspace)
        const message = await failing([])
        assert.match(message, /no aj on the PATH/)
        assert.match(message, /pip install ajkit/)
      } finally {
        process.env.PATH = path
      }
    })

    it('a question while there is none is answered in words', async () => {
      const there = await aj()
      await assert.rejects(there.server.ask('aj.status', {}), /aj/)
    })
  })
}

/** A language server that only says hello. */
const OLD = `
process.stdin.on('data', (data) => {
  const id = /"id":(\\d+)/.exec(data.toString())?.[1]
  if (id === undefined) return
  const body = JSON.stringify({ jsonrpc: '2.0', id: Number(id), result: { capabilities: {}, serverInfo: { name: 'aj', version: '0.0.1' } } })
  process.stdout.write('Content-Length: ' + Buffer.byteLength(body) + '\\r\\n\\r\\n' + body)
})
`
