// What the tests do in the editor: open, type, wait.
import assert from 'node:assert/strict'
import * as vscode from 'vscode'
import type { Aj } from '../src/aj'

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
export async function until<T>(look: () => T | Promise<T>, what = look.toString()): Promise<NonNullable<T>> {
  const end = Date.now() + 15_000
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
