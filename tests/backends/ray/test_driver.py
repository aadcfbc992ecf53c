"""The driver of a job, with a Ray that is pretended by threads: placing, following, ending."""

from __future__ import annotations

import importlib
import io
import json
import os
import signal
import sys
import tarfile
import threading
from concurrent.futures import FIRST_COMPLETED, Future, ThreadPoolExecutor, wait
from functools import partial
from types import ModuleType, SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from ajkit.backends.ray import driver
from ajkit.backends.ray.node import Node
from tests.daemons import wait_gone

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


class Remote:
    """A method that runs elsewhere."""

    def __init__(self, pool: ThreadPoolExecutor, method: Any) -> None:
        self._pool, self._method = pool, method

    def remote(self, *words: Any) -> Future[Any]:
        return self._pool.submit(self._method, *words)


class Actor:
    """A node whose methods run elsewhere."""

    def __init__(self, pool: ThreadPoolExecutor, node: Node) -> None:
        for name in ("run", "read", "stop"):
            setattr(self, name, Remote(pool, getattr(node, name)))
        self.meeting = Remote(pool, lambda: node.meeting("box"))


class Ray(ModuleType):
    """As much of Ray as the driver knows."""

    def __init__(self, pool: ThreadPoolExecutor, archive: str) -> None:
        super().__init__("ray")
        self.pool, self.archive = pool, archive
        self.bundles: list[dict[str, float]] = []
        self.strategy = ""
        self.room = threading.Event()
        self.room.set()
        self.killed = 0
        self.asked: list[dict[str, Any]] = []
        self.PlacementGroupSchedulingStrategy = lambda _, **more: more

    def init(self, **_: object) -> None:
        pass

    def placement_group(self, bundles: list[dict[str, float]], strategy: str) -> Ray:
        self.bundles, self.strategy = bundles, strategy
        return self

    def ready(self) -> Future[Any]:
        return self.pool.submit(self.room.wait, 60)

    def wait(self, refs: list[Future[Any]], num_returns: int = 1, timeout: float = 1.0) -> tuple[Any, Any]:
        done, rest = wait(refs, timeout, FIRST_COMPLETED if num_returns == 1 else "ALL_COMPLETED")
        return list(done)[:num_returns], rest

    def get(self, ref: Future[Any]) -> Any:
        return ref.result(60)

    def kill(self, _: Actor) -> None:
        self.killed += 1

    def remote(self, node: type[Node]) -> Ray:
        assert node is Node
        self.made = lambda job, at: Actor(self.pool, Node(job, at, self.archive))
        return self

    def options(self, **more: Any) -> Any:
        self.asked.append(more)
        made = ModuleType("made")
        made.remote = self.made  # type: ignore[attr-defined]
        return made


def when_said(text: str, act: Callable[[], object], monkeypatch: pytest.MonkeyPatch) -> None:
    """Do something once the driver has printed a line that holds a text."""

    class Told(io.TextIOBase):
        def write(self, words: str) -> int:
            count = out.write(words)
            if text in words:
                act()
            return count

        def flush(self) -> None:
            out.flush()

    out = sys.stdout
    monkeypatch.setattr(sys, "stdout", Told())


@pytest.fixture
def ray(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Ray]:
    (tmp_path / "code.tar").touch()
    tarfile.open(tmp_path / "code.tar", "w").close()
    monkeypatch.setattr(driver, "__file__", str(tmp_path / "driver.py"))
    monkeypatch.setattr(driver, "_LISTEN_SECONDS", 0.05)
    pool = ThreadPoolExecutor(32)
    ray = Ray(pool, str(tmp_path / "code.tar"))
    modules = {"ray": ray, "ray.util": ray, "ray.util.scheduling_strategies": ray}
    real = importlib.import_module

    def imported(name: str) -> Any:
        return modules.get(name) or real(name.replace("aj_job", "ajkit.backends.ray"))

    monkeypatch.setattr(importlib, "import_module", imported)
    before = signal.getsignal(signal.SIGTERM)
    yield ray
    signal.signal(signal.SIGTERM, before)
    pool.shutdown()


def run(tmp_path: Path, script: str, **fields: Any) -> int:
    job: dict[str, Any] = {
        "nodes": 2,
        "processes": 1,
        "cpus": 0.5,
        "gpus": 0,
        "time_limit": None,
        "env": {},
        "script": script,
    }
    (tmp_path / "job.json").write_text(json.dumps(job | fields))
    return driver.main()


def test_a_job_of_two_nodes(ray: Ray, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, "echo $RANK at $MASTER_ADDR; printf end", gpus=4) == 0
    assert sorted(capsys.readouterr().out.splitlines()) == [
        "aj: all nodes have started",
        "node-0 + end",
        "node-0 | 0 at box",
        "node-1 + end",
        "node-1 | 1 at box",
    ]
    assert (ray.bundles, ray.strategy) == ([{"CPU": 0.5, "GPU": 4}] * 2, "STRICT_SPREAD")
    assert [each["num_gpus"] for each in ray.asked] == [4, 4]
    assert [each["scheduling_strategy"] for each in ray.asked] == [
        {"placement_group_bundle_index": 0},
        {"placement_group_bundle_index": 1},
    ]
    assert ray.killed == 2


def test_the_first_that_fails_ends_the_others(ray: Ray, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, "[ $RANK = 1 ] && { echo no; exit 7; }; sleep 600") == 7
    assert capsys.readouterr().out.splitlines()[1:] == ["node-1 | no", "aj: node-1 exited with 7"]


def test_a_signal_has_its_name(ray: Ray, tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert run(tmp_path, "kill -9 $$", nodes=1) == 137
    assert "aj: node-0 was ended by SIGKILL\n" in capsys.readouterr().out
    assert ray.strategy == "PACK"


def test_a_time_limit(
    ray: Ray, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    now = [0.0]
    monkeypatch.setattr(driver, "time", SimpleNamespace(monotonic=lambda: now[0]))
    when_said("node-0 | on", lambda: now.append(now.pop() + 1.5), monkeypatch)
    assert run(tmp_path, "echo on; sleep 600", nodes=1, time_limit=1) == 124
    assert capsys.readouterr().out.splitlines()[1:] == ["node-0 | on", "aj: stopped at its time limit of 1 seconds"]


def test_a_node_that_is_lost(
    ray: Ray, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def die(*_: object) -> None:
        raise RuntimeError("The actor died.\nmore")

    monkeypatch.setattr(Node, "run", die)
    assert run(tmp_path, "true", nodes=1) == driver.LOST_NODE
    assert "aj: node-0 was lost: The actor died.\n" in capsys.readouterr().out


def test_no_room(ray: Ray, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(driver, "_HINT_SECONDS", 0.0)
    ray.room.clear()
    when_said("waiting for", ray.room.set, monkeypatch)
    assert run(tmp_path, "true", gpus=1) == 0
    said = capsys.readouterr().out.splitlines()
    assert said[0] == 'aj: waiting for 2 nodes with {"CPU": 0.5, "GPU": 1} free on each'


def test_a_job_that_is_asked_to_stop(
    ray: Ray, tmp_path: Path, capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    """At the worst place: where it looks at what may be of a node that is lost, which it would pass over."""
    when_said("node-0 | ", partial(os.kill, os.getpid(), signal.SIGTERM), monkeypatch)
    assert run(tmp_path, "echo $$; sleep 600", nodes=1) == 143
    wait_gone(int(capsys.readouterr().out.splitlines()[1].removeprefix("node-0 | ")))
