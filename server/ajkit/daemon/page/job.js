// One job: its facts, what happened to it, its output as it comes, and its description with where that came from.

import { get, insist, post, stream } from "./api.js";
import { Output } from "./output.js";
import { description } from "./spec.js";
import { badge, count, duration, hasEnded, make, say, show, time } from "./view.js";

/** Show a job until `signal` says that something else is shown. */
export async function showJob(id, health, signal) {
  const path = `/v1/jobs/${encodeURIComponent(id)}`;
  const detail = await get(`${path}?masked=true`, signal);
  let { job } = detail;
  const facts = make("dl", { class: "facts" });
  const state = make("span", {});
  const happened = make("ol", { class: "events" });
  const output = new Output(job.nodes * job.processes_per_node > 1);
  const notice = make("p", { class: "notice", role: "alert", hidden: true });
  const cancel = make("button", { type: "button", class: "danger" }, "Cancel the job");
  const ask = make("dialog", { "aria-labelledby": "ask-title" },
    make("form", { method: "dialog" },
      make("h2", { id: "ask-title" }, "Cancel this job?"),
      make("p", {}, `${job.name} is stopped with all its processes. That cannot be undone.`),
      make("div", { class: "choices" },
        make("button", { value: "", class: "chief" }, "Let it run"),
        make("button", { value: "yes", class: "danger" }, "Cancel the job"))));

  function draw() {
    state.replaceChildren(badge(job.state));
    cancel.hidden = hasEnded(job.state) || health.read_only;
    cancel.disabled = job.cancel_requested;
    cancel.textContent = job.cancel_requested ? "Being cancelled" : "Cancel the job";
    const rows = [
      ["Service", job.service + (job.backend_id ? ` (${job.backend_id})` : "")],
      ["Template", job.template_name],
      ["Shape", `${count(job.nodes, "node")}, ${job.processes_per_node} to launch on each`],
      ["Accepted", time(job.accepted_at)],
      ["Started", time(job.started_at)],
      ["Ended", time(job.ended_at)],
      ["Ran for", duration(job)],
      ["Exit code", job.exit_code === null ? "–" : String(job.exit_code)],
    ];
    if (job.owner) rows.splice(2, 0, ["Owner", job.owner]);
    if (job.experiment) rows.splice(2, 0, ["Experiment", job.experiment]);
    facts.replaceChildren(...rows.map(([name, value]) => make("div", {}, make("dt", {}, name), make("dd", {}, value))));
  }

  function step(event) {
    happened.append(make("li", {}, time(event.at), badge(event.state), make("span", { class: "why" }, event.message)));
  }

  function lost(is) {
    notice.hidden = !is;
    notice.textContent = is ? "The daemon is away; trying again." : "";
  }

  async function refresh() {
    ({ job } = await insist(`${path}?masked=true`, signal, lost));
    draw();
  }

  cancel.addEventListener("click", () => ask.showModal());
  ask.addEventListener("close", async () => {
    if (ask.returnValue !== "yes") return;
    try {
      job = await post(`${path}/cancel`);
      draw();
      say("The engine is asked to stop the job.");
    } catch (error) {
      notice.hidden = false;
      notice.textContent = error.message;
    }
  });

  draw();
  show(job.name,
    make("div", { class: "bar" }, make("h2", {}, job.name), state, cancel),
    notice, facts,
    make("section", { "aria-labelledby": "h-output" },
      make("div", { class: "bar" }, make("h3", { id: "h-output" }, "Output"), output.controls), output.text),
    make("section", { "aria-labelledby": "h-events" }, make("h3", { id: "h-events" }, "What happened"), happened),
    make("section", { "aria-labelledby": "h-spec" }, make("h3", { id: "h-spec" }, "Description"),
      ...description(detail)),
    ask);

  const timer = setInterval(() => hasEnded(job.state) || draw(), 1000);
  signal.addEventListener("abort", () => clearInterval(timer));
  follow().catch((error) => {
    if (signal.aborted) return;
    notice.hidden = false;
    notice.textContent = error.message;
    dispatchEvent(new CustomEvent("aj:refused", { detail: error }));
  });

  async function follow() {
    for await (const each of stream(`${path}/logs?follow=true`, signal, lost)) {
      if (each.event === "log") {
        output.add(each.data.stream, each.data.text);
      } else if (each.event === "state") {
        step(each.data);
        job = { ...job, state: each.data.state, message: each.data.message };
        draw();
        await refresh();
      }
    }
    output.finish();
    await refresh();
    say(`The job has ended: ${job.state}.`);
  }
}
