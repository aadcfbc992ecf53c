"""Runs jobs on this machine: one process for each launcher slot of each node, under a supervisor of their own."""

from __future__ import annotations

import contextlib
import fcntl
import json
import os
import select
import shutil
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

from ajkit.backends.local import gpus, supervise
from ajkit.backends.local.launch import ADDRESS, environment, text_of
from ajkit.backends.local.leftovers import end_leftovers
from ajkit.shared.job.execution import (
    Handle,
    JobState,
    LogChunk,
    LogStream,
    OutcomeUnknown,
    Rejected,
    Rendered,
    Status,
    Submission,
    Unavailable,
)
from ajkit.shared.job.secretrefs import missing_secrets, resolved, shown
from ajkit.shared.job.slots import base_environment, impossible_variables, script, slots
from ajkit.shared.problem import Problem, problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ajkit.shared.job.spec import JobSpec

_LOCK, _CLAIM, _RESULT, _WAITING = "lock", supervise.CLAIM, supervise.RESULT, supervise.WAITING
_ROOT = os.path.abspath(os.path.join(os.path.dirname(__file__), *[os.pardir] * 3))
"""The folder that the package lies in: the supervisor imports from there, whatever folder it starts in."""
_SUPERVISE = "import sys; sys.path.insert(0, sys.argv[1]); from ajkit.backends.local.supervise import main; main()"
_CLAIM_SECONDS = 20.0
_GRACE_SECONDS = 5.0
_MOST_PROCESSES = 256


