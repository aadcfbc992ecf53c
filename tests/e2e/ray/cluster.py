"""A real Ray cluster of two nodes on this machine, as child processes, all of it in one folder."""

from __future__ import annotations

import contextlib
import http.client
import os
import shutil
import signal
import socket
import subprocess
import tempfile
from dataclasses import dataclass, field
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.daemons import wait_until
from tests.e2e.parts import bring
from tests.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator

RAY = ROOT / ".e2e/ray/bin/ray"
CPUS, GPUS = 16, 4


@dataclass
class Cluster:
    """A cluster that runs."""

    root: Path
    port: int
    dashboard: int
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
            "PATH": f"{RAY.parent}:{os.environ['PATH']}",
        }
        size = [f"--num-cpus={CPUS}", f"--num-gpus={GPUS}", "--object-store-memory=100000000"]
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
            f"--temp-dir={self.root}/ray",
        )
        wait_until(self._answers, 120)

    def start_worker(self) -> None:
        """Start the other node, and wait until the head knows it."""
        self.start("worker", f"--address=127.0.0.1:{self.port}")
        wait_until(lambda: self._nodes() == 2, 120)

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
                each.wait(10)
        self.kill()

    def _answers(self) -> bool:
        assert self.running["head"].poll() is None, (self.root / "head.log").read_text()[-2000:]
        return self._get("/api/version") is not None

    def _nodes(self) -> int:
        return (self._get("/api/v0/nodes?limit=9") or b"").count(b'"state": "ALIVE"')

    def _get(self, path: str) -> bytes | None:
        connection = http.client.HTTPConnection("127.0.0.1", self.dashboard, timeout=5)
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
    port, dashboard = _free_ports(2)
    cluster = Cluster(root, port, dashboard)
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


def _free_ports(count: int) -> list[int]:
    probes = [socket.socket() for _ in range(count)]
    for each in probes:
        each.bind(("127.0.0.1", 0))
    ports = [each.getsockname()[1] for each in probes]
    for each in probes:
        each.close()
    return ports
