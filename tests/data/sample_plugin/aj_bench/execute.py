"""Runs jobs on the bench: each is a folder that appears below `BENCH_FOLDER`, where the machines look for work."""

from __future__ import annotations

import os
import shlex
import shutil
from typing import TYPE_CHECKING

from ajkit.shared.job.execution import (
    Handle,
    JobState,
    LogChunk,
    LogStream,
    Rejected,
    Rendered,
    Status,
    Submission,
    Unavailable,
)
from ajkit.shared.problem import Problem, problem

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ajkit.shared.job.spec import JobSpec


class BenchExecution:
    """The service `bench`. Into a job's folder a machine writes ``started``, ``output.log`` and, last, ``result``."""

    name = "bench"
    poll_seconds = 0.5

    def check(self, spec: JobSpec) -> Sequence[Problem]:
        """What is refused before anything is sent."""
        if spec.nodes > 1:
            return [problem("bench.nodes", "a job on the bench has one node: run it with -n 1", None)]
        return []

    def submit(self, job: Submission, report: Callable[[str], None]) -> str:
        """Put the job there under its token: all of it at once, and once only."""
        if job.code is None:
            raise Rejected("the job has no code")
        place = self._place(job)
        if not os.path.isdir(place):
            report("putting it on the bench")
            work = f"{place}.new"
            try:
                shutil.rmtree(work, ignore_errors=True)
                shutil.copytree(job.code.folder, os.path.join(work, "code"), symlinks=True)
                with open(os.path.join(work, "run.sh"), "w", encoding="utf-8") as file:
                    file.write(_script(job.spec))
                os.rename(work, place)
            except OSError as error:
                raise Unavailable(f"the bench cannot be written to: {error}") from error
        return job.token

    def find(self, job: Submission) -> str | None:
        """The token where the job is there; an earlier call may have got so far before its answer was lost."""
        return job.token if os.path.isdir(self._place(job)) else None

    def status(self, handle: Handle) -> Status:
        """What the machine has written."""
        if not os.path.isdir(self._place(handle.job)):
            return Status(JobState.LOST, "somebody cleared the bench")
        result = self._read(handle, "result")
        if result == b"cancelled":
            return Status(JobState.CANCELLED, "stopped by its machine")
        if result:
            code = int(result)
            return Status(JobState.FAILED if code else JobState.DONE, "", code)
        return Status(JobState.QUEUED if self._read(handle, "started") is None else JobState.RUNNING)

    def streams(self, handle: Handle) -> Sequence[LogStream]:
        """One log, once the machine has started."""
        return [] if self._read(handle, "started") is None else [LogStream("node-0", 0)]

    def logs(self, handle: Handle, stream: str, offset: int, limit: int) -> LogChunk:
        """A part of the output; complete when the job is over and this is the end."""
        if stream != "node-0":
            raise KeyError(stream)
        over = self.status(handle).state.is_terminal
        data = (self._read(handle, "output.log") or b"")[offset : offset + limit]
        return LogChunk(data, offset + len(data), over and len(data) < limit)

    def cancel(self, handle: Handle) -> None:
        """Ask the machine to stop; its answer is the result ``cancelled``."""
        with open(os.path.join(self._place(handle.job), "stop"), "wb"):
            pass

    def render(self, job: Submission) -> Rendered:
        """What the machine will run."""
        return Rendered({"run.sh": _script(job.spec)})

    def dry_run(self, job: Submission) -> str | None:  # noqa: ARG002 - a machine has no opinion
        """The bench has no such thing."""
        return None

    def _place(self, job: Submission) -> str:
        folder = os.environ.get("BENCH_FOLDER")
        if not folder or not os.path.isdir(folder):
            raise Unavailable("BENCH_FOLDER names no folder: is the bench mounted?")
        return os.path.join(folder, job.token)

    def _read(self, handle: Handle, name: str) -> bytes | None:
        try:
            with open(os.path.join(self._place(handle.job), name), "rb") as file:
                return file.read()
        except FileNotFoundError:
            return None


def _script(spec: JobSpec) -> str:
    variables = "".join(
        f"export {name}={shlex.quote(value)}\n" for name, value in spec.env.items() if isinstance(value, str)
    )
    return "".join([variables, *(f"{line}\n" for line in spec.setup), spec.command, "\n"])


EXECUTION = BenchExecution()
