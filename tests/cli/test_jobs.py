"""Jobs that really run: `aj run` follows them and answers their code, `aj jobs` shows, follows and cancels them."""

from __future__ import annotations

import json
import os
import pty
import re
import signal
import subprocess
import sys
import time
from typing import TYPE_CHECKING

import pytest

from tests.cli.conftest import SID
from tests.daemons import shared_host, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.cli.conftest import Person
    from tests.daemons import Host

__all__ = ["shared_host"]

HELLO = """
--- .aj/template/hello.yaml
config:
  target: {service: local, gpus_per_node: 0}
  jobs: [{instance_count: 1, command: ["echo hello from $AJ_NODE_RANK"]}]
"""


@pytest.fixture
def runner(person: Person, shared_host: Host) -> Person:
    """A person with a template and a daemon."""
    person.environ |= shared_host.environ
    return person.draw(HELLO)


def drawn(number: int) -> str:
    """A sid of its own for each test: the daemon is shared."""
    return f"{number:010d}"


def test_a_job_is_followed_to_its_end(runner: Person) -> None:
    said = runner.aj("run", "--sid", drawn(1))
    assert (said.code, said.out) == (0, "hello from 0\n")
    assert said.err == f"p-{drawn(1)} on local\n"


def test_the_code_of_the_job_is_returned(runner: Person) -> None:
    said = runner.aj("run", "--sid", drawn(2), "bash", "-c", "echo last; exit 7")
    assert (said.code, said.out) == (7, "hello from 0\nlast\n")
    assert f"aj: the job {drawn(2)} failed with exit code 7" in said.err


def test_lines_of_several_nodes_are_marked(runner: Person) -> None:
    said = runner.aj("run", "--sid", drawn(3), "-n", "2")
    assert sorted(said.out.splitlines()) == ["[node-0] hello from 0", "[node-1] hello from 1"]
    processes = runner.aj("run", "--sid", drawn(4), "--ppn", "2")
    assert sorted(processes.out.splitlines()) == ["[node-0.0] hello from 0", "[node-0.1] hello from 0"]


def test_the_output_is_passed_on_as_it_is(runner: Person) -> None:
    said = runner.aj("run", "--sid", drawn(5), "--shell", r"printf '\033[31mred\033[0m 50%%\r100%%'")
    assert said.out == "hello from 0\n\x1b[31mred\x1b[0m 50%\r100%"


def test_a_detached_job_is_followed_later(runner: Person) -> None:
    said = runner.aj("run", "--sid", drawn(6), "--detach", "sh", "-c", "exit 3")
    assert (said.code, said.out) == (0, f"{drawn(6)}\n")
    followed = runner.aj("jobs", "logs", "-f", drawn(6))
    assert (followed.code, followed.out) == (3, "hello from 0\n")
    assert runner.aj("jobs", "logs", drawn(6)).out == "hello from 0\n"
    assert runner.aj("jobs", "logs", "--stream", "node-0", drawn(6)).out == "hello from 0\n"
    assert runner.aj("jobs", "logs", "--stream", "node-9", drawn(6)).code == 1


def test_jobs_are_listed_and_shown(runner: Person) -> None:
    runner.aj("run", "--sid", "zz" + drawn(7)[2:], "-e", "trial")
    listed = runner.aj("jobs", "list", "-n", "1").out.splitlines()
    assert listed[0].split() == ["ID", "NAME", "SERVICE", "NODES", "STATE", "SINCE", "(UTC)", "EXIT"]
    assert listed[1].split()[:5] == ["zz00000007", "p-zz00000007", "local", "1", "done"]
    assert runner.aj("jobs").out.splitlines()[1].split() == listed[1].split()
    (row,) = json.loads(runner.aj("jobs", "list", "-n", "1", "--format", "json").out)
    assert (row["id"], row["state"], row["exit_code"]) == ("zz00000007", "done", 0)
    shown = runner.aj("jobs", "show", "zz").out
    assert re.search(r"^experiment +trial$", shown, re.MULTILINE)
    assert next(each.split()[2] for each in shown.splitlines() if each.startswith("20")) == "accepted"
    assert runner.aj("explain", "zz00000007").out == shown
    detail = json.loads(runner.aj("jobs", "show", "zz00000007", "--format", "json").out)
    assert detail["spec"]["experiment"] == "trial"
    assert detail["events"][-1]["state"] == "done"
    assert runner.aj("jobs", "list", "--live").err == "There are no jobs that have not ended.\n"


