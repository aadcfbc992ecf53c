"""Azure ML jobs from `aj run` to their end, through a real daemon that may be killed at any time."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from ajkit.daemon import drive
from ajkit.shared.job.execution import JobState
from tests.backends.azureml.conftest import job_spec
from tests.backends.azureml.fakearm import WORKSPACE, FakeAzure
from tests.backends.driving import Driver
from tests.daemon.driven import world
from tests.daemons import host, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.backends.azureml.conftest import Bench
    from tests.daemon.driven import World
    from tests.daemons import Host

__all__ = ["host", "world"]

PROJECT = """
--- .aj/template/train.yaml
config:
  target: {service: aml, name: a100-cluster, gpus_per_node: 8}
  environment: {image: "pytorch:2", setup: ["export GREETING=hello"]}
  jobs:
    - name: train
      instance_count: 2
      sku: "{nodes}xG{processes}"
      command: ./show.sh
      submit_args: {env: {TOKEN: {from_env: A_TOKEN}}}
--- show.sh
echo "$GREETING from node $NODE_RANK of $AJ_NODES, rank $RANK of $WORLD_SIZE, $MASTER_ADDR, secret ${#TOKEN}"
exit "${CODE:-0}"
"""


@pytest.fixture
def azure(tmp_path: Path) -> Iterator[FakeAzure]:
    found = FakeAzure(str(tmp_path / "nodes"))
    yield found
    found.close()


@pytest.fixture
def driver(azure: FakeAzure, host: Host, tmp_path: Path) -> Iterator[Driver]:
    host.environ |= {**azure.environ(), "A_TOKEN": "s3cret"}
    found = Driver(host, tmp_path / "p")
    found.draw(PROJECT)
    (tmp_path / "p" / "show.sh").chmod(0o755)
    yield found
    host.stop()


def test_run(driver: Driver) -> None:
    done = driver.aj("run", "--sid", "a" * 10)
    assert done.returncode == 0, done.stderr
    lines = sorted(done.stdout.splitlines())
    assert len(lines) == 2
    for node, line in enumerate(lines):
        assert line.endswith(f"hello from node {node} of 2, rank {node} of 2, 10.0.0.4, secret 6")
    failed = driver.aj("run", "--sid", "b" * 10, "--env", "CODE=3")
    assert failed.returncode == 3
    assert "exited with status code 3" in failed.stderr


def test_a_lost_answer_and_a_killed_daemon_make_one_job(driver: Driver, azure: FakeAzure) -> None:
    sid = "c" * 10
    azure.hold = True
    azure.faults.append((f"PUT {WORKSPACE}/jobs", "lost"))
    assert driver.aj("run", "--sid", sid, "--detach").returncode == 0
    wait_until(lambda: f"train-{sid}" in azure.jobs())
    azure.hold = False
    assert driver.survive(sid) == "done"
    assert azure.jobs() == [f"train-{sid}"]
    assert len([each for each in azure.requests if each.startswith(f"PUT {WORKSPACE}/jobs")]) == 1
    assert len([each for each in azure.requests if each.startswith(f"PUT {WORKSPACE}/codes")]) == 1


def test_an_answer_that_azure_could_not_give_makes_one_job(
    world: World, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drive, "_DOUBTS", 2)
    monkeypatch.setattr(bench.aml, "poll_seconds", 0.05)
    bench.azure.faults.append((f"PUT {WORKSPACE}/jobs", 503))
    info, states = asyncio.run(world.driven_spec(bench.aml, job_spec("true")))
    assert (info.state, info.attempts) == (JobState.DONE, 2)
    assert states[:5] == ["accepted", "submitting", "unknown", "submitting", "submitted"]


def test_a_job_that_azure_does_not_show_at_once_is_not_sent_again(
    world: World, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What one reads of Azure may be behind what was written: there, the first `GET` is before the job is sent."""
    monkeypatch.setattr(drive, "_DOUBTS", 10_000)
    monkeypatch.setattr(bench.aml, "poll_seconds", 0.05)
    bench.azure.faults += [(f"PUT {WORKSPACE}/jobs", "lost"), *[(f"GET {WORKSPACE}/jobs", 404)] * 4]
    info, _ = asyncio.run(world.driven_spec(bench.aml, job_spec("true")))
    assert (info.state, info.attempts, bench.azure.faults) == (JobState.DONE, 1, [])
    assert len([each for each in bench.azure.requests if each.startswith(f"PUT {WORKSPACE}/jobs")]) == 1


def test_a_workspace_that_nobody_names_is_refused_at_once(driver: Driver, host: Host) -> None:
    del host.environ["AJ_AML_WORKSPACE"]
    refused = driver.aj("run")
    assert refused.returncode == 1
    assert "target.workspace_name is not set, and the daemon has no AJ_AML_WORKSPACE" in refused.stderr
