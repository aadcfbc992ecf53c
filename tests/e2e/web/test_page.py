"""The daemon's page in a real Chromium: nothing before a token, then jobs as they go, for all hands and eyes."""

from __future__ import annotations

import json
import os
import shutil
import struct
from typing import TYPE_CHECKING

import pytest

from ajkit.shared.contract import FieldOrigins
from tests.daemons import finish, job_spec
from tests.e2e.parts import bring
from tests.e2e.web.chromium import NAMES, Chromium, contrast_script
from tests.repository import ROOT
from tests.teams import Team, make_team

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ajkit.shared.job.spec import JobSpec

PICTURE = ROOT / "docs/images/daemon-page.png"

ORIGINS = [
    FieldOrigins(field="nodes", made="-n 2", over=["jobs[0].instance_count = 1 at .aj/template/train.yaml:9"]),
    FieldOrigins(field="env.LR", made='jobs[0].submit_args.env.LR = "3e-4" at .aj/template/train.yaml:12'),
    FieldOrigins(field="name", made='jobs[0].name = "train-vit" at .aj/project/train.yaml:4'),
    FieldOrigins(field="command", made="jobs[0].command at .aj/project/train.yaml:14", over=["a list at base.yaml:3"]),
]
EVIL = "<img src=x onerror=alert(1)><script>document.title='owned'</script>"


def program() -> str | None:
    return next((found for name in NAMES if (found := shutil.which(name))), None)


@pytest.fixture(scope="module")
def team() -> Iterator[Team]:
    yield from make_team()


@pytest.fixture(scope="module")
def jobs(team: Team) -> dict[str, JobSpec]:
    """A job that was done, one that went wrong, and one that trains on."""
    made = {
        "done": job_spec("echo ready", name="prepare-data"),
        "failed": job_spec("echo no; exit 3", name="evaluate"),
        "running": job_spec(
            'for s in $(seq 1 9999); do echo "step $s  loss 0.$((900 - s % 800))"; sleep 0.2; done',
            name="train-vit",
            template_name="train",
            nodes=2,
            env={"LR": "3e-4", "HF_TOKEN": "hf_abcdefghij0123456789"},
        ),
    }
    daemon = team.daemon()
    for each in made.values():
        daemon.submit(each, team.code, origins=ORIGINS)
    for name in ("done", "failed"):
        assert finish(daemon, made[name].sid)[0] == name
    return made


@pytest.fixture(scope="module")
def browser(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Chromium]:
    bring("web", lambda: program() is not None)
    found = program()
    assert found is not None
    made = Chromium(found, tmp_path_factory.mktemp("chromium"))
    yield made
    made.close()


@pytest.fixture
def page(browser: Chromium, team: Team) -> Iterator[Chromium]:
    """The page as somebody finds it who comes for the first time. It asks nobody else and breaks no rule of its own."""
    browser.size(1280, 900)
    browser.go(f"{team.server}/")
    browser.run("sessionStorage.clear()")
    browser.console.clear()
    browser.requests.clear()
    browser.go(f"{team.server}/?{os.urandom(4).hex()}")
    browser.see("Sign in")
    yield browser
    assert [each for each in browser.requests if not each.startswith((team.server, "data:"))] == []
    assert [each for each in browser.console if not any(code in each for code in ("401", "403", "404"))] == []


def enter(page: Chromium, text: str) -> None:
    page.wait("document.activeElement.id === 'token'")
    page.type(text)
    page.press("Enter")


def open_job(page: Chromium, team: Team, spec: JobSpec, token: str = "") -> None:
    enter(page, token or team.token)
    page.see("Accepted")
    page.run(f"location.hash = '#/job/{spec.sid}'")
    page.see("What happened")


def hear(page: Chromium, text: str) -> None:
    """Wait until the output of the job holds something, which its description may hold before."""
    page.wait(f"document.querySelector('.output').textContent.includes({json.dumps(text)})")


def test_nothing_before_a_token(page: Chromium, team: Team, jobs: dict[str, JobSpec]) -> None:
    assert "train-vit" not in page.text
    assert page.run("document.querySelectorAll('table').length") == 0
    enter(page, "aj_wrong")
    page.see("mistyped or revoked")
    assert page.run("sessionStorage.length") == 0
    page.run("document.getElementById('token').value = ''")
    enter(page, team.token)
    page.see("train-vit")
    assert team.token not in page.run("document.documentElement.outerHTML + location.href + document.cookie")
    page.run("document.getElementById('leave').click()")
    page.see("Whoever runs this daemon")
    assert "train-vit" not in page.text
    assert page.run("sessionStorage.length") == 0