def test_a_job_that_is_not_there_or_not_alone(runner: Person) -> None:
    runner.aj("run", "--sid", "yy00000008")
    runner.aj("run", "--sid", "yy00000009")
    missing = runner.aj("jobs", "show", "nobody")
    assert (missing.code, missing.out) == (2, "")
    assert "there is no job nobody" in missing.err
    for verb in ("show", "logs", "cancel"):
        nameless = runner.aj("jobs", verb, "")
        assert (nameless.code, nameless.out) == (2, "")
    several = runner.aj("jobs", "show", "yy")
    assert several.code == 2
    assert "write more of the id" in several.err
    assert runner.aj("jobs", "cancel", "-h").code == 0


def test_an_id_of_letters_alone_is_explained_where_it_is_no_key(runner: Person) -> None:
    runner.aj("run", "--sid", "justletter")
    assert runner.aj("explain", "justletter").out.startswith("p-justletter\n")
    assert "experiment = null" in runner.aj("explain", "experiment").out
    other = runner.aj("explain", "justlettes")
    assert other.code == 1
    assert "`justlettes` is not set in hello" in other.err


def test_a_job_is_cancelled_and_that_is_waited_for(runner: Person) -> None:
    runner.aj("run", "--sid", drawn(10), "--detach", "sleep", "600")
    said = runner.aj("jobs", "cancel", drawn(10))
    assert (said.code, said.out) == (0, f"{drawn(10)} cancelled\n")
    assert runner.aj("jobs", "cancel", drawn(10)).out == f"{drawn(10)} cancelled\n"


def test_the_same_id_twice_is_refused(runner: Person) -> None:
    runner.aj("run", "--sid", drawn(11))
    said = runner.aj("run", "--sid", drawn(11))
    assert (said.code, said.out) == (1, "")
    assert "job.exists" in said.err


def started(runner: Person, sid: str, terminal: int | None = None, line: str = "sleep 600") -> subprocess.Popen[bytes]:
    """`aj run` as a process, on a terminal or not, whose job has begun to speak."""
    run = subprocess.Popen(
        [sys.executable, "-m", "ajkit.cli", "run", "--sid", sid, "--shell", line],
        cwd=runner.folder,
        env=runner.environ,
        stdin=subprocess.DEVNULL if terminal is None else terminal,
        stdout=subprocess.PIPE,
        stderr=subprocess.PIPE if terminal is None else terminal,
        start_new_session=True,
    )
    assert run.stdout is not None
    assert run.stdout.readline() == b"hello from 0\n"
    return run


def test_without_a_terminal_an_interrupt_cancels(runner: Person) -> None:
    with started(runner, drawn(12)) as run:
        run.send_signal(signal.SIGINT)
        assert run.wait(60) == 130
        assert run.stderr is not None
        assert b"was cancelled" in run.stderr.read()
    assert json.loads(runner.aj("jobs", "show", drawn(12), "--format", "json").out)["job"]["state"] == "cancelled"


def test_a_reader_that_goes_away_leaves_the_job_and_is_told_how_to_end_it(runner: Person) -> None:
    with started(runner, drawn(18), line="while sleep 0.05; do echo more; done") as run:
        assert run.stdout is not None
        run.stdout.close()
        assert run.wait(60) == 141
        assert run.stderr is not None
        assert f"end it: aj jobs cancel {drawn(18)}\n".encode() in run.stderr.read()
    assert runner.aj("jobs", "cancel", drawn(18)).out == f"{drawn(18)} cancelled\n"


