"""What goes to a daemon over TCP: jobs, their code, output that resumes, many who follow, and a daemon that dies."""

from __future__ import annotations

import re
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING, Any

import pytest

from ajkit.client.daemon import Daemon
from ajkit.client.snapshot import pack
from ajkit.client.start import DaemonFailed
from ajkit.client.wire import DaemonRefused
from tests.daemons import finish, job_spec, wait_until
from tests.teams import Team, make_team, team

if TYPE_CHECKING:
    from collections.abc import Iterator

__all__ = ["team"]


@pytest.fixture
def lone() -> Iterator[Team]:
    """A team's daemon for one test."""
    yield from make_team()


def test_a_job_by_the_client(team: Team, tmp_path: Any) -> None:
    (tmp_path / "f.txt").write_text("from the code\n")
    state, code, texts = team.run(job_spec("cat f.txt; exit 3"), str(tmp_path))
    assert (state, code, texts) == ("failed", 3, {"node-0": "from the code\n"})


def test_following_resumes_over_tcp(team: Team) -> None:
    spec = job_spec("for n in 1 2 3 4 5 6; do echo line $n; sleep 0.05; done")
    daemon = team.daemon()
    daemon.submit(spec, team.code)
    whole = list(daemon.follow(spec.sid))
    for at in (0, len(whole) // 2, len(whole) - 1):
        rest = list(daemon.follow(spec.sid, after=whole[at].mark))
        assert _text(rest) == _text(whole[at + 1 :])
    events = team.web("GET", f"/v1/jobs/{spec.sid}/events", Last_Event_ID="2").body.decode()
    assert re.findall(r"^id: (\d+)$", events, re.MULTILINE)[0] == "3"
    assert team.web("GET", f"/v1/jobs/{spec.sid}/logs?stream=node-0", Range="bytes=5-7").body == b"1\nl"


def _text(steps: list[Any]) -> str:
    return "".join(getattr(each, "text", "") for each in steps)


def test_the_callers_folders_stay_at_home(team: Team) -> None:
    environ = team.environ | {"PATH": "/nowhere", "VIRTUAL_ENV": "/nowhere"}
    daemon = Daemon.connect(environ=environ)
    spec = job_spec("echo $PATH")
    daemon.submit(spec, team.code)
    state, _, texts = finish(daemon, spec.sid)
    assert state == "done"
    assert "/nowhere" not in texts["node-0"]


def test_keys_are_each_callers_own(team: Team) -> None:
    other = team.tokens.add("bo")
    with pack(team.code, []) as archive:
        team.daemon().upload(archive)
        bodies = [{"spec": job_spec("true").model_dump(mode="json"), "code_digest": archive.digest} for _ in range(2)]
    first = team.web("POST", "/v1/jobs", bodies[0], Idempotency_Key="one")
    second = team.web("POST", "/v1/jobs", bodies[1], Idempotency_Key="one", token=other)
    assert (first.status, second.status) == (201, 201)
    assert (first.json["owner"], second.json["owner"]) == ("ana", "bo")
    assert team.web("POST", "/v1/jobs", bodies[1], Idempotency_Key="one").json["code"] == "key.reused"
    team.tokens.revoke("bo")


def test_clients_without_the_right_token(team: Team) -> None:
    for token, code in (("", "token.missing"), ("aj_no", "token.wrong")):
        with pytest.raises(DaemonRefused) as refusal:
            Daemon.connect(environ=team.environ | {"AJ_TOKEN": token})
        assert refusal.value.code == code
    with pytest.raises(DaemonFailed, match="cannot be reached"):
        Daemon.connect(environ=team.environ | {"AJ_SERVER": "http://127.0.0.1:1"})


def test_followers_share_what_one_of_them_has_read(team: Team) -> None:
    spec = job_spec("for n in $(seq 20); do echo line $n; sleep 0.1; done")
    daemon = team.daemon()
    daemon.submit(spec, team.code)
    whole = "".join(f"line {number}\n" for number in range(1, 21))

    def follow(_: int) -> str:
        return _text(list(team.daemon().follow(spec.sid)))

    with ThreadPoolExecutor(60) as pool:
        assert list(pool.map(follow, range(60))) == [whole] * 60
    text = team.web("GET", "/metrics").body.decode()
    asked = re.search(r'aj_engine_calls_total{call="logs",outcome="answered",service="local"} (\d+)', text)
    assert asked is not None
    # Each by itself would have asked twenty times a second.
    assert int(asked[1]) < 60 * 20


def test_a_daemon_that_was_killed_is_waited_for(lone: Team) -> None:
    spec = job_spec("for n in 1 2 3 4 5 6; do echo line $n; sleep 0.4; done; exit 6")
    daemon = lone.daemon()
    daemon.submit(spec, lone.code)
    seen: list[Any] = []
    follower = threading.Thread(target=lambda: seen.extend(daemon.follow(spec.sid)))
    follower.start()
    wait_until(lambda: "line 1" in _text(seen))
    lone.restart()
    follower.join(60)
    assert _text(seen) == "".join(f"line {number}\n" for number in range(1, 7))
    assert seen[-1].event.exit_code == 6
    again = job_spec("true")
    daemon.submit(again, lone.code)
    assert finish(daemon, again.sid)[0] == "done"
