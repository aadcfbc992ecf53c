// Requests to the daemon: answers, refusals as exceptions, and streams of server-sent events that resume.

const KEPT = "aj.token";
const SOON = 500;
const LATEST = 15000;
const later = (pause) => Math.min(pause * 2, LATEST);
const rest = (pause) => new Promise((go) => setTimeout(go, pause));

/** What the daemon refuses: `code` is stable, `message` is for people. */
export class Refused extends Error {
  constructor(status, document) {
    super(document.detail || document.title || `The daemon answered ${status}.`);
    this.status = status;
    this.code = document.code || "";
  }
}

/** The token of this tab; it goes when the tab does. */
export const token = {
  get: () => sessionStorage.getItem(KEPT) || "",
  set: (text) => sessionStorage.setItem(KEPT, text),
  drop: () => sessionStorage.removeItem(KEPT),
};

async function ask(path, options = {}, more = {}) {
  const headers = { ...more };
  if (token.get()) headers.Authorization = `Bearer ${token.get()}`;
  const answer = await fetch(path, { cache: "no-store", credentials: "omit", headers, ...options });
  if (!answer.ok) throw new Refused(answer.status, await answer.json().catch(() => ({})));
  return answer;
}

/** The message at a path. */
export const get = async (path, signal) => (await ask(path, { signal })).json();

/** The message at a path, asked for again while the daemon is away; `lost` is told of that. */
export async function insist(path, signal, lost) {
  for (let pause = SOON; ; pause = later(pause)) {
    try {
      const found = await get(path, signal);
      lost(false);
      return found;
    } catch (error) {
      if (signal.aborted || error instanceof Refused) throw error;
    }
    lost(true);
    await rest(pause);
  }
}

/** The message that a POST without a body is answered by. */
export const post = async (path) => (await ask(path, { method: "POST" })).json();

/** The server-sent events of one connection: `{event, mark, data}`. */
async function* events(path, mark, signal) {
  const answer = await ask(path, { signal }, mark ? { "Last-Event-ID": mark } : {});
  const reader = answer.body.pipeThrough(new TextDecoderStream()).getReader();
  let text = "";
  for (;;) {
    const { value, done } = await reader.read();
    if (done) return;
    text += value;
    for (let end = text.indexOf("\n\n"); end >= 0; end = text.indexOf("\n\n")) {
      const fields = {};
      for (const line of text.slice(0, end).split("\n")) {
        const at = line.indexOf(":");
        if (at > 0) fields[line.slice(0, at)] = line.slice(at + 1).replace(/^ /, "");
      }
      text = text.slice(end + 2);
      if (fields.event) yield { event: fields.event, mark: fields.id, data: JSON.parse(fields.data) };
    }
  }
}

/** Server-sent events up to the one called `end`, resumed where the connection is lost; `lost` is told of that. */
export async function* stream(path, signal, lost) {
  let mark = "";
  let pause = SOON;
  while (!signal.aborted) {
    try {
      for await (const each of events(path, mark, signal)) {
        if (each.event === "end") return;
        ({ mark } = each);
        pause = SOON;
        lost(false);
        yield each;
      }
    } catch (error) {
      if (signal.aborted || error instanceof Refused) throw error;
    }
    lost(true);
    await rest(pause);
    pause = later(pause);
  }
}
