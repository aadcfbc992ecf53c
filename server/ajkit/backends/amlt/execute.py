"""Runs jobs through `amlt`: the rendered YAML goes to `amlt run`, and amlt is asked for the rest."""

from __future__ import annotations

import contextlib
import fcntl
import math
import os
import shlex
import threading
import time
from typing import TYPE_CHECKING

from ajkit.backends.amlt.commands import Amlt, last_words, state_of
from ajkit.backends.amlt.describe import AmltOpts
from ajkit.backends.amlt.layout import SECRET, job_names, lay_out, layout
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
    UnclearRefusal,
)
from ajkit.shared.job.secretrefs import missing_secrets, resolved, secret_names
from ajkit.shared.problem import Problem, problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ajkit.shared.job.spec import JobSpec

_PROJECT, _LOGS, _LOCK = "project", "logs", "lock"
_LOG_SECONDS = 10.0
_ALL_LINES = "1000000"
_MOST_REMEMBERED = 4096


class AmltExecution:
    """The service `amlt`.

    A job's folder holds ``project``, in which code and YAML lie as they do in the user's project, ``logs``, and
    ``lock``, which an `amlt run` has until it ends, also one that outlives the daemon. Jobs are found by their names,
    which end in the sid, in the experiment of ``-e``, else in one called like the job.
    """

    name = "amlt"
    poll_seconds = 15.0
    log_seconds = _LOG_SECONDS

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._fetched: dict[tuple[str, str], float] = {}

    def check(self, spec: JobSpec) -> Sequence[Problem]:
        """See `Execution.check`: a job that was not rendered for amlt, and secrets that cannot be read here."""
        if spec.template is None:
            message = "the job does not carry its template: it was not built with --amlt"
            return [problem("amlt.template", message, None)]
        return [problem("amlt.secret", each, None) for each in missing_secrets(spec.env, os.environ, _text)]

    def submit(self, job: Submission, report: Callable[[str], None]) -> str:
        """See `Execution.submit`; the id is the experiment."""
        if job.code is None:
            raise Rejected("the job has no code")
        values = resolved(job.spec.env, os.environ, _text)
        secrets = {f"{SECRET}{name}": values[name] for name in secret_names(job.spec.env)}
        plan = layout(job.spec)
        with _alone(job) as lock:
            try:
                lay_out(plan, job.code.folder, _project(job))
            except OSError as error:
                raise Unavailable(f"the job's folder cannot be laid out: {error}") from error
            report("amlt run")
            done = _amlt(job).run(_words(job, plan.yaml), secrets, lock)
        if done.returncode:
            # It may have failed behind the point at which the job was there.
            try:
                there = self.find(job)
            except Unavailable as error:
                raise OutcomeUnknown(f"amlt run: {last_words(done)} ({error})") from None
            if there is None:
                # What amlt lists may be behind what it has submitted.
                raise UnclearRefusal(f"amlt run: {last_words(done)}")
        return _experiment(job.spec)

    def find(self, job: Submission) -> str | None:
        """See `Execution.find`."""
        with _alone(job):
            states = _amlt(job).states(_experiment(job.spec))
        return _experiment(job.spec) if states is not None and job.spec.name in states else None

    def status(self, handle: Handle) -> Status:
        """See `Execution.status`; several jobs are running while one is, and have failed when one has."""
        names = job_names(handle.job.spec)
        words = _amlt(handle.job).states(handle.backend_id) or {}
        if names[0] not in words:
            return Status(JobState.LOST, f"amlt has no job {names[0]} in {handle.backend_id} any more")
        states = []
        for name in names:
            state = state_of(words.get(name, "queued"))
            if state is None:
                raise Unavailable(f"amlt says {words[name]!r} of the job {name}, which is not known here")
            states.append(state)
        said = ", ".join(f"{name}: {words.get(name, 'not there yet')}" for name in names) if len(names) > 1 else ""
        for state in (JobState.RUNNING, JobState.QUEUED, JobState.FAILED, JobState.CANCELLED):
            if state in states:
                return Status(state, said or _word(words[names[0]], state))
        return Status(JobState.DONE, said, 0)

    def streams(self, handle: Handle) -> Sequence[LogStream]:
        """See `Execution.streams`: one log for each job."""
        return [LogStream(name, number) for number, name in enumerate(_streams(handle.job.spec))]

    def logs(self, handle: Handle, stream: str, offset: int, limit: int) -> LogChunk:
        """See `Execution.logs`; amlt gives whole logs only, so that one is fetched every few seconds at most."""
        names = dict(zip(_streams(handle.job.spec), job_names(handle.job.spec), strict=True))
        job = names[stream]
        path = os.path.join(handle.job.folder, _LOGS, f"{stream}.log")
        with self._fetching((handle.backend_id, stream)) as due:
            final = os.path.exists(f"{path}.final")
            if due and not final:
                final = self.status(handle).state.is_terminal
                done = _amlt(handle.job).ask(["logs", "view", "-n", _ALL_LINES, handle.backend_id, f":{job}"])
                if done.returncode == 0:
                    _keep(path, done.stdout)
                if final:
                    _keep(f"{path}.final", "")
        try:
            with open(path, "rb") as file:
                file.seek(offset)
                data = file.read(limit)
        except FileNotFoundError:
            data = b""
        return LogChunk(data, offset + len(data), final and len(data) < limit)

    @contextlib.contextmanager
    def _fetching(self, key: tuple[str, str]) -> Iterator[bool]:
        """Whether a log is to be fetched now: it was not just now, and nobody does, whose answer would be older."""
        with self._lock:
            due = time.monotonic() - self._fetched.get(key, -math.inf) >= self.log_seconds
            if due:
                if len(self._fetched) > _MOST_REMEMBERED:
                    self._fetched = {each: at for each, at in self._fetched.items() if at == math.inf}
                self._fetched[key] = math.inf
        try:
            yield due
        finally:
            if due:
                with self._lock:
                    self._fetched[key] = time.monotonic()

    def cancel(self, handle: Handle) -> None:
        """See `Execution.cancel`."""
        if self.status(handle).state.is_terminal:
            return
        jobs = [f":{name}" for name in job_names(handle.job.spec)]
        done = _amlt(handle.job).ask(["cancel", handle.backend_id, *jobs, "--yes"])
        if done.returncode and not self.status(handle).state.is_terminal:
            raise Unavailable(f"amlt cancel: {last_words(done)}")

    def render(self, job: Submission) -> Rendered:
        """See `Execution.render`: the YAML, and the command that is given it."""
        plan = layout(job.spec)
        name = os.path.basename(plan.yaml)
        return Rendered({name: plan.text, "command.sh": shlex.join(["amlt", *_words(job, plan.yaml)]) + "\n"})

    def dry_run(self, job: Submission) -> str | None:  # noqa: ARG002 - amlt has no such thing
        """See `Execution.dry_run`."""
        return None


