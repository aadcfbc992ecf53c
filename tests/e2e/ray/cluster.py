"""A real Ray cluster of two nodes on this machine, as child processes, all of it in one folder."""

from __future__ import annotations

import contextlib
import http.client
import os
import shutil
import signal
import subprocess
import tempfile
import time
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.e2e.parts import bring
from tests.e2e.ports import free_ports
from tests.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

PATIENCE = 300.0
"""Seconds that a node of Ray, which is slow to start, may take on a slow machine."""
RAY = ROOT / ".e2e/ray/bin/ray"
CPUS, GPUS = 16, 4


@dataclass
class Cluster:
    """A cluster that runs."""

    root: Path
    port: int
    dashboard: int
    client: int
    running: dict[str, subprocess.Popen[bytes]] = field(default_factory=dict)

    @property
    def address(self) -> str:
        """Where its Jobs API is."""
        return f"http://127.0.0.1:{self.dashboard}"

    def start(self, name: str, *arguments: str) -> None:
        """Start one of its nodes."""
        environ = {
            **os.environ,
            "RAY_USAGE_STATS_ENABLED": "0",
            "RAY_DISABLE_IMPORT_WARNING": "1",
            "RAY_TMPDIR": str(self.root),
            # It ends a node whose parts do not report in half a minute, and a process of a job that does not in one.
            "RAY_raylet_start_wait_time_s": "60",
            "RAY_agent_register_timeout_ms": "240000",
            "RAY_worker_register_timeout_seconds": "240",
            "PATH": f"{RAY.parent}:{os.environ['PATH']}",
        }
        size = [f"--num-cpus={CPUS}", f"--num-gpus={GPUS}", "--object-store-memory=100000000"]
        # Two nodes on one machine would take the same ports: the system chooses those of their processes.
        size += ["--min-worker-port=0", "--max-worker-port=0", f"--dashboard-agent-listen-port={free_ports(1)[0]}"]
        with (self.root / f"{name}.log").open("ab") as log:
            self.running[name] = subprocess.Popen(
                # Before others where that is allowed: Ray has limits of seconds for itself that nobody can change.
                ["nice", "-n", "-15", RAY, "start", "--block", "--node-ip-address=127.0.0.1", *arguments, *size],
                env=environ,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def start_head(self) -> None:
        """Start the head, and wait until its Jobs API answers and it knows itself: other nodes give up before that."""
        self._have(
            "head",
            lambda: self._get("/api/version") is not None and self._nodes() == 1,
            "--head",
            f"--port={self.port}",
            "--dashboard-host=127.0.0.1",
            f"--dashboard-port={self.dashboard}",
            f"--ray-client-server-port={self.client}",
            f"--temp-dir={self.root}/ray",
        )

    def start_worker(self) -> None:
        """Start the other node, and wait until the head knows it."""
        self._have("worker", lambda: self._nodes() == 2, f"--address=127.0.0.1:{self.port}")

    def kill(self, *names: str) -> None:
        """End some of its nodes, all of them by default, at once, as a power cut would."""
        ended = [self.running.pop(each) for each in names or list(self.running)]
        for each in ended:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(each.pid, signal.SIGKILL)
        for each in ended:
            each.wait()

    def end(self) -> None:
        """Stop all of it."""
        for each in reversed(self.running.values()):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(each.pid, signal.SIGTERM)
        for each in self.running.values():
            with contextlib.suppress(subprocess.TimeoutExpired):
                each.wait(20)
        self.kill()

    def _have(self, name: str, is_up: Callable[[], bool], *arguments: str) -> None:
        """Start a node and wait until it is up; anew where it gave up: it gives its own parts a quarter of a minute."""
        until = time.monotonic() + PATIENCE
        self.start(name, *arguments)
        while not is_up():
            if time.monotonic() > until:
                pytest.fail(f"no {name} of Ray in {PATIENCE:.0f} s: {(self.root / f'{name}.log').read_text()[-3000:]}")
            if self.running[name].poll() is not None:
                self.kill(name)
                self.start(name, *arguments)
            time.sleep(0.1)

    def _nodes(self) -> int:
        return (self._get("/api/v0/nodes?limit=9") or b"").count(b'"state": "ALIVE"')

    def _get(self, path: str) -> bytes | None:
        connection = http.client.HTTPConnection("127.0.0.1", self.dashboard, timeout=20)
        try:
            connection.request("GET", path)
            answer = connection.getresponse()
            return answer.read() if answer.status == 200 else None
        except OSError:
            return None
        finally:
            connection.close()


def make_cluster() -> Iterator[Cluster]:
    """A cluster that is stopped, and its folder removed, at the end."""
    if os.environ.get("CI") != "true" and not is_there():
        pytest.skip("Ray is not installed: run make setup-e2e")
    bring("ray", is_there)
    # A short path: Ray has sockets in it.
    root = Path(tempfile.mkdtemp(prefix="ajr-"))
    port, dashboard, client = free_ports(3)
    cluster = Cluster(root, port, dashboard, client)
    try:
        cluster.start_head()
        cluster.start_worker()
        yield cluster
    finally:
        cluster.end()
        shutil.rmtree(root, ignore_errors=True)


def is_there() -> bool:
    """Whether Ray is installed."""
    return (RAY.parent.parent / ".ready").exists()
