"""One node of a job as it runs in the cluster: its processes, what they say, and that none outlives it."""

from __future__ import annotations

import contextlib
import os
import queue
import signal
import subprocess
import sys
import tarfile
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from ajkit.backends.ray import node
from ajkit.backends.ray.node import Node
from tests.daemons import is_alive, wait_gone, wait_until

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


@pytest.fixture
def archive(tmp_path: Path) -> str:
    (tmp_path / "run.sh").write_text("#!/bin/sh\necho ran\n")
    (tmp_path / "run.sh").chmod(0o755)
    with tarfile.open(tmp_path / "code.tar", "w") as tar:
        tar.add(tmp_path / "run.sh", "run.sh")
    return str(tmp_path / "code.tar")


def job(script: str, **fields: Any) -> dict[str, Any]:
    return {"script": script, "processes": 1, "nodes": 2, "env": {}, **fields}


def ran(made: Node) -> tuple[tuple[str, int], dict[str, bytes]]:
    """How a node ended, and what its processes said."""
    ended = made.run("box", 7)
    texts: dict[str, bytes] = {}
    for name, data in made.read(0.0):
        texts[name] = texts.get(name, b"") + data
    return ended, texts


SAY = "echo $AJ_NODE_RANK $NODE_RANK $RANK $LOCAL_RANK $LOCAL_WORLD_SIZE $WORLD_SIZE $MASTER_ADDR $MASTER_PORT $A\n"


def test_places_and_code(archive: str) -> None:
    made = Node(job(f"{SAY}./run.sh >&2", processes=2, env={"A": "x y", "MASTER_ADDR": "mine"}), 1, archive)
    assert ran(made) == (
        ("", 0),
        {"node-1.0": b"1 1 2 0 2 4 mine 7 x y\nran\n", "node-1.1": b"1 1 3 1 2 4 mine 7 x y\nran\n"},
    )
    assert not os.path.exists(made._folder)


def test_the_first_that_fails_is_told_and_ends_the_others(archive: str) -> None:
    made = Node(job("[ $LOCAL_RANK = 1 ] && exit 7; sleep 600", processes=2), 0, archive)
    assert ran(made)[0] == ("node-0.1", 7)
    assert ran(Node(job("kill -9 $$"), 0, archive))[0] == ("node-0", 137)


def test_what_was_said_last_is_heard_however_busy_the_machine(archive: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """It is in the pipe, which somebody holds open in silence, and nobody comes to take it."""
    monkeypatch.setattr(node, "_DRAIN_SECONDS", 0.1)
    monkeypatch.setattr(Node, "_hear", late(Node._hear, 0.4))
    heard_to_the_end(archive)


def test_what_was_said_last_is_heard_though_its_reader_is_kept_from_going_on(
    archive: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What it has taken out of the pipe it has not put down yet."""
    monkeypatch.setattr(node, "_DRAIN_SECONDS", 0.1)
    monkeypatch.setattr(queue.Queue, "put", late(queue.Queue.put, 0.4))
    heard_to_the_end(archive)


def late(act: Callable[..., object], seconds: float) -> Callable[..., object]:
    """The same after some time."""

    def acted(*words: object) -> object:
        time.sleep(seconds)
        return act(*words)

    return acted


def heard_to_the_end(archive: str) -> None:
    """A process that has said something, and left another behind that holds its pipe."""
    _, texts = ran(Node(job("setsid sleep 600 & echo $!"), 0, archive))
    os.kill(int(texts["node-0"]), signal.SIGKILL)


def test_who_holds_the_pipe_and_says_nothing_is_not_waited_for(archive: str) -> None:
    made = Node(job("setsid sleep 600 & echo $!"), 0, archive)
    _, texts = ran(made)
    holder = int(texts["node-0"])
    assert is_alive(holder)
    os.kill(holder, signal.SIGKILL)


def test_where_to_meet(archive: str) -> None:
    address, port = Node(job("true"), 0, archive).meeting("10.0.0.1")
    assert address == "10.0.0.1"
    assert port > 1023


def test_stop_ends_all_and_nothing_starts_after_it(archive: str, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(node, "GRACE_SECONDS", 0.2)
    made = Node(job("trap : TERM; sleep 600 & echo $!; while :; do sleep 0.1; done"), 0, archive)
    ended: list[tuple[str, int]] = []
    running = threading.Thread(target=lambda: ended.append(made.run("box", 7)))
    running.start()
    ((_, said),) = made.read(60.0)
    made.stop()
    running.join(60)
    assert ended == [("node-0", 137)]
    wait_gone(int(said))
    late = Node(job("echo late"), 0, archive)
    late.stop()
    assert ran(late) == (("", 0), {})


def test_who_stops_it_at_the_same_time_closes_nothing_twice(archive: str, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is closed twice may be somebody else's the second time."""
    close, closed, both, two = os.close, list[int](), threading.Barrier(2), threading.Barrier(2)

    def seen(descriptor: int) -> None:
        if descriptor in watches:
            closed.append(descriptor)
            with contextlib.suppress(threading.BrokenBarrierError):
                two.wait(0.3)
        close(descriptor)

    def met(running: list[subprocess.Popen[bytes]], number: signal.Signals) -> None:
        if number is signal.SIGKILL:
            both.wait(60)

    made = Node(job("sleep 600"), 0, archive)
    process = made._start(dict(os.environ))
    assert process is not None
    watches = list(made._watches)
    os.killpg(process.pid, signal.SIGKILL)
    process.communicate()
    monkeypatch.setattr(os, "close", seen)
    monkeypatch.setattr(node, "_signal", met)
    stopping = [threading.Thread(target=made.stop) for _ in range(2)]
    for each in stopping:
        each.start()
    for each in stopping:
        each.join(60)
    assert closed == watches


HOLDER = """
import json, sys, threading
from ajkit.backends.ray.node import Node
made = Node(json.loads(sys.argv[1]), 0, sys.argv[2])
threading.Thread(target=made.run, args=("box", 7)).start()
while True:
    for name, data in made.read(1.0):
        print(data.decode(), end="", flush=True)
"""


def test_nothing_outlives_an_actor_that_is_killed(archive: str) -> None:
    import json

    words = [json.dumps(job("echo $$; sleep 600 & echo $!; wait")), archive]
    with subprocess.Popen([sys.executable, "-c", HOLDER, *words], stdout=subprocess.PIPE, text=True) as holder:
        assert holder.stdout is not None
        pids = [int(holder.stdout.readline()) for _ in range(2)]
        assert all(is_alive(each) for each in pids)
        holder.send_signal(signal.SIGKILL)
    wait_until(lambda: not any(is_alive(each) for each in pids))