def test_jobs_with_states_that_live(page: Chromium, team: Team, jobs: dict[str, JobSpec]) -> None:
    enter(page, team.token)
    page.see("prepare-data")
    for words in ("running", "done", "failed", "node-0 exited with 3", "by ana"):
        page.see(words)
    spec = team.held("true", name="one-more")
    team.daemon().submit(spec, team.code)
    page.see("one-more")
    row = "[...document.querySelectorAll('tbody tr')].find((each) => each.innerText.includes('one-more')).innerText"
    page.wait(f"{row}.includes('running')")
    team.let_go(spec)
    page.wait(f"{row}.includes('done')")
    page.run("document.getElementById('word').focus()")
    page.type("evaluate")
    page.wait("document.querySelectorAll('tbody tr').length === 1")
    page.run(
        "(() => { const c = document.getElementById('which'); c.value = 'live=true'; c.onchange; "
        "c.dispatchEvent(new Event('change')); })()"
    )
    page.see("No job is like that.")


def test_a_job_with_its_output_and_where_its_values_came_from(
    page: Chromium, team: Team, jobs: dict[str, JobSpec]
) -> None:
    open_job(page, team, jobs["running"])
    page.see("step 3 ")
    page.wait("document.querySelector('.output').innerText.includes('node-1')")
    before = len(page.run("document.querySelector('.output').textContent"))
    page.wait(f"document.querySelector('.output').textContent.length > {before}")
    for words in (
        "accepted",
        "submitted",
        "-n 2",
        "over jobs[0].instance_count = 1 at .aj/template/train.yaml:9",
        "***",
    ):
        page.see(words)
    assert "hf_abcdefghij" not in page.run("document.documentElement.textContent")
    page.run(
        "(() => { const c = document.getElementById('stream'); c.value = 'node-0'; "
        "c.dispatchEvent(new Event('change')); })()"
    )
    page.wait("!document.querySelector('.output').textContent.includes('node-1')")


def test_what_jobs_say_is_text(page: Chromium, team: Team) -> None:
    spec = job_spec(f"printf '%s\\n' {EVIL!r}; printf 'a\\rb\\033[31mred\\033[0m\\n'", name=EVIL, template_name=EVIL)
    daemon = team.daemon()
    daemon.submit(spec, team.code, origins=[FieldOrigins(field="name", made=EVIL)])
    finish(daemon, spec.sid)
    open_job(page, team, spec)
    page.see("bred")
    page.wait(f"document.body.innerText.split({json.dumps(EVIL)}).length > 3")
    assert page.run("document.querySelectorAll('img, main script').length") == 0
    assert page.run("document.title") != "owned"


def test_cancelling_with_the_keyboard_alone(page: Chromium, team: Team) -> None:
    spec = job_spec("sleep 1000", name="to-be-cancelled")
    team.daemon().submit(spec, team.code)
    open_job(page, team, spec)
    page.wait("document.querySelector('button.danger').checkVisibility()")
    for _ in range(20):
        page.press("Tab")
        if page.run("document.activeElement.textContent") == "Cancel the job":
            break
    else:
        pytest.fail(f"no tab leads to the button; the page says: {page.text}")
    page.press("Enter")
    page.see("That cannot be undone")
    page.press("Escape")
    page.wait("!document.querySelector('dialog').open")
    assert not [each for each in page.requests if each.endswith("/cancel")]
    assert not team.daemon().job(spec.sid).job.cancel_requested
    page.press("Enter")
    page.wait("document.activeElement.textContent === 'Let it run'")
    page.press("Tab")
    page.press("Enter")
    page.see("The job has ended: cancelled.")
    assert team.daemon().job(spec.sid).job.state.value == "cancelled"


def test_who_may_look_has_nothing_to_press(page: Chromium, team: Team, jobs: dict[str, JobSpec]) -> None:
    open_job(page, team, jobs["running"], team.looker)
    page.see("wall (may look)")
    hear(page, "step")
    assert not page.run("document.querySelector('.bar button.danger').checkVisibility()")