class LocalExecution:
    """The service `local`.

    A job's folder holds ``lock``, which the supervisor has while it lives, ``claim.json`` once it may have started
    something, ``result.json`` when all is over, ``code``, ``script.sh`` and ``logs``. The lock goes from the one who
    submits to the supervisor without ever being free, so nobody can find a job absent that is about to start.
    """

    name = "local"
    poll_seconds = 0.05

    def __init__(self) -> None:
        self._started: set[subprocess.Popen[bytes]] = set()
        self._found: list[str] | None = None

    def check(self, spec: JobSpec) -> Sequence[Problem]:
        """See `Execution.check`: more than one machine can stand, and what no process can be given."""
        count = spec.nodes * spec.processes_per_node
        found = [problem("local.secret", each, None) for each in missing_secrets(spec.env, os.environ, text_of)]
        if count > _MOST_PROCESSES:
            message = f"{count} processes (nodes × processes per node) on this machine; at most {_MOST_PROCESSES} are"
            found.append(problem("local.processes", f"{message} started", None))
        found += [problem("local.env", each, None) for each in impossible_variables(spec.env)]
        return found

    def submit(self, job: Submission, report: Callable[[str], None]) -> str:
        """See `Execution.submit`; the id is the supervisor's process id."""
        os.makedirs(job.folder, mode=0o700, exist_ok=True)
        with _hold(job.folder) as lock:
            if lock is None or _has(job.folder, _CLAIM):
                return _claimed_by(job.folder)
            few = gpus.told_of_few(job.spec, self._gpus())
            if few is not None:
                report(few)
            return self._launch(job.folder, _prepare(job, self._gpus()), lock)

    def find(self, job: Submission) -> str | None:
        """See `Execution.find`."""
        if not os.path.isdir(job.folder):
            return None
        with _hold(job.folder):
            return _claimed_by(job.folder) if _has(job.folder, _CLAIM) else None

    def status(self, handle: Handle) -> Status:
        """See `Execution.status`."""
        folder = handle.job.folder
        self._reap()
        alive = _is_held(folder)
        result = _read(folder, _RESULT)
        if result is not None:
            return Status(JobState(result["state"]), result["message"], result["exit_code"])
        if not alive:
            return _lost(handle.job)
        waiting = _read(folder, _WAITING)
        return Status(JobState.RUNNING) if waiting is None else Status(JobState.QUEUED, waiting["message"])

    def streams(self, handle: Handle) -> Sequence[LogStream]:
        """See `Execution.streams`: one log for each process."""
        logs = os.path.join(handle.job.folder, "logs")
        return [
            LogStream(each.name, each.node)
            for each in slots(handle.job.spec)
            if os.path.exists(os.path.join(logs, f"{each.name}.log"))
        ]

    def logs(self, handle: Handle, stream: str, offset: int, limit: int) -> LogChunk:
        """See `Execution.logs`."""
        if stream not in {each.name for each in slots(handle.job.spec)}:
            raise KeyError(stream)
        folder = handle.job.folder
        over = _has(folder, _RESULT)
        try:
            with open(os.path.join(folder, "logs", f"{stream}.log"), "rb") as file:
                file.seek(offset)
                data = file.read(limit)
        except FileNotFoundError:
            return LogChunk(b"", offset, over)
        return LogChunk(data, offset + len(data), over and len(data) < limit)

    def cancel(self, handle: Handle) -> None:
        """See `Execution.cancel`: the supervisor ends everything below it."""
        claim = _read(handle.job.folder, _CLAIM)
        # The holder of the lock is the supervisor itself, so its number cannot be another process's by now.
        if claim is not None and _is_held(handle.job.folder):
            with contextlib.suppress(ProcessLookupError):
                os.kill(claim["pid"], supervise.CANCEL)

    def render(self, job: Submission) -> Rendered:
        """See `Execution.render`."""
        base = base_environment(os.environ, job.caller)
        plan = gpus.plan(job.spec, self._gpus(), os.environ)
        processes = []
        for each in slots(job.spec):
            variables = environment(job.spec, each, "‹a free port›", base, shown(job.spec.env))
            if plan is not None:
                variables[gpus.VARIABLE] = f"‹{plan['shares'][each.node]} of {','.join(plan['names'])}›"
            processes.append({"name": each.name, "env": variables})
        text = json.dumps(processes, indent=2, ensure_ascii=False) + "\n"
        return Rendered({"script.sh": script(job.spec), "processes.json": text})

    def dry_run(self, job: Submission) -> str | None:  # noqa: ARG002 - this machine has no opinion of its own
        """See `Execution.dry_run`."""
        return None

    def _gpus(self) -> list[str]:
        """The GPUs of this machine, looked for once."""
        if self._found is None:
            self._found = gpus.machine_gpus(os.environ)
        return self._found

    def _launch(self, folder: str, plan: dict[str, Any], lock: int) -> str:
        """Start the supervisor, hand it the plan and the lock, and wait until it has claimed the job."""
        self._reap()
        with open(os.path.join(folder, "supervisor.log"), "ab") as errors:
            try:
                started = subprocess.Popen(
                    [sys.executable, "-I", "-S", "-c", _SUPERVISE, _ROOT, str(lock)],
                    stdin=subprocess.PIPE,
                    stdout=subprocess.PIPE,
                    stderr=errors,
                    cwd=os.path.join(folder, "code"),
                    pass_fds=(lock,),
                    start_new_session=True,
                )
            except OSError as error:
                raise Unavailable(f"no process can be started: {error}") from error
        self._started.add(started)
        if started.stdin is None or started.stdout is None:
            raise OutcomeUnknown("the supervisor has no pipes")
        with started.stdin, started.stdout:
            with contextlib.suppress(BrokenPipeError):
                started.stdin.write(json.dumps(plan).encode())
                started.stdin.close()
            if not select.select([started.stdout], [], [], _CLAIM_SECONDS)[0]:
                raise OutcomeUnknown(f"the supervisor has said nothing for {_CLAIM_SECONDS:g} seconds")
            if os.read(started.stdout.fileno(), 64):
                return str(started.pid)
        started.wait()
        raise Unavailable(f"the supervisor ended before it began: see {errors.name}")

    def _reap(self) -> None:
        """Let supervisors that have ended go from the table of processes."""
        for each in list(self._started):
            if each.poll() is not None:
                self._started.discard(each)


