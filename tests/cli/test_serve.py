"""`aj serve`: a team's daemon from the command line, its tokens, its end, and what `aj doctor` says of it."""

from __future__ import annotations

import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from ajkit.client.places import read_note
from tests.daemons import host, job_spec, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.cli.conftest import Person
    from tests.daemons import Host

__all__ = ["host"]


HELLO = """
--- .aj/template/a.yaml
config:
  target: {service: local, gpus_per_node: 0}
  jobs: [{instance_count: 1}]
"""


@pytest.fixture
def keeper(person: Person, host: Host) -> Person:
    """Who runs a daemon on a host."""
    person.environ |= host.environ
    return person


@pytest.fixture
def served(keeper: Person, host: Host) -> Iterator[str]:
    """The address of a daemon that was started by `aj serve`, in another process."""
    keeper.aj("serve", "token", "add", "first")
    command = [sys.executable, "-m", "ajkit.cli", "serve", "--log", "json"]
    log = os.path.join(host.root, "log")
    with open(log, "wb") as out:
        environ = host.environ | {"AJ_LISTEN": "127.0.0.1:0"}
        process = subprocess.Popen(command, env=environ, stdout=out, stderr=out, cwd=host.root)
    wait_until(lambda: read_note(host.state) is not None)
    note = read_note(host.state)
    assert note is not None
    yield str(note.server)
    keeper.environ.pop("AJ_SERVER", None)
    assert keeper.aj("serve", "stop").out == "stopped\n"
    assert process.wait(60) == 0
    assert keeper.aj("serve", "stop").out == "no daemon runs\n"


def test_tokens_are_made_listed_and_revoked(keeper: Person) -> None:
    assert keeper.aj("serve", "token", "list").err == "There are no tokens: aj serve token add NAME makes one.\n"
    made = keeper.aj("serve", "token", "add", "ana", "--expires", "1y")
    assert made.code == 0
    assert made.out.startswith("aj_")
    assert made.out.strip() not in made.err
    keeper.aj("serve", "token", "add", "wall", "--read-only", "--expires", "never")
    listed = keeper.aj("serve", "token", "list").out
    assert [line.split()[:2] for line in listed.splitlines()[1:]] == [["ana", "all"], ["wall", "look"]]
    assert "for ever" in listed
    found = json.loads(keeper.aj("serve", "token", "list", "--format", "json").out)
    assert [(each["name"], each["read_only"], each["expires_at"]) for each in found][1] == ("wall", True, None)
    assert made.out.strip() not in listed + str(found)
    assert keeper.aj("serve", "token", "revoke", "ana").code == 0
    again = keeper.aj("serve", "token", "revoke", "ana")
    assert (again.code, again.err) == (2, "aj: there is no token ana: aj serve token list shows them\n")


@pytest.mark.parametrize("text", ["", "soon", "0d", "3", "-1d", "1m"])
def test_times_that_are_none(keeper: Person, text: str) -> None:
    said = keeper.aj("serve", "token", "add", "ana", "--expires", text)
    assert said.code == 2
    assert "12h, 30d, 8w or 1y, or never" in said.err


def test_no_listening_without_a_token(keeper: Person, host: Host) -> None:
    command = [sys.executable, "-m", "ajkit.cli", "serve", "--listen", "127.0.0.1:0"]
    done = subprocess.run(command, env=host.environ, capture_output=True, text=True, check=False, cwd=host.root)
    assert done.returncode == 1
    assert "aj serve token add NAME makes one" in done.stderr


def test_a_client_of_the_team(keeper: Person, host: Host, served: str) -> None:
    keeper.environ |= {"AJ_SERVER": served, "AJ_TOKEN": keeper.aj("serve", "token", "add", "ana").out.strip()}
    keeper.draw(HELLO)
    said = keeper.aj("run", "echo", "for the team")
    assert (said.code, said.out) == (0, "for the team\n")
    assert "OWNER" in keeper.aj("jobs", "list").out
    assert "ana" in keeper.aj("jobs", "list", "--owner", "ana").out
    assert keeper.aj("jobs", "list", "--owner", "bo").err == "There are no such jobs.\n"
    [job] = json.loads(keeper.aj("jobs", "list", "--format", "json").out)
    assert (job["owner"], job["state"]) == ("ana", "done")
    shown = json.loads(keeper.aj("jobs", "show", job["id"], "--format", "json").out)
    origins = {each["field"]: each["made"] for each in shown["origins"]}
    assert origins["nodes"] == "jobs[0].instance_count = 1 at .aj/template/a.yaml:3"


def doctor(person: Person) -> dict[str, tuple[str, str, str]]:
    listed = json.loads(person.aj("doctor", "--format", "json").out)
    found = [each for each in listed if each["about"] == "daemon"]
    return {each["name"]: (each["standing"], each["found"], each["advice"]) for each in found}


def test_the_doctor_says_which_daemon_is_meant(keeper: Person, served: str) -> None:
    own = doctor(keeper)
    assert own["server"][1] == "the daemon of this machine (AJ_SERVER is not set)"
    assert own["for a team"][1] == served
    keeper.environ["AJ_SERVER"] = served
    bare = doctor(keeper)
    assert bare["token"][0] == "broken"
    assert "token.missing" in bare["daemon"][1]
    keeper.environ["AJ_TOKEN"] = keeper.aj("serve", "token", "add", "ana").out.strip()
    good = doctor(keeper)
    assert good["server"] == ("ok", f"{served} (named by AJ_SERVER)", "")
    assert good["daemon"][0] == "ok"
    assert keeper.environ["AJ_TOKEN"] not in str(good)


@pytest.mark.parametrize(
    ("server", "standing"), [("http://192.0.2.1:1", "warning"), ("http://localhost:1", "ok"), ("nonsense", "broken")]
)
def test_the_doctor_judges_the_address(
    keeper: Person, monkeypatch: pytest.MonkeyPatch, server: str, standing: str
) -> None:
    monkeypatch.setattr("ajkit.client.address.TIMEOUT", 0.2)
    keeper.environ |= {"AJ_SERVER": server, "AJ_TOKEN": "aj_x"}
    assert doctor(keeper)["server"][0] == standing


def test_owners_are_listed_where_there_are_any(keeper: Person, host: Host) -> None:
    host.run(job_spec("true"))
    assert "OWNER" not in keeper.aj("jobs", "list").out


def test_a_state_folder_that_is_named(keeper: Person) -> None:
    keeper.aj("serve", "token", "add", "ana", "--state", "own")
    assert "ana" in keeper.aj("serve", "--state", "own", "token", "list").out
    assert (keeper.folder / "own/tokens.json").exists()
    assert keeper.aj("serve", "token", "list").out == ""
    assert keeper.aj("serve", "--state", "own", "stop").out == "no daemon runs\n"
    said = keeper.aj("serve", "--listen", ":1", "token", "list")
    assert (said.code, said.err) == (2, "aj: of the options before `token` it takes --state alone\n")
