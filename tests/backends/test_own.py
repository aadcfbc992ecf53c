"""A backend of another package, found by its entry points: the page about it, and a job that it runs."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import threading
import time
from typing import TYPE_CHECKING

import pytest

from tests.backends.driving import Driver
from tests.backends.installed import SAMPLE
from tests.daemons import host, wait_until
from tests.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.daemons import Host

__all__ = ["host"]

PROJECT = """
--- .aj/template/train.yaml
config:
  target: {service: bench, name: oscilloscope-3, rack: 2}
  jobs:
    - {instance_count: 1, command: "cat hello.txt; echo $AJ_NODES; sleep ${NAP:-0}; exit ${CODE:-0}"}
--- hello.txt
hello from the code
"""


class Machine:
    """Takes the work it finds on the bench."""

    def __init__(self, folder: Path) -> None:
        self.folder = folder
        self.on = threading.Event()
        self.off = threading.Event()
        self._thread = threading.Thread(target=self._work, daemon=True)
        self._thread.start()

    def close(self) -> None:
        self.off.set()
        self._thread.join(60)

    def _work(self) -> None:
        while not self.off.is_set():
            time.sleep(0.02)
            for job in sorted(self.folder.iterdir()) if self.on.is_set() else ():
                if job.suffix != ".new" and not (job / "started").exists():
                    self._run(job)

    def _run(self, job: Path) -> None:
        (job / "started").touch()
        with (job / "output.log").open("wb") as log:
            process = subprocess.Popen(["bash", "../run.sh"], cwd=job / "code", stdout=log, stderr=log, process_group=0)
            while process.poll() is None:
                time.sleep(0.02)
                if (job / "stop").exists():
                    os.killpg(process.pid, signal.SIGKILL)
        (job / "result.new").write_text("cancelled" if (job / "stop").exists() else str(process.wait()))
        (job / "result.new").rename(job / "result")


@pytest.fixture
def bench(tmp_path: Path) -> Iterator[Machine]:
    (tmp_path / "bench").mkdir()
    found = Machine(tmp_path / "bench")
    found.on.set()
    yield found
    found.close()


@pytest.fixture
def driver(bench: Machine, host: Host, tmp_path: Path) -> Iterator[Driver]:
    host.environ |= {"PYTHONPATH": str(SAMPLE), "BENCH_FOLDER": str(bench.folder)}
    found = Driver(host, tmp_path / "p")
    found.draw(PROJECT)
    yield found
    host.stop()


def test_the_page_holds_the_package() -> None:
    page = (ROOT / "docs/backends/your-own.md").read_text("utf-8")
    blocks = re.findall(r"^```(?:python|ini)\n(.*?)^```$", page, flags=re.MULTILINE | re.DOTALL)
    files = ("aj_bench-1.2.dist-info/entry_points.txt", "aj_bench/describe.py", "aj_bench/execute.py")
    assert blocks == [(SAMPLE / each).read_text("utf-8") for each in files]


def test_run(driver: Driver) -> None:
    done = driver.aj("run", "-p", "0")
    assert (done.returncode, done.stdout.splitlines()) == (0, ["hello from the code", "1"]), done.stderr
    assert driver.aj("run", "-p", "0", "--env", "CODE=3").returncode == 3
    refused = driver.aj("run", "-p", "0", "-n", "2")
    assert refused.returncode == 1
    assert "a job on the bench has one node: run it with -n 1" in refused.stderr


def test_a_killed_daemon_finds_its_job_again(driver: Driver, bench: Machine) -> None:
    bench.on.clear()
    assert driver.aj("run", "-p", "0", "--sid", "a" * 10, "--detach").returncode == 0
    wait_until((bench.folder / ("aj-" + "a" * 10)).exists)
    bench.on.set()
    assert driver.survive("a" * 10) == "done"
    assert len(list(bench.folder.iterdir())) == 1


def test_cancel(driver: Driver) -> None:
    assert driver.aj("run", "-p", "0", "--sid", "b" * 10, "--detach", "--env", "NAP=60").returncode == 0
    assert driver.aj("jobs", "cancel", "b" * 10).returncode == 0
    assert driver.survive("b" * 10) == "cancelled"