def _lost(job: Submission) -> Status:
    """End what is left of a job whose supervisor is gone, and write down that it is lost."""
    lock = _try_lock(job.folder)
    if lock is None:
        return Status(JobState.RUNNING)
    try:
        result = _read(job.folder, _RESULT)
        if result is None:
            count = end_leftovers(job.folder, job.spec.sid)
            left = f"; {count} of its processes still ran and {'was' if count == 1 else 'were'} ended" if count else ""
            message = f"its supervisor was ended from outside, or the machine went down{left}"
            result = {"state": JobState.LOST, "exit_code": None, "message": message}
            supervise.write_whole(job.folder, _RESULT, result)
    finally:
        os.close(lock)
    return Status(JobState(result["state"]), result["message"], result["exit_code"])


def _prepare(job: Submission, names: list[str]) -> dict[str, Any]:
    """Lay out the job's folder and say what is to be started. Secrets are in the plan and nowhere else."""
    if job.code is None:
        raise Rejected("the job has no code")
    base = base_environment(os.environ, job.caller)
    bash = shutil.which("bash", path=base.get("PATH")) or shutil.which("bash", path=os.defpath)
    if bash is None:
        raise Rejected("there is no bash on this machine")
    values = resolved(job.spec.env, os.environ, text_of)
    code, logs, text = (os.path.join(job.folder, each) for each in ("code", "logs", "script.sh"))
    try:
        shutil.rmtree(code, ignore_errors=True)
        shutil.copytree(job.code.folder, code, symlinks=True)
        os.makedirs(logs, mode=0o700, exist_ok=True)
        with open(text, "w", encoding="utf-8") as file:
            file.write(script(job.spec))
        port = supervise.free_port(ADDRESS)
    except OSError as error:
        raise Unavailable(f"the job's folder cannot be laid out: {error}") from error
    return {
        "folder": job.folder,
        "argv": [bash, text],
        "umask": 0o022,
        "time_limit": job.spec.time_limit_seconds,
        "grace": _GRACE_SECONDS,
        "meet": None if "MASTER_PORT" in values else ADDRESS,
        "gpus": gpus.plan(job.spec, names, os.environ),
        "processes": [
            {
                "name": each.name,
                "node": each.node,
                "env": environment(job.spec, each, port, base, values),
                "log": os.path.join(logs, f"{each.name}.log"),
            }
            for each in slots(job.spec)
        ],
    }


@contextlib.contextmanager
def _hold(folder: str) -> Iterator[int | None]:
    """The lock of a job's folder; None where a supervisor has it. Waits while one is starting.

    Raises:
        Unavailable: the one who has it does not say what it is.
    """
    until = time.monotonic() + _CLAIM_SECONDS
    lock = _try_lock(folder)
    while lock is None and not _has(folder, _CLAIM):
        if time.monotonic() > until:
            raise Unavailable("something holds the job's folder and does not start it")
        time.sleep(0.01)
        lock = _try_lock(folder)
    try:
        yield lock
    finally:
        if lock is not None:
            os.close(lock)


def _try_lock(folder: str) -> int | None:
    lock = os.open(os.path.join(folder, _LOCK), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError as error:
        os.close(lock)
        if isinstance(error, BlockingIOError):
            return None
        raise Unavailable(f"the file system of {folder} has no locks: {error.strerror}") from error
    return lock


def _is_held(folder: str) -> bool:
    lock = _try_lock(folder)
    if lock is not None:
        os.close(lock)
    return lock is None


def _has(folder: str, name: str) -> bool:
    return os.path.exists(os.path.join(folder, name))


def _read(folder: str, name: str) -> dict[str, Any] | None:
    try:
        with open(os.path.join(folder, name), encoding="utf-8") as file:
            content: dict[str, Any] = json.load(file)
            return content
    except FileNotFoundError:
        return None


def _claimed_by(folder: str) -> str:
    claim = _read(folder, _CLAIM)
    if claim is None:
        raise Unavailable(f"{folder} has lost its claim")
    return str(claim["pid"])


EXECUTIONS = (LocalExecution(),)
