// How a job stands, in words, icons and colours.
import type { JobInfo } from '../../answers'
import { MarkdownString, ThemeColor, ThemeIcon } from '../../editor'
import { counted, lasting } from '../words'

const ICONS: Readonly<Record<string, readonly [string, string | undefined]>> = {
  accepted: ['clock', undefined],
  submitting: ['cloud-upload', undefined],
  submitted: ['clock', undefined],
  queued: ['clock', undefined],
  running: ['sync~spin', 'charts.blue'],
  done: ['pass', 'testing.iconPassed'],
  failed: ['error', 'list.errorForeground'],
  rejected: ['error', 'list.errorForeground'],
  lost: ['question', 'list.errorForeground'],
  cancelling: ['sync~spin', 'disabledForeground'],
  unknown: ['question', 'list.warningForeground'],
  cancelled: ['circle-slash', 'disabledForeground'],
}

export function isLive(job: JobInfo): boolean {
  return job.ended_at === null
}

/** The state as a person says it. */
export function stateOf(job: JobInfo): string {
  return isLive(job) && job.cancel_requested ? 'cancelling' : job.state
}

export function iconOf(job: JobInfo): ThemeIcon {
  const [name, colour] = ICONS[job.state] ?? ['question', undefined]
  return new ThemeIcon(name, colour === undefined ? undefined : new ThemeColor(colour))
}

/** The line beside its name: "running 3 min · slurm", "failed (exit 1) 2 h ago · local". */
export function lineOf(job: JobInfo, now: number): string {
  const exit = job.exit_code !== null && job.exit_code !== 0 ? ` (exit ${job.exit_code})` : ''
  const since = now - Date.parse(job.ended_at ?? job.changed_at)
  const time = isLive(job) ? lasting(since) : `${lasting(since)} ago`
  return `${stateOf(job)}${exit} ${time} · ${job.service}`
}

export function toldOf(job: JobInfo): MarkdownString {
  const text = new MarkdownString()
  text.appendMarkdown('**').appendText(job.name).appendMarkdown('**\n\n')
  const rows = [
    `${stateOf(job)}${job.message === '' ? '' : `: ${job.message}`}`,
    job.exit_code === null ? '' : `exit code ${job.exit_code}`,
    `template ${job.template_name}`,
    `${job.service}${job.backend_id === null ? '' : `, as ${job.backend_id}`}`,
    `${counted(job.nodes, 'node')}, ${job.processes_per_node} to launch on each`,
    job.started_at === null ? '' : ran(job.started_at, job.ended_at),
    `id ${job.id}`,
  ]
  for (const each of rows.filter((row) => row !== '')) {
    text.appendMarkdown('- ').appendText(each).appendMarkdown('\n')
  }
  return text
}

function ran(start: string, end: string | null): string {
  const began = new Date(start).toLocaleString('en', { dateStyle: 'medium', timeStyle: 'short' })
  return end === null ? `runs since ${began}` : `ran ${lasting(Date.parse(end) - Date.parse(start))} from ${began}`
}
