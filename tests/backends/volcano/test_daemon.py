"""Volcano jobs from `aj run` to their end, through a real daemon that may be killed at any time."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

import pytest

from ajkit.daemon import drive
from ajkit.shared.job.execution import JobState
from tests.backends.driving import Driver
from tests.backends.volcano.conftest import job_spec
from tests.backends.volcano.fakenodes import FakeNodes
from tests.daemon.driven import world
from tests.daemons import host, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.backends.volcano.conftest import Bench
    from tests.backends.volcano.fakeapi import FakeCluster
    from tests.daemon.driven import World
    from tests.daemons import Host

__all__ = ["host", "world"]

PROJECT = """
--- .aj/template/train.yaml
config:
  target: {service: volcano, queue: nlp, cpus_per_node: 1, memory: 1Gi, gpus_per_node: 8}
  environment: {image: "pytorch:2", setup: ["export GREETING=hello"]}
  jobs:
    - name: train
      instance_count: 2
      command: ./show.sh
      submit_args: {env: {TOKEN: {from_env: A_TOKEN}}}
--- show.sh
echo "$GREETING from node $NODE_RANK of $AJ_NODES, rank $RANK of $WORLD_SIZE, $MASTER_ADDR, secret ${#TOKEN}"
exit "${CODE:-0}"
"""


@pytest.fixture
def kubeconfig(cluster: FakeCluster) -> str:
    return cluster.kubeconfig()


@pytest.fixture
def driver(kubeconfig: str, host: Host, tmp_path: Path) -> Iterator[Driver]:
    config = tmp_path / "kubeconfig"
    config.write_text(kubeconfig)
    host.environ |= {"KUBECONFIG": str(config), "A_TOKEN": "s3cret"}
    found = Driver(host, tmp_path / "p")
    found.draw(PROJECT)
    (tmp_path / "p" / "show.sh").chmod(0o755)
    yield found
    host.stop()


@pytest.fixture
def nodes(cluster: FakeCluster, tmp_path: Path) -> Iterator[FakeNodes]:
    found = FakeNodes(cluster, str(tmp_path / "pods"))
    yield found
    found.close()


def test_run(driver: Driver, nodes: FakeNodes) -> None:
    done = driver.aj("run", "--sid", "a" * 10)
    assert done.returncode == 0, done.stderr
    lines = sorted(done.stdout.splitlines())
    assert len(lines) == 2
    for node, line in enumerate(lines):
        said = f"hello from node {node} of 2, rank {node} of 2, train-{'a' * 10}-worker-0.train-{'a' * 10}, secret 6"
        assert line.endswith(said)
    failed = driver.aj("run", "--sid", "b" * 10, "--env", "CODE=3")
    assert failed.returncode == 3
    assert "exited with 3" in failed.stderr


def test_a_lost_answer_and_a_killed_daemon_make_one_job(driver: Driver, cluster: FakeCluster, nodes: FakeNodes) -> None:
    sid = "c" * 10
    nodes.full = True
    cluster.faults.append(("jobs", "lost"))
    assert driver.aj("run", "--sid", sid, "--detach").returncode == 0
    wait_until(lambda: f"train-{sid}" in cluster.named("jobs"))
    nodes.full = False
    assert driver.survive(sid) == "done"
    assert list(cluster.named("jobs")) == [f"train-{sid}"]
    assert len([each for each in cluster.requests if each.startswith("POST") and each.endswith("/jobs")]) == 1


def test_an_answer_that_the_cluster_could_not_give_makes_one_job(
    world: World, bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drive, "_DOUBTS", 2)
    monkeypatch.setattr(bench.execution, "poll_seconds", 0.05)
    bench.cluster.faults.append(("jobs", 503))
    info, states = asyncio.run(world.driven_spec(bench.execution, job_spec("true")))
    assert (info.state, info.attempts) == (JobState.DONE, 2)
    assert states[:5] == ["accepted", "submitting", "unknown", "submitting", "submitted"]


def test_what_the_cluster_would_get(driver: Driver, nodes: FakeNodes) -> None:
    refused = driver.aj("run", "--set", "target.queue=gone")
    assert refused.returncode == 1
    assert "there is no queue 'gone' (target.queue); there are: default, nlp, rl" in refused.stderr
