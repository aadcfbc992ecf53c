// What the tests do in the editor: open, type, wait.
import assert from 'node:assert/strict'
import * as vscode from 'vscode'
import type { Aj } from '../src/aj'

/** Milliseconds that something may take on a machine that is busy. */
export const PATIENCE = 45_000

/** The extension under test. */
export function extension(): vscode.Extension<Aj> {
  const found = vscode.extensions.getExtension<Aj>('aj.aj')
  assert.ok(found, 'the extension is not there')
  return found
}

/** What the extension hands out. */
export async function aj(): Promise<Aj> {
  return extension().activate()
}

/** The URI of a file of the project. */
export function file(name: string): vscode.Uri {
  const folder = vscode.workspace.workspaceFolders?.[0]
  assert.ok(folder)
  return vscode.Uri.joinPath(folder.uri, name)
}

/** Opens a file of the project in the first column. */
export async function open(name: string): Promise<vscode.TextEditor> {
  return vscode.window.showTextDocument(file(name), { viewColumn: vscode.ViewColumn.One, preview: false })
}

/** Waits until something is there: neither undefined nor false nor empty. */
export async function until<T>(look: () => T | PromiseLike<T>, what = look.toString()): Promise<NonNullable<T>> {
  const end = Date.now() + PATIENCE
  for (;;) {
    const found = await look()
    const empty =
      found === undefined || found === null || found === false || (Array.isArray(found) && found.length === 0)
    if (!empty) {
      return found
    }
    if (Date.now() > end) {
      throw new Error(`did not happen: ${what}`)
    }
    await new Promise((resolve) => setTimeout(resolve, 30))
  }
}

/** Waits until a check holds; what it says then is the failure. */
export async function holds(check: () => void | PromiseLike<void>): Promise<void> {
  const end = Date.now() + PATIENCE
  for (;;) {
    try {
      await check()
      return
    } catch (error) {
      if (Date.now() > end) {
        throw error
      }
      await new Promise((resolve) => setTimeout(resolve, 50))
    }
  }
}

/** Waits until a file has the focus. */
export async function focused(uri: vscode.Uri): Promise<void> {
  await holds(() => {
    assert.equal(vscode.window.activeTextEditor?.document.uri.toString(), uri.toString())
  })
}

/** Puts the cursor on the first place of a text, `into` characters from its beginning. */
export function cursorOn(editor: vscode.TextEditor, text: string, into = 0): vscode.Position {
  const offset = editor.document.getText().indexOf(text)
  assert.notEqual(offset, -1, `no ${text} in ${editor.document.uri.path}`)
  const position = editor.document.positionAt(offset + into)
  editor.selection = new vscode.Selection(position, position)
  return position
}

/** Replaces the first place of a text, as somebody who types. */
export async function replace(editor: vscode.TextEditor, old: string, text: string): Promise<void> {
  const start = editor.document.getText().indexOf(old)
  assert.notEqual(start, -1, `no ${old} in ${editor.document.uri.path}`)
  const range = new vscode.Range(editor.document.positionAt(start), editor.document.positionAt(start + old.length))
  assert.ok(
    await editor.edit((edit) => {
      edit.replace(range, text)
    }),
  )
}

/** Takes back what was typed and closes everything. */
export async function closeAll(): Promise<void> {
  for (const document of vscode.workspace.textDocuments.filter((each) => each.isDirty)) {
    await vscode.window.showTextDocument(document)
    await vscode.commands.executeCommand('workbench.action.files.revert')
  }
  await vscode.commands.executeCommand('workbench.action.closeAllEditors')
}

/** The editor that shows a preview of some kind. */
export function preview(kind: string): vscode.TextEditor | undefined {
  return vscode.window.visibleTextEditors.find(
    (each) => each.document.uri.scheme === 'aj-preview' && each.document.uri.authority === kind,
  )
}

/** Accepts the first entry of whatever picker opens, until something has happened. */
export async function acceptUntil<T>(look: () => T | PromiseLike<T>): Promise<NonNullable<T>> {
  const timer = setInterval(() => {
    void vscode.commands.executeCommand('workbench.action.acceptSelectedQuickOpenItem')
  }, 250)
  try {
    return await until(look)
  } finally {
    clearInterval(timer)
  }
}
