"""A fake `amlt` on the PATH, and jobs to give it."""

from __future__ import annotations

import json
import sys
import tarfile
from dataclasses import dataclass
from pathlib import Path
from typing import Any

import pytest

from ajkit.backends.amlt.execute import AmltExecution
from ajkit.shared.job.execution import Handle, Snapshot, Status, Submission
from ajkit.shared.job.spec import JobSpec
from tests.daemons import draw_sid, wait_until
from tests.repository import ROOT

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
    sid = draw_sid()
    code = fields.pop("code_dir", ".")
    template: dict[str, Any] = {
        "target": {"service": "sing", "name": "vc"},
        "code": {"local_dir": code},
        "jobs": [{"name": "train", "command": [command]}, *(others or [])],
    }
    plain: dict[str, Any] = {
        "name": f"train-{sid}",
        "sid": sid,
        "template_name": "train",
        "service": "amlt",
        "nodes": 1,
        "gpus_per_node": 0,
        "processes_per_node": 1,
        "code": {"dir": code},
        "command": command,
        "backend_spec": {},
        "sources": [{"path": LEAF, "sha256": "0" * 64}],
        "template": template,
    }
    return JobSpec.model_validate(plain | fields)


@dataclass
class Bench:
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
        return Handle(job, self.execution.submit(job, lambda _: None))

    def finish(self, handle: Handle) -> Status:
        wait_until(lambda: self.execution.status(handle).state.is_terminal)
        return self.execution.status(handle)

    def output(self, handle: Handle) -> dict[str, str]:
        """What each log says."""
        texts = {}
        for stream in self.execution.streams(handle):
            chunk = self.execution.logs(handle, stream.name, 0, 9999)
            assert chunk.complete
            texts[stream.name] = chunk.data.decode()
        return texts


@pytest.fixture
def bench(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Bench:
    (tmp_path / "amlt").mkdir()
    monkeypatch.setenv("FAKE_AMLT", str(tmp_path / "amlt"))
    monkeypatch.setenv("PATH", put_on_path(tmp_path), prepend=":")
    execution = AmltExecution()
    execution.log_seconds = 0.0
    return Bench(execution, tmp_path)
