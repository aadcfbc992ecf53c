"""A real Ray cluster of two nodes on this machine, as child processes, all of it in one folder."""

from __future__ import annotations

import contextlib
import http.client
import os
import shutil
import signal
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.daemons import wait_until
from tests.e2e.parts import bring
from tests.e2e.ports import free_ports
from tests.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

PATIENCE = 240.0
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
            "RAY_raylet_start_wait_time_s": "240",
            "RAY_agent_register_timeout_ms": "240000",
            "RAY_worker_register_timeout_seconds": "240",
            "PATH": f"{RAY.parent}:{os.environ['PATH']}",
        }
        size = [f"--num-cpus={CPUS}", f"--num-gpus={GPUS}", "--object-store-memory=100000000"]
        # Two nodes on one machine would take the same ports: the system chooses those of their processes.
        (agent,) = free_ports(1)
        size += ["--min-worker-port=0", "--max-worker-port=0", f"--dashboard-agent-listen-port={agent}"]
        with (self.root / f"{name}.log").open("ab") as log:
            self.running[name] = subprocess.Popen(
                [RAY, "start", "--block", "--node-ip-address=127.0.0.1", *arguments, *size],
                env=environ,
                stdin=subprocess.DEVNULL,
                stdout=log,
                stderr=log,
                start_new_session=True,
            )

    def start_head(self) -> None:
        """Start the head, and wait until its Jobs API answers."""
        self.start(
            "head",
            "--head",
            f"--port={self.port}",
            "--dashboard-host=127.0.0.1",
            f"--dashboard-port={self.dashboard}",
            f"--ray-client-server-port={self.client}",
            f"--temp-dir={self.root}/ray",
        )
        wait_until(self._answers, PATIENCE)

    def start_worker(self) -> None:
        """Start the other node, and wait until the head knows it."""
        self.start("worker", f"--address=127.0.0.1:{self.port}")
        wait_until(lambda: self._nodes() == 2, PATIENCE)

    def kill(self) -> None:
        """End all of it at once, as a power cut would."""
        for each in self.running.values():
            with contextlib.suppress(ProcessLookupError):
                os.killpg(each.pid, signal.SIGKILL)
        for each in self.running.values():
            each.wait()
        self.running.clear()

    def end(self) -> None:
        """Stop all of it."""
        for each in reversed(self.running.values()):
            with contextlib.suppress(ProcessLookupError):
                os.killpg(each.pid, signal.SIGTERM)
        for each in self.running.values():
            with contextlib.suppress(subprocess.TimeoutExpired):
                each.wait(20)
        self.kill()

    def _answers(self) -> bool:
        assert self.running["head"].poll() is None, (self.root / "head.log").read_text()[-2000:]
        return self._get("/api/version") is not None

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
