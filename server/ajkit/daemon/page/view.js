// Pieces of the page: elements made without markup, times, states, the words for those who cannot see a change.

/** An element: `make("p", {class: "x", onclick: f}, "text", child)`. Text stays text, whatever it holds. */
export function make(name, attributes = {}, ...children) {
  const element = document.createElement(name);
  for (const [key, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (key.startsWith("on")) element.addEventListener(key.slice(2), value);
    else element.setAttribute(key, value === true ? "" : value);
  }
  element.append(...children.filter((each) => each !== null && each !== undefined && each !== false));
  return element;
}

export const main = document.getElementById("main");

/** Show what stands on the page now. */
export function show(title, ...children) {
  document.title = title ? `${title} · aj` : "aj";
  main.replaceChildren(...children);
}

/** Say something to those who listen, and below the page. */
export function say(text) {
  document.getElementById("said").textContent = text;
}

const SIGNS = {
  accepted: "○", submitting: "○", submitted: "○", queued: "◔", running: "●", cancelling: "◌", unknown: "?",
  done: "✓", failed: "✗", cancelled: "–", rejected: "✗", lost: "?",
};
const ENDS = new Set(["done", "failed", "cancelled", "rejected", "lost"]);

export const hasEnded = (state) => ENDS.has(state);

/** A state as a word with a sign: colours alone would not do. */
export function badge(state) {
  return make("span", { class: `state ${state}` }, make("span", { "aria-hidden": "true" }, SIGNS[state] || ""), state);
}

/** A time in the reader's own zone; the exact one on hovering. */
export function time(at) {
  if (!at) return "–";
  const date = new Date(at);
  const today = date.toDateString() === new Date().toDateString();
  const clock = date.toLocaleTimeString([], { hour: "2-digit", minute: "2-digit", second: "2-digit" });
  const shown = today ? clock : `${date.toLocaleDateString([], { month: "short", day: "numeric" })} ${clock}`;
  return make("time", { datetime: at, title: at }, shown);
}

/** How long a job has run or ran. */
export function duration(job) {
  if (!job.started_at) return "–";
  const end = job.ended_at ? new Date(job.ended_at) : new Date();
  const seconds = Math.max(0, Math.round((end - new Date(job.started_at)) / 1000));
  const [h, m, s] = [Math.floor(seconds / 3600), Math.floor(seconds / 60) % 60, seconds % 60];
  if (h) return `${h} h ${m} min`;
  return m ? `${m} min ${s} s` : `${s} s`;
}

/** A word and how many of it. */
export const count = (number, word) => `${number} ${word}${number === 1 ? "" : "s"}`;
