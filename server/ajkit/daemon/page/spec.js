// A job's description, field by field, each with where it came from.

import { make } from "./view.js";

const LINES = new Set(["command", "setup", "code.ignore"]);
const WHOLE = new Set(["extra", "template", "sources"]);

/** The elements that show the description of a job: a table, and the whole as JSON. */
export function description({ spec, origins }) {
  const from = new Map(origins.map((each) => [each.field, each]));
  const rows = [...fields(spec)].map(([field, value]) => make("tr", {},
    make("th", { scope: "row" }, make("code", {}, field)),
    make("td", { "data-name": "Value" }, LINES.has(field) ? make("pre", {}, [value].flat().join("\n")) : shown(value)),
    make("td", { "data-name": "From", class: "from" }, ...origin(from.get(field)))));
  return [
    make("p", { class: "help" }, origins.length
      ? "Where each value was written, and what it went over. Secrets are masked."
      : "The client that submitted this job did not say where its values came from. Secrets are masked."),
    make("table", { class: "spec" },
      make("caption", { class: "unseen" }, "The fields of the job's description"),
      make("thead", {}, make("tr", {}, ...["Field", "Value", "From"].map((each) => make("th", { scope: "col" }, each)))),
      make("tbody", {}, ...rows)),
    make("details", {}, make("summary", {}, "As JSON"), make("pre", { class: "json", tabindex: "0" }, JSON.stringify(spec, null, 2))),
  ];
}

/** The fields that have a value, as key paths like those of the origins. */
function* fields(spec) {
  for (const [name, value] of Object.entries(spec)) {
    if (WHOLE.has(name)) {
      if (!isEmpty(value)) yield [name, value];
    } else yield* below(name, value);
  }
}

function* below(path, value) {
  if (isEmpty(value)) return;
  if (typeof value !== "object" || Array.isArray(value) || isReference(value)) yield [path, value];
  else for (const [key, each] of Object.entries(value)) yield* below(path + step(key), each);
}

const isEmpty = (value) => value === null || (typeof value === "object" && Object.keys(value).length === 0);
const isReference = (value) => "from_env" in value || "from_file" in value;
const step = (key) => (/^[A-Za-z_$][A-Za-z0-9_$-]*$/.test(key) ? `.${key}` : `[${JSON.stringify(key)}]`);

function shown(value) {
  if (typeof value === "string") return value.includes("\n") ? make("pre", {}, value) : value;
  if (Array.isArray(value) && value.every((each) => typeof each !== "object")) {
    return value.length === 1 ? String(value[0]) : make("pre", {}, value.join("\n"));
  }
  if (value.from_env) return `from the variable ${value.from_env}, where the job runs`;
  if (value.from_file) return `from the file ${value.from_file}, where the job runs`;
  return typeof value === "object" ? make("pre", {}, JSON.stringify(value, null, 2)) : String(value);
}

function origin(found) {
  if (!found) return [];
  const over = found.over.map((each) => make("li", {}, `over ${each}`));
  return [found.made, over.length ? make("ul", { class: "over" }, ...over) : null].filter(Boolean);
}