def test_a_token_that_is_revoked_ends_the_show(page: Chromium, team: Team, jobs: dict[str, JobSpec]) -> None:
    enter(page, team.tokens.add("guest"))
    page.see("train-vit")
    team.tokens.revoke("guest")
    page.see("mistyped or revoked")
    assert "train-vit" not in page.text


def test_a_job_that_is_not_there(page: Chromium, team: Team) -> None:
    enter(page, team.token)
    page.see("Jobs")
    page.run("location.hash = '#/job/nobody'")
    page.see("there is no job")


def test_for_everybodys_eyes_and_hands(page: Chromium, team: Team, jobs: dict[str, JobSpec]) -> None:
    def judge() -> None:
        for scheme in ("light", "dark"):
            page.scheme(scheme)
            assert page.run(contrast_script()) == []
        for width in (320, 1280):
            page.size(width, 900)
            assert page.run("document.documentElement.scrollWidth <= innerWidth")
        for each in page.tree():
            role, name = each["role"]["value"], each.get("name", {}).get("value", "")
            if role in {"button", "link", "textbox", "searchbox", "combobox", "checkbox", "table", "dialog", "log"}:
                assert name.strip(), each
        assert page.run("document.querySelectorAll('main, h1, [lang]').length") == 3
        ids = page.run("[...document.querySelectorAll('[id]')].map((each) => each.id)")
        assert len(ids) == len(set(ids))

    judge()
    enter(page, team.token)
    page.see("train-vit")
    judge()
    page.run(f"location.hash = '#/job/{jobs['running'].sid}'")
    hear(page, "step")
    judge()
    page.scheme("light")


def test_the_picture_of_the_manual_is_like_it(
    page: Chromium, team: Team, jobs: dict[str, JobSpec], request: pytest.FixtureRequest
) -> None:
    open_job(page, team, jobs["running"])
    page.see("step 9 ")
    page.size(1200, 1130)
    if request.config.getoption("--update-goldens", default=False):
        PICTURE.parent.mkdir(exist_ok=True)
        PICTURE.write_bytes(page.picture())
    content = PICTURE.read_bytes()
    assert struct.unpack(">II", content[16:24]) == struct.unpack(">II", page.picture()[16:24])
    assert len(content) <= 150 * 1024


def test_a_question_that_is_lost_does_not_end_the_show(page: Chromium, team: Team) -> None:
    spec = team.held("true", first="echo begun", name="asked-again")
    team.daemon().submit(spec, team.code)
    open_job(page, team, spec)
    hear(page, "begun")
    page.wait("[...document.querySelectorAll('.events .state')].some((each) => each.innerText.includes('running'))")
    page.run(
        "(() => { const ask = window.fetch; window.fetch = (path, more) => { if (!path.endsWith('masked=true')) "
        "return ask(path, more); window.fetch = ask; return Promise.reject(new TypeError('away')); }; })()"
    )
    team.let_go(spec)
    page.see("The job has ended: done.")
    page.wait("document.querySelector('.notice').hidden")


def test_what_is_asked_again_says_when_the_daemon_is_back(page: Chromium, team: Team) -> None:
    spec = job_spec("true", name="asked-once-more")
    team.daemon().submit(spec, team.code)
    open_job(page, team, spec)
    page.see("The job has ended: done.")
    page.run(
        "(async () => { window.heard = []; const { insist } = await import('/page/api.js'); const ask = window.fetch; "
        "window.fetch = () => { window.fetch = ask; return Promise.reject(new TypeError('away')); }; "
        "await insist('/v1/health', new AbortController().signal, (is) => window.heard.push(is)); "
        "window.heard.push('answered'); })()"
    )
    page.wait("window.heard?.at(-1) === 'answered'")
    assert page.run("window.heard.join()") == "true,false,answered"


def test_the_daemon_comes_back_and_the_page_goes_on(page: Chromium, team: Team) -> None:
    """Last: the address may be another's afterwards, were it not kept."""
    spec = team.held("echo part 9", first="echo part 1", name="outlives")
    team.daemon().submit(spec, team.code)
    open_job(page, team, spec)
    hear(page, "part 1")
    team.restart()
    team.let_go(spec)
    hear(page, "part 9")
    page.see("The job has ended: done.")
    assert page.run("document.querySelector('.output').textContent").count("part 1") == 1
    page.console.clear()
