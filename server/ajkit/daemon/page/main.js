// The page: a token where one is needed, then the jobs or one of them, by the part of the address after `#`.

import { Refused, get, token } from "./api.js";
import { showJob } from "./job.js";
import { showJobs } from "./jobs.js";
import { main, make, say, show } from "./view.js";

const trail = document.getElementById("trail");
const leave = document.getElementById("leave");
const who = document.getElementById("who");
let current = new AbortController();

/** Show the form for the token, with the reason where there is one. */
function signIn(reason = "") {
  current.abort();
  trail.replaceChildren();
  who.textContent = "";
  leave.hidden = true;
  const input = make("input", {
    id: "token", type: "password", autocomplete: "off", spellcheck: "false", required: true,
    "aria-describedby": "token-help token-wrong",
  });
  const wrong = make("p", { id: "token-wrong", class: "wrong", role: "alert" }, reason);
  const enter = async (event) => {
    event.preventDefault();
    token.set(input.value.trim());
    wrong.textContent = "";
    try {
      await begin();
    } catch (error) {
      token.drop();
      wrong.textContent = error.message;
      input.select();
    }
  };
  show("Sign in", make("form", { class: "sign-in", onsubmit: enter },
    make("h2", {}, "Sign in"),
    make("label", { for: "token" }, "Token"),
    input,
    make("p", { id: "token-help", class: "help" },
      "Whoever runs this daemon makes one: ", make("code", {}, "aj serve token add NAME"),
      ". It is forgotten when this tab is closed."),
    wrong,
    make("button", { type: "submit", class: "chief" }, "Sign in")));
  input.focus();
}

/** Ask who we are, and show what the address says. */
async function begin() {
  const health = await get("/v1/health");
  who.textContent = health.token ? `${health.token}${health.read_only ? " (may look)" : ""}` : "";
  leave.hidden = !token.get();
  await go(health);
}

async function go(health) {
  current.abort();
  current = new AbortController();
  const { signal } = current;
  const [, kind, id] = location.hash.split("/");
  const onJob = kind === "job" && id;
  trail.replaceChildren(make("a", { href: "#/", "aria-current": onJob ? null : "page" }, "Jobs"),
    onJob ? make("span", { "aria-current": "page" }, decodeURIComponent(id)) : "");
  say("");
  try {
    if (onJob) await showJob(decodeURIComponent(id), health, signal);
    else await showJobs(signal);
  } catch (error) {
    if (signal.aborted) return;
    if (error instanceof Refused && error.status === 401) {
      token.drop();
      signIn(error.message);
    } else {
      show("", make("p", { class: "notice", role: "alert" }, error.message), make("p", {}, make("a", { href: "#/" }, "All jobs")));
    }
  }
}

/** A request in the background was refused or failed. */
addEventListener("aj:refused", ({ detail }) => {
  if (detail instanceof Refused && detail.status === 401) {
    token.drop();
    signIn(detail.message);
  }
});

addEventListener("hashchange", async () => {
  if (!token.get() && document.querySelector(".sign-in")) return;
  await begin().catch((error) => signIn(error.message));
  main.focus({ preventScroll: true });
  scrollTo(0, 0);
});

leave.addEventListener("click", () => {
  token.drop();
  signIn();
});

begin().catch((error) => signIn(token.get() ? error.message : ""));
