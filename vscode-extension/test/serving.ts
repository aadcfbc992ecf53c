// The server's life in the editor: it comes back after a crash, says why when there is none, and has to fit.
import assert from 'node:assert/strict'
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import * as vscode from 'vscode'
import type { Status } from '../src/answers'
import { aj, closeAll, cursorOn, holds, open, until } from './editing'

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
      const hovers = await vscode.commands.executeCommand<vscode.Hover[]>(
        'vscode.executeHoverProvider',
        editor.document.uri,
        position,
      )
      assert.equal(hovers.length, 1, 'one server, not two')
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
