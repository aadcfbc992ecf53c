"""What the tests of engines do with an execution: small jobs, their code, and what became of them."""

from __future__ import annotations

import json
import tarfile
from abc import ABC, abstractmethod
from typing import TYPE_CHECKING, Any

from ajkit.shared.job.execution import Handle, Snapshot, Status, Submission
from ajkit.shared.job.spec import JobSpec
from tests.daemons import draw_sid, wait_until
from tests.repository import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from ajkit.shared.job.execution import Execution

PIECE = 7
"""How many bytes of a log are read at a time, so that lines and characters are torn."""


def example(backend: str, name: str) -> JobSpec:
    """A JobSpec of the examples beside a backend's description."""
    path = ROOT / f"server/ajkit/backends/{backend}/examples/{name}.jobspec.json"
    return JobSpec.model_validate(json.loads(path.read_text("utf-8")))


def small_job(service: str, command: str, options: dict[str, Any], **fields: Any) -> JobSpec:
    """A job of one process on one node; `fields` are set over that."""
    sid = draw_sid()
    plain: dict[str, Any] = {
        "name": f"job-{sid}",
        "sid": sid,
        "template_name": "test",
        "service": service,
        "nodes": 1,
        "gpus_per_node": 0,
        "processes_per_node": 1,
        "code": {"dir": "."},
        "command": command,
        "backend_spec": options,
    }
    return JobSpec.model_validate(plain | fields)


class Workbench(ABC):
    """Executions, and a folder in which their jobs and the one code folder lie."""

    folder: Path

    @abstractmethod
    def execution_for(self, spec: JobSpec) -> Execution:
        """What runs a job."""

    def submission(self, spec: JobSpec) -> Submission:
        """A job with a code folder that holds ``hello.txt``."""
        tree = self.folder / "tree"
        tree.mkdir(exist_ok=True)
        (tree / "hello.txt").write_text("hello from the code\n")
        archive = self.folder / "archive.tar"
        with tarfile.open(archive, "w") as tar:
            tar.add(tree / "hello.txt", "hello.txt")
        code = Snapshot("d" * 64, str(tree), str(archive))
        return Submission(token=f"aj-{spec.sid}", spec=spec, folder=str(self.folder / "jobs" / spec.sid), code=code)

    def submit(self, spec: JobSpec) -> Handle:
        """Hand a job over."""
        job = self.submission(spec)
        return Handle(job, self.execution_for(spec).submit(job, lambda _: None))

    def finish(self, handle: Handle) -> Status:
        """How a job ended, once it has."""
        execution = self.execution_for(handle.job.spec)
        wait_until(lambda: execution.status(handle).state.is_terminal)
        return execution.status(handle)

    def output(self, handle: Handle, piece: int = PIECE) -> dict[str, str]:
        """What each log of an ended job says."""
        execution = self.execution_for(handle.job.spec)
        texts = {}
        for stream in execution.streams(handle):
            text, offset, complete = b"", 0, False
            while not complete:
                chunk = execution.logs(handle, stream.name, offset, piece)
                text, offset, complete = text + chunk.data, chunk.next_offset, chunk.complete
            texts[stream.name] = text.decode()
        return texts
