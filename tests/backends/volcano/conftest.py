"""A fake cluster that runs pods here, and jobs to give it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from ajkit.backends.volcano.execute import VolcanoExecution
from tests.backends import workbench
from tests.backends.volcano.fakeapi import FakeCluster
from tests.backends.volcano.fakenodes import FakeNodes

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ajkit.shared.job.spec import JobSpec


def example(name: str) -> JobSpec:
    """A JobSpec of the examples beside the description."""
    return workbench.example("volcano", name)


def job_spec(command: str, *, options: dict[str, Any] | None = None, **fields: Any) -> JobSpec:
    """A small job of the service."""
    options = {"cpus_per_node": "1", "memory": "1Gi", **(options or {})}
    return workbench.small_job("volcano", command, options, **{"image": "image:1", **fields})


@dataclass
class Bench(workbench.Workbench):
    """An execution, the cluster that it talks to, and the code of its jobs."""

    execution: VolcanoExecution
    cluster: FakeCluster
    nodes: FakeNodes
    folder: Path

    def execution_for(self, _spec: JobSpec) -> VolcanoExecution:
        return self.execution


@pytest.fixture
def cluster() -> Iterator[FakeCluster]:
    found = FakeCluster()
    yield found
    found.close()


@pytest.fixture
def bench(cluster: FakeCluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    config = tmp_path / "kubeconfig"
    config.write_text(cluster.kubeconfig())
    monkeypatch.setenv("KUBECONFIG", str(config))
    nodes = FakeNodes(cluster, str(tmp_path / "pods"))
    execution = VolcanoExecution()
    yield Bench(execution, cluster, nodes, tmp_path)
    execution.close()
    nodes.close()
