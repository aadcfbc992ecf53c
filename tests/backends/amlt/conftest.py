"""A fake `amlt` on the PATH, and jobs to give it."""

from __future__ import annotations

import json
import sys
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ajkit.backends.amlt.execute import AmltExecution
from tests.backends import workbench
from tests.repository import ROOT

if TYPE_CHECKING:
    from ajkit.shared.job.spec import JobSpec

EXAMPLE = ROOT / "server/ajkit/backends/amlt/examples/mpi.jobspec.json"
LEAF = ".azure_jobs/template/train.yaml"


def put_on_path(folder: Path) -> str:
    """A folder with an executable `amlt` in it."""
    place = folder / "bin"
    place.mkdir()
    script = place / "amlt"
    script.write_text(f'#!/bin/sh\nexec {sys.executable} {Path(__file__).parent / "fakeamlt.py"} "$@"\n')
    script.chmod(0o755)
    return str(place)


def job_spec(command: str, *, others: list[dict[str, Any]] | None = None, **fields: Any) -> JobSpec:
    """A job that was built with --amlt from a leaf below the project folder."""
    code = fields.pop("code_dir", ".")
    template: dict[str, Any] = {
        "target": {"service": "sing", "name": "vc"},
        "code": {"local_dir": code},
        "jobs": [{"name": "train", "command": [command]}, *(others or [])],
    }
    source = {"path": LEAF, "sha256": "0" * 64}
    plain = {"template_name": "train", "code": {"dir": code}, "sources": [source], "template": template}
    return workbench.small_job("amlt", command, {}, **plain | fields)


@dataclass
class Bench(workbench.Workbench):
    """An execution, and the folder of the fake."""

    execution: AmltExecution
    folder: Path

    @property
    def home(self) -> Path:
        return self.folder / "amlt"

    def mode(self, word: str) -> None:
        (self.home / "mode").write_text(word)

    def calls(self, command: str) -> list[dict[str, Any]]:
        """The recorded calls of one command."""
        found = [json.loads(each) for each in (self.home / "calls.jsonl").read_text().splitlines()]
        return [each for each in found if each["argv"][0] == command]

    def execution_for(self, _spec: JobSpec) -> AmltExecution:
        return self.execution


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    (tmp_path / "amlt").mkdir()
    monkeypatch.setenv("FAKE_AMLT", str(tmp_path / "amlt"))
    monkeypatch.setenv("PATH", put_on_path(tmp_path), prepend=":")
    execution = AmltExecution()
    execution.log_seconds = 0.0
    return Bench(execution, tmp_path)
