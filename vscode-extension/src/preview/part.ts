// The commands of previews, and what keeps them up to date.
import type { Part } from '../aj'
import { PREVIEW, command, languages, window } from '../editor'
import { pickRequest } from '../request/picker'
import { activeTemplate, isTemplate } from '../templates'
import { Cursor } from './cursor'
import { RequestLenses } from './lenses'
import { Previews } from './previews'

export const previewing: Part = (aj) => {
  const { requests } = aj
  const previews = new Previews(aj)
  const cursor = new Cursor(aj, previews)
  const lenses = new RequestLenses(requests)
  const opens = (id: string, kind: string) =>
    command(id, async (given) => {
      await previews.open(kind, activeTemplate(given))
    })
  return [
    cursor,
    lenses,
    languages.registerCodeLensProvider({ scheme: PREVIEW }, lenses),
    window.onDidChangeActiveTextEditor((editor) => void previews.follow(editor).catch(() => undefined)),
    aj.server.onChanged(({ kind }) => {
      if (kind === 'running') {
        void previews.handOver().catch(() => undefined)
      }
    }),
    opens('aj.preview', 'spec'),
    opens('aj.merged', 'merged'),
    opens('aj.amlt', 'amlt'),
    command('aj.request', async (given) => {
      const template = activeTemplate(given)
      const request = await pickRequest(aj, template, requests.of(template), 'Preview with these')
      if (request !== undefined) {
        await requests.put(template, request)
        await previews.redraw(template)
      }
    }),
    command('aj.revealInPreview', async () => {
      const editor = window.activeTextEditor
      if (editor === undefined || !isTemplate(editor.document)) {
        throw new Error('put the cursor on a key of a template first')
      }
      if (previews.visible().length === 0) {
        await previews.open('merged', editor.document.uri)
      }
      if (!(await cursor.reveal(editor))) {
        void window.showInformationMessage('The preview does not show what is under the cursor.')
      }
    }),
    command('aj.revealSource', async () => {
      const editor = window.activeTextEditor
      if (editor?.document.uri.scheme !== PREVIEW) {
        throw new Error('put the cursor into a preview first')
      }
      await cursor.source(editor)
    }),
  ]
}
