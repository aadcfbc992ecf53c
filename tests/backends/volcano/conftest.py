"""A fake cluster that runs pods here, and jobs to give it."""

from __future__ import annotations

import json
import tarfile
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from ajkit.backends.volcano.execute import VolcanoExecution
from ajkit.shared.job.execution import Handle, Snapshot, Status, Submission
from ajkit.shared.job.spec import JobSpec
from tests.backends.volcano.fakeapi import FakeCluster
from tests.backends.volcano.fakenodes import FakeNodes
from tests.daemons import draw_sid, wait_until
from tests.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

EXAMPLES = ROOT / "server/ajkit/backends/volcano/examples"


def example(name: str) -> JobSpec:
    """A JobSpec of the examples beside the description."""
    return JobSpec.model_validate(json.loads((EXAMPLES / f"{name}.jobspec.json").read_text("utf-8")))


def job_spec(command: str, *, options: dict[str, Any] | None = None, **fields: Any) -> JobSpec:
    """A small job of the service."""
    sid = draw_sid()
    plain: dict[str, Any] = {
        "name": f"job-{sid}",
        "sid": sid,
        "template_name": "test",
        "service": "volcano",
        "nodes": 1,
        "gpus_per_node": 0,
        "processes_per_node": 1,
        "image": "image:1",
        "code": {"dir": "."},
        "command": command,
        "backend_spec": {"cpus_per_node": "1", "memory": "1Gi", **(options or {})},
    }
    return JobSpec.model_validate(plain | fields)


@dataclass
class Bench:
    """An execution, the cluster that it talks to, and the code of its jobs."""

    execution: VolcanoExecution
    cluster: FakeCluster
    nodes: FakeNodes
    folder: Path

    def submission(self, spec: JobSpec) -> Submission:
        tree = self.folder / "tree"
        tree.mkdir(exist_ok=True)
        (tree / "hello.txt").write_text("hello from the code\n")
        archive = self.folder / "archive.tar"
        with tarfile.open(archive, "w") as tar:
            tar.add(tree / "hello.txt", "hello.txt")
        return Submission(
            token=f"aj-{spec.sid}",
            spec=spec,
            folder=str(self.folder / "jobs" / spec.sid),
            code=Snapshot("d" * 64, str(tree), str(archive)),
        )

    def submit(self, spec: JobSpec) -> Handle:
        job = self.submission(spec)
        return Handle(job, self.execution.submit(job, lambda _: None))

    def finish(self, handle: Handle) -> Status:
        wait_until(lambda: self.execution.status(handle).state.is_terminal)
        return self.execution.status(handle)

    def output(self, handle: Handle) -> dict[str, str]:
        """What each log says, read in small pieces."""
        texts = {}
        for stream in self.execution.streams(handle):
            text, offset = b"", 0
            while True:
                chunk = self.execution.logs(handle, stream.name, offset, 7)
                text, offset = text + chunk.data, chunk.next_offset
                if chunk.complete:
                    break
            texts[stream.name] = text.decode()
        return texts


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