@contextlib.contextmanager
def _alone(job: Submission) -> Iterator[int]:
    """The lock of a job's folder, which nobody else has meanwhile.

    Raises:
        Unavailable: an `amlt run` has it, perhaps of a daemon that died: what it will have done is not to be seen yet.
            Or there can be none, as on a disk that is full.
    """
    try:
        os.makedirs(job.folder, mode=0o700, exist_ok=True)
        lock = os.open(os.path.join(job.folder, _LOCK), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    except OSError as error:
        raise Unavailable(f"the job's folder cannot be used: {error}") from error
    try:
        try:
            fcntl.flock(lock, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            raise Unavailable("an `amlt run` of this job is still under way") from None
        yield lock
    finally:
        os.close(lock)


def _words(job: Submission, yaml: str) -> list[str]:
    """The words after `amlt` that submit a job."""
    options = AmltOpts.model_validate(job.spec.backend_spec)
    words = ["run", yaml, _experiment(job.spec), "--description", job.spec.description or job.spec.name]
    return [*words, *options.args, *([] if {"-y", "--yes"} & set(options.args) else ["--yes"])]


def _experiment(spec: JobSpec) -> str:
    return spec.experiment or spec.name


def _streams(spec: JobSpec) -> list[str]:
    names = job_names(spec)
    return ["node-0"] if len(names) == 1 else [f"job-{number}" for number in range(len(names))]


def _amlt(job: Submission) -> Amlt:
    """amlt as the caller has it; its project is that of the code, or of the daemon (``AMLT_PROJECT_DIR``)."""
    os.makedirs(_project(job), mode=0o700, exist_ok=True)
    return Amlt({**os.environ, **job.caller}, _project(job))


def _project(job: Submission) -> str:
    return os.path.join(job.folder, _PROJECT)


def _word(word: str, state: JobState) -> str:
    """What amlt calls a state, where that says more than the state does."""
    return "" if word.casefold() in {state.value, "pass"} else f"amlt says {word}"


def _keep(path: str, text: str) -> None:
    os.makedirs(os.path.dirname(path), mode=0o700, exist_ok=True)
    with open(f"{path}.new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(f"{path}.new", path)


def _text(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


EXECUTIONS = (AmltExecution(),)
