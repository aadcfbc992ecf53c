// The list of jobs: newest first, filtered, kept up to date while somebody looks.

import { get } from "./api.js";
import { badge, count, duration, hasEnded, make, show, time } from "./view.js";

const PAGE = 50;
const EVERY = 2000;

/** Show the list until `signal` says that something else is shown. */
export async function showJobs(signal) {
  let wanted = "";
  let pages = 1;
  let jobs = [];
  let more = false;
  let word = "";
  let asked = 0;
  let drawn = 0;

  const summary = make("p", { class: "summary" });
  const rows = make("tbody");
  const empty = make("p", { class: "empty", hidden: true });
  const further = make("button", { type: "button", hidden: true, onclick: () => { pages += 1; refresh(); } }, "Show earlier jobs");
  const choice = make("select", { id: "which", onchange: () => { wanted = choice.value; pages = 1; refresh(); } },
    ...[["", "All"], ["live=true", "Not ended"], ["live=false", "Ended"], ["state=running", "Running"],
      ["state=failed&state=lost&state=rejected", "Gone wrong"]]
      .map(([value, text]) => make("option", { value }, text)));
  const search = make("input", {
    id: "word", type: "search", autocomplete: "off", placeholder: "name, template, service, owner",
    oninput: () => { word = search.value.trim().toLowerCase(); draw(); },
  });
  const table = make("table", { class: "jobs" },
    make("caption", { class: "unseen" }, "Jobs, newest first"),
    make("thead", {}, make("tr", {}, ...["State", "Job", "Service", "Template", "Shape", "Accepted", "Ran for"]
      .map((each) => make("th", { scope: "col" }, each)))),
    rows);

  async function read() {
    const found = [];
    let cursor = null;
    for (let page = 0; page < pages; page += 1) {
      const query = [`limit=${PAGE}`, wanted, cursor && `cursor=${cursor}`].filter(Boolean).join("&");
      const answer = await get(`/v1/jobs?${query}`, signal);
      found.push(...answer.jobs);
      cursor = answer.next;
      if (!cursor) break;
    }
    return { found, more: Boolean(cursor) };
  }

  function row(job) {
    const shape = job.nodes === 1 && job.processes_per_node === 1 ? "1 process" : `${job.nodes} × ${job.processes_per_node}`;
    const code = job.exit_code ? ` (${job.exit_code})` : "";
    return make("tr", {},
      make("td", { "data-name": "State" }, badge(job.state), code),
      make("th", { scope: "row", "data-name": "Job" },
        make("a", { href: `#/job/${job.id}` }, job.name),
        job.owner ? make("span", { class: "owner" }, ` by ${job.owner}`) : null,
        job.message && job.state !== "done" ? make("span", { class: "why" }, job.message) : null),
      make("td", { "data-name": "Service" }, job.service),
      make("td", { "data-name": "Template" }, job.template_name),
      make("td", { "data-name": "Shape" }, shape),
      make("td", { "data-name": "Accepted" }, time(job.accepted_at)),
      make("td", { "data-name": "Ran for", class: "number" }, duration(job)));
  }

  function draw() {
    const texts = (job) => [job.name, job.id, job.service, job.template_name, job.owner, job.experiment || ""];
    const shown = jobs.filter((job) => !word || texts(job).some((each) => each.toLowerCase().includes(word)));
    const focused = document.activeElement?.getAttribute?.("href");
    rows.replaceChildren(...shown.map(row));
    if (focused?.startsWith("#/job/")) rows.querySelector(`a[href="${CSS.escape(focused)}"], a[href="${focused}"]`)?.focus();
    const live = shown.filter((job) => !hasEnded(job.state)).length;
    summary.textContent = `${count(shown.length, "job")}${more ? " and more" : ""}, ${live} not ended`;
    table.hidden = shown.length === 0;
    empty.hidden = shown.length !== 0;
    empty.textContent = jobs.length || wanted ? "No job is like that." : "There are no jobs yet: aj run makes one.";
    further.hidden = !more;
  }

  async function refresh() {
    const turn = asked += 1;
    try {
      const answer = await read();
      if (turn < drawn) return; // a later question was answered before this one
      drawn = turn;
      ({ found: jobs, more } = answer);
      draw();
    } catch (error) {
      if (signal.aborted) return;
      summary.textContent = `Not up to date: ${error.message}`;
      dispatchEvent(new CustomEvent("aj:refused", { detail: error }));
    }
  }

  ({ found: jobs, more } = await read());
  show("Jobs",
    make("div", { class: "bar" },
      make("h2", {}, "Jobs"), summary,
      make("div", { class: "field" }, make("label", { for: "which" }, "Show"), choice),
      make("div", { class: "field" }, make("label", { for: "word" }, "Find"), search)),
    table, empty, further);
  draw();
  const timer = setInterval(() => document.hidden || refresh(), EVERY);
  signal.addEventListener("abort", () => clearInterval(timer));
}