@pytest.mark.skipif(not os.path.exists("/dev/full"), reason="only Linux has a file that is always full")
def test_output_that_cannot_be_written_leaves_the_job_too(runner: Person) -> None:
    with open("/dev/full", "wb") as full:
        command = [sys.executable, "-m", "ajkit.cli", "run", "--sid", drawn(20), "sleep", "600"]
        done = subprocess.run(
            command, cwd=runner.folder, env=runner.environ, stdout=full, stderr=subprocess.PIPE, text=True, check=False
        )
    assert done.returncode == 1
    assert f"end it: aj jobs cancel {drawn(20)}\n" in done.stderr
    assert "aj: cannot write the answer: No space left on device\n" in done.stderr
    assert runner.aj("jobs", "cancel", drawn(20)).out == f"{drawn(20)} cancelled\n"


@pytest.fixture
def terminal() -> Iterator[tuple[int, int]]:
    """The two ends of a terminal: ours and the program's."""
    ends = pty.openpty()
    yield ends
    for end in ends:
        os.close(end)


def until(end: int, words: bytes) -> bytes:
    """What a terminal shows up to some words."""
    shown = b""
    limit = time.monotonic() + 60
    while words not in shown:
        assert time.monotonic() < limit, shown
        shown += os.read(end, 4096)
    return shown


@pytest.mark.parametrize(("answer", "state"), [(b"c\n", "cancelled"), (b"l\n", "running")])
def test_on_a_terminal_an_interrupt_asks(runner: Person, terminal: tuple[int, int], answer: bytes, state: str) -> None:
    ours, theirs = terminal
    sid = f"{state[:3]}0000013"
    with started(runner, sid, theirs) as run:
        run.send_signal(signal.SIGINT)
        until(ours, b"leave it running")
        os.write(ours, answer)
        assert run.wait(60) == 130

    def now() -> str:
        found: str = json.loads(runner.aj("jobs", "show", sid, "--format", "json").out)["job"]["state"]
        return found

    wait_until(lambda: now() == state)
    runner.aj("jobs", "cancel", sid)


def test_going_on_after_an_interrupt(runner: Person, terminal: tuple[int, int]) -> None:
    ours, theirs = terminal
    with started(runner, drawn(14), theirs) as run:
        run.send_signal(signal.SIGINT)
        until(ours, b"leave it running")
        os.write(ours, b"f\n")
        runner.aj("jobs", "cancel", drawn(14))
        assert run.wait(60) == 1
        assert b"was cancelled" in until(ours, b"was cancelled")


def test_a_second_interrupt_leaves_the_job_and_begins_a_line(runner: Person, terminal: tuple[int, int]) -> None:
    ours, theirs = terminal
    with started(runner, drawn(17), theirs) as run:
        run.send_signal(signal.SIGINT)
        until(ours, b"leave it running")
        run.send_signal(signal.SIGINT)
        assert b"\r\naj: the job goes on" in until(ours, b"the job goes on")
        assert run.wait(60) == 130
    runner.aj("jobs", "cancel", drawn(17))


@pytest.mark.parametrize(("kind", "sid", "moves"), [("xterm", drawn(15), True), ("dumb", drawn(19), False)])
def test_progress_is_shown_on_a_terminal_that_can(
    runner: Person, terminal: tuple[int, int], kind: str, sid: str, *, moves: bool
) -> None:
    ours, theirs = terminal
    command = [sys.executable, "-m", "ajkit.cli", "run", "--sid", sid]
    environ = {**runner.environ, "TERM": kind}
    subprocess.run(command, cwd=runner.folder, env=environ, stdout=subprocess.DEVNULL, stderr=theirs, check=True)
    shown = until(ours, b"on local")
    assert (b"packing the code" in shown) is moves
    assert (b"\r\x1b[K" in shown) is moves
    assert (b"\x1b" in shown) is moves


def test_serve_refuses_where_a_daemon_runs(runner: Person) -> None:
    runner.aj("jobs")
    done = subprocess.run(
        [sys.executable, "-m", "ajkit.cli", "serve"],
        cwd=runner.folder,
        env=runner.environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (1, "")
    assert "aj serve stop ends it" in done.stderr


def test_the_sid_is_drawn_where_none_is_given(runner: Person) -> None:
    assert runner.aj("run", "--detach").out == f"{SID}\n"
