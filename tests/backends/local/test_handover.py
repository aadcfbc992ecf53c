"""A daemon that dies at each point of handing a job over on this machine: the next one finds it, or starts it, once."""

from __future__ import annotations

import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from ajkit.backends.local.execute import LocalExecution
from ajkit.shared.job.execution import Handle, JobState, Snapshot, Submission
from tests.daemons import job_spec, wait_until

if TYPE_CHECKING:
    from pathlib import Path

DYING = """
import os, sys
from ajkit.backends.local import execute
from ajkit.shared.job.execution import Snapshot, Submission
from ajkit.shared.job.spec import JobSpec

point, spec, folder, tree = sys.argv[1:]
die = lambda *_: os._exit(9)
dumps = execute.json.dumps

class Half(str):
    def encode(self):
        return super().encode()[: len(self) // 2]

if point == "locked":
    execute._prepare = die
elif point == "started":
    execute.json.dumps = die
elif point == "half told":
    execute.json.dumps = lambda plan: Half(dumps(plan))
    execute.select.select = die
elif point == "told":
    execute.select.select = die
code = Snapshot("", tree, "")
job = Submission(token="aj-x", spec=JobSpec.model_validate_json(spec), folder=folder, code=code)
execute.LocalExecution().submit(job, print)
"""


@pytest.mark.parametrize("point", ["locked", "started", "half told", "told"])
def test_a_daemon_that_dies_when_it_has(point: str, tmp_path: Path) -> None:
    tree, folder, runs = tmp_path / "tree", tmp_path / "job", tmp_path / "runs"
    tree.mkdir()
    spec = job_spec(f"echo run >> {runs}; exit 7")
    words = [point, spec.model_dump_json(), str(folder), str(tree)]
    dead = subprocess.run([sys.executable, "-c", DYING, *words], timeout=60, check=False)
    assert dead.returncode == 9
    job = Submission(token="aj-x", spec=spec, folder=str(folder), code=Snapshot("", str(tree), ""))
    engine = LocalExecution()
    found = engine.find(job)
    assert (found is not None) == (point == "told")
    handle = Handle(job, found or engine.submit(job, lambda _: None))
    assert engine.find(job) == handle.backend_id
    assert engine.submit(job, lambda _: None) == handle.backend_id
    wait_until(lambda: engine.status(handle).state is not JobState.RUNNING)
    wait_until(lambda: engine.status(handle) is not None and not engine._started)
    assert (engine.status(handle).state, engine.status(handle).exit_code) == (JobState.FAILED, 7)
    assert runs.read_text() == "run\n"


def test_a_job_that_was_never_here(tmp_path: Path) -> None:
    job = Submission(token="aj-x", spec=job_spec("true"), folder=str(tmp_path / "job"))
    assert LocalExecution().find(job) is None
    assert not (tmp_path / "job").exists()
