// Mocha inside the extension host: VS Code calls `run`, which rejects when a test failed.
import { appendFileSync } from 'node:fs'
import { format } from 'node:util'
import Mocha from 'mocha'
import { activation } from './activation'
import { beside } from './beside'
import { comparing } from './comparing'
import { PATIENCE } from './editing'
import { language } from './language'
import { previewing } from './previewing'
import { serving } from './serving'
import { submitting } from './submitting'
import { graphView } from './views/graph'
import { jobsView } from './views/jobs'
import { templatesView } from './views/templates'

const SUITES = [
  activation,
  language,
  beside,
  previewing,
  comparing,
  submitting,
  templatesView,
  graphView,
  jobsView,
  serving,
]

/** What the run says goes to a file: the console of the extension host is full of the editor's own words. */
const say = (...words: unknown[]) => {
  appendFileSync(process.env.AJ_REPORT ?? '/dev/null', `${format(...words)}\n`)
}

export async function run(): Promise<void> {
  const mocha = new Mocha({ ui: 'bdd', timeout: 4 * PATIENCE, reporter: 'spec', color: false, fullTrace: false })
  Mocha.reporters.Base.consoleLog = say
  const grep = process.env.AJ_TEST_GREP
  if (grep) {
    mocha.grep(grep)
  }
  mocha.suite.emit('pre-require', globalThis as unknown as Mocha.MochaGlobals, '', mocha)
  for (const suite of SUITES) {
    suite()
  }
  await new Promise<void>((resolve, reject) => {
    mocha.run((failures) => {
      if (failures > 0) {
        reject(new Error(`${failures} tests failed`))
      } else {
        resolve()
      }
    })
  })
}
