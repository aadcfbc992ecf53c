"""A fake Azure that runs jobs here, and jobs to give it."""

from __future__ import annotations

import json
import tarfile
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from ajkit.backends.azureml.execute import AzureMlExecution
from ajkit.shared.job.execution import Handle, Snapshot, Status, Submission
from ajkit.shared.job.spec import JobSpec
from tests.backends.azureml.fakearm import FakeAzure
from tests.daemons import draw_sid, wait_until
from tests.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

EXAMPLES = ROOT / "server/ajkit/backends/azureml/examples"


def example(name: str) -> JobSpec:
    """A JobSpec of the examples beside the description."""
    return JobSpec.model_validate(json.loads((EXAMPLES / f"{name}.jobspec.json").read_text("utf-8")))


def job_spec(command: str, *, options: dict[str, Any] | None = None, **fields: Any) -> JobSpec:
    """A small job of the service `aml`."""
    sid = draw_sid()
    plain: dict[str, Any] = {
        "name": f"job-{sid}",
        "sid": sid,
        "template_name": "test",
        "service": "aml",
        "nodes": 1,
        "gpus_per_node": 0,
        "processes_per_node": 1,
        "image": "image:1",
        "code": {"dir": "."},
        "command": command,
        "backend_spec": {"compute": "a100-cluster", **(options or {})},
    }
    return JobSpec.model_validate(plain | fields)


@dataclass
class Bench:
    """Both executions, the Azure that they talk to, and how long they were asked to wait."""

    azure: FakeAzure
    folder: Path
    waits: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.aml = AzureMlExecution("aml", self.waits.append)
        self.sing = AzureMlExecution("sing", self.waits.append)

    def submission(self, spec: JobSpec) -> Submission:
        tree = self.folder / "tree"
        tree.mkdir(exist_ok=True)
        (tree / "hello.txt").write_text("hello from the code\n")
        archive = self.folder / "archive.tar"
        with tarfile.open(archive, "w") as tar:
            tar.add(tree / "hello.txt", "hello.txt")
        code = Snapshot("d" * 64, str(tree), str(archive))
        return Submission(token=f"aj-{spec.sid}", spec=spec, folder=str(self.folder / "jobs" / spec.sid), code=code)

    def submit(self, spec: JobSpec) -> Handle:
        job = self.submission(spec)
        execution = self.sing if spec.service == "sing" else self.aml
        return Handle(job, execution.submit(job, lambda _: None))

    def finish(self, handle: Handle) -> Status:
        wait_until(lambda: self.aml.status(handle).state.is_terminal)
        return self.aml.status(handle)

    def output(self, handle: Handle) -> dict[str, str]:
        """What each log says, read in small pieces."""
        texts = {}
        for stream in self.aml.streams(handle):
            text, offset = b"", 0
            while True:
                chunk = self.aml.logs(handle, stream.name, offset, 7)
                text, offset = text + chunk.data, chunk.next_offset
                if chunk.complete:
                    break
            texts[stream.name] = text.decode()
        return texts


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Bench]:
    azure = FakeAzure(str(tmp_path / "nodes"))
    for name, value in azure.environ().items():
        monkeypatch.setenv(name, value)
    found = Bench(azure, tmp_path)
    yield found
    found.aml.close()
    found.sing.close()
    azure.close()
