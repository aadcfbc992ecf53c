"""A fake Azure that runs jobs here, and jobs to give it."""

from __future__ import annotations

from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from ajkit.backends.azureml.execute import AzureMlExecution
from tests.backends import workbench
from tests.backends.azureml.fakearm import FakeAzure

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ajkit.shared.job.spec import JobSpec


def example(name: str) -> JobSpec:
    """A JobSpec of the examples beside the description."""
    return workbench.example("azureml", name)


def job_spec(command: str, *, options: dict[str, Any] | None = None, **fields: Any) -> JobSpec:
    """A small job, of the service `aml` where `fields` say nothing else."""
    options = {"compute": "a100-cluster", **(options or {})}
    return workbench.small_job(fields.pop("service", "aml"), command, options, **{"image": "image:1", **fields})


@dataclass
class Bench(workbench.Workbench):
    """Both executions, the Azure that they talk to, and how long they were asked to wait."""

    azure: FakeAzure
    folder: Path
    waits: list[float] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.aml = AzureMlExecution("aml", self.waits.append)
        self.sing = AzureMlExecution("sing", self.waits.append)

    def execution_for(self, spec: JobSpec) -> AzureMlExecution:
        return self.sing if spec.service == "sing" else self.aml


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
