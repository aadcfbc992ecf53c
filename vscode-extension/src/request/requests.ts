// The request that each template was last previewed with; the settings are where one begins.
import type { Event, Memento, Uri } from '../editor'
import { EventEmitter, setting } from '../editor'
import type { Request } from './request'
import { changed } from './request'

export class Requests {
  private readonly moved = new EventEmitter<Uri>()

  /** Fires when the request of a template is another one. */
  readonly onChanged: Event<Uri> = this.moved.event

  constructor(private readonly kept: Memento) {}

  of(template: Uri): Request {
    return this.kept.get<Request>(key(template)) ?? usual()
  }

  async put(template: Uri, request: Request): Promise<void> {
    await this.kept.update(key(template), request)
    this.moved.fire(template)
  }
}

const key = (template: Uri) => `request ${template.toString()}`

function usual(): Request {
  let request: Request = {}
  for (const field of ['nodes', 'processes', 'ppn'] as const) {
    request = changed(request, field, setting<number | null>(`preview.${field}`, null) ?? undefined)
  }
  request = changed(request, 'command', setting('preview.command', ''))
  return changed(request, 'with', setting<readonly string[]>('preview.with', []))
}
