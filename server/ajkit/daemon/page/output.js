// The output of a job as it comes: the newest lines of each process, drawn at most once a frame.

import { make } from "./view.js";

const MOST = 5000;
// Colours and movements of terminals; a carriage return begins the line anew, as it does there.
const ESCAPES = /\u001b(?:\[[0-?]*[ -/]*[@-~]|\][^\u0007\u001b]*(?:\u0007|\u001b\\)|[@-Z\\-_])/g;

export class Output {
  #lines = [];
  #open = new Map();
  #dropped = 0;
  #pending = false;
  #several;
  #choice;
  #stay;
  #names = new Set();

  constructor(several) {
    this.#several = several;
    this.text = make("pre", { class: "output", tabindex: "0", role: "log", "aria-label": "Output of the job", "aria-live": "off" });
    this.#choice = make("select", { id: "stream", onchange: () => this.#draw() }, make("option", { value: "" }, "All processes"));
    this.#stay = make("input", { id: "stay", type: "checkbox", checked: true, onchange: () => this.#draw() });
    this.controls = make("div", { class: "controls" },
      several ? make("label", { for: "stream" }, "Process ") : null, several ? this.#choice : null,
      make("label", { for: "stay", class: "check" }, this.#stay, " Stay at the end"));
    this.text.textContent = "Nothing yet.";
  }

  /** Take a piece of a log; its last line may go on in the next. */
  add(stream, text) {
    if (!this.#names.has(stream)) {
      this.#names.add(stream);
      this.#choice.append(make("option", { value: stream }, stream));
    }
    const whole = (this.#open.get(stream) || "") + text;
    const lines = whole.split("\n");
    this.#open.set(stream, lines.pop());
    for (const each of lines) this.#lines.push([stream, shown(each)]);
    if (this.#lines.length > MOST) this.#dropped += this.#lines.splice(0, this.#lines.length - MOST).length;
    this.#later();
  }

  /** Nothing more comes. */
  finish() {
    if (!this.#names.size) this.text.textContent = "It said nothing.";
  }

  #later() {
    if (this.#pending) return;
    this.#pending = true;
    requestAnimationFrame(() => {
      this.#pending = false;
      this.#draw();
    });
  }

  #draw() {
    if (!this.#names.size) return;
    const only = this.#choice.value;
    const open = [...this.#open].filter(([, text]) => text).map(([stream, text]) => [stream, shown(text)]);
    const lines = [...this.#lines, ...open].filter(([stream]) => !only || stream === only);
    const head = this.#dropped ? `(${this.#dropped} earlier lines are left out here; aj jobs logs has them)\n` : "";
    const width = Math.max(...[...this.#names].map((each) => each.length));
    const mark = (stream) => (this.#several && !only ? `${stream.padEnd(width)}  ` : "");
    const top = this.text.scrollTop;
    this.text.textContent = head + lines.map(([stream, text]) => mark(stream) + text).join("\n");
    this.text.scrollTop = this.#stay.checked ? this.text.scrollHeight : top;
  }
}

function shown(line) {
  const plain = line.replace(ESCAPES, "").replace(/\r+$/, "");
  return plain.slice(plain.lastIndexOf("\r") + 1);
}
