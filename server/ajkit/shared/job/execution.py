"""What running a job means: the Execution protocol, the states of a job, JobEvent and JobResult."""

from __future__ import annotations

from dataclasses import field
from enum import StrEnum
from typing import TYPE_CHECKING, Protocol, runtime_checkable

from ajkit.shared.job.spec import Model
from ajkit.shared.problem import AjError
from ajkit.shared.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ajkit.shared.job.spec import JobSpec
    from ajkit.shared.problem import Problem


class JobState(StrEnum):
    """Where a job is.

    accepted (on disk) → submitting (intent on disk, engine about to be called) → submitted (engine gave an id) → queued
    or running → done | failed | cancelled. `rejected`: the engine or a check said no. `lost`: the engine forgot it.
    `unknown`: the engine may or may not have it; found out by its token, never retried blindly. `cancelling`: asked,
    not yet confirmed by the engine.
    """

    ACCEPTED = "accepted"
    SUBMITTING = "submitting"
    SUBMITTED = "submitted"
    QUEUED = "queued"
    RUNNING = "running"
    CANCELLING = "cancelling"
    UNKNOWN = "unknown"
    DONE = "done"
    FAILED = "failed"
    CANCELLED = "cancelled"
    REJECTED = "rejected"
    LOST = "lost"

    @property
    def is_terminal(self) -> bool:
        """Whether nothing can happen to the job any more; a terminal state is never left."""
        return self in _TERMINAL

    def may_become(self, later: JobState) -> bool:
        """Whether `later` may be recorded after this state (staying is no step)."""
        return later in _STEPS.get(self, frozenset())


_TERMINAL = frozenset({JobState.DONE, JobState.FAILED, JobState.CANCELLED, JobState.REJECTED, JobState.LOST})
_ENDED_BY_ENGINE = frozenset({JobState.DONE, JobState.FAILED, JobState.CANCELLED, JobState.LOST})
_ALIVE = frozenset({JobState.QUEUED, JobState.RUNNING, JobState.CANCELLING, JobState.UNKNOWN})

_STEPS: dict[JobState, frozenset[JobState]] = {
    JobState.ACCEPTED: frozenset({JobState.SUBMITTING, JobState.CANCELLED, JobState.REJECTED}),
    JobState.SUBMITTING: frozenset({JobState.SUBMITTED, JobState.REJECTED}) | _ALIVE | _ENDED_BY_ENGINE,
    JobState.SUBMITTED: _ALIVE | _ENDED_BY_ENGINE,
    # An engine may put a running job back into its queue (Slurm requeues after a node failed).
    JobState.QUEUED: (_ALIVE - {JobState.QUEUED}) | _ENDED_BY_ENGINE,
    JobState.RUNNING: (_ALIVE - {JobState.RUNNING}) | _ENDED_BY_ENGINE,
    JobState.CANCELLING: _ENDED_BY_ENGINE,
    # Only a look-up by token leaves this state: found (wherever it is by now), or certainly absent and submitted again.
    JobState.UNKNOWN: frozenset({JobState.SUBMITTING, JobState.SUBMITTED, JobState.REJECTED})
    | (_ALIVE - {JobState.UNKNOWN})
    | _ENDED_BY_ENGINE,
}


class JobEvent(Model):
    """One thing that happened to a job; `seq` counts from 1 within the job, `at` is ISO 8601 in UTC."""

    seq: int
    at: str
    state: JobState
    message: str = ""
    backend_id: str | None = None
    exit_code: int | None = None


class JobResult(Model):
    """How a job ended; `exit_code` is its own code where the engine tells (the highest of its nodes)."""

    state: JobState
    exit_code: int | None = None
    message: str = ""


@dataclass(frozen=True, slots=True)
class Snapshot:
    """The verified content of a code folder on this machine: its digest, unpacked folder and archive file."""

    digest: str
    folder: str
    archive: str


@dataclass(frozen=True, slots=True)
class Submission:
    """All that an engine needs to run one job; the same values after a restart of the daemon.

    `token` is unique per job, is what `Execution.find` looks for and is safe in names (``[a-z0-9-]``, at most 40).
    `folder` is the job's own folder (scripts, logs, what the backend must remember). `code` is None only for rendering.
    `caller` holds the caller's own variables (PATH, VIRTUAL_ENV) for engines that run beside the caller.
    """

    token: str
    spec: JobSpec
    folder: str
    code: Snapshot | None = None
    caller: Mapping[str, str] = field(default_factory=dict)


@dataclass(frozen=True, slots=True)
class Handle:
    """A job that an engine has: what was submitted and the engine's own id for it."""

    job: Submission
    backend_id: str


@dataclass(frozen=True, slots=True)
class Status:
    """What an engine says about a job now: a state, a reason in its words and, at the end, the job's code.

    `state` is queued, running, done, failed, cancelled or lost; an engine never reports the daemon's own states.
    """

    state: JobState
    message: str = ""
    exit_code: int | None = None


@dataclass(frozen=True, slots=True)
class LogStream:
    """One log of a job: a name fit for an address (``node-0``, ``node-1.2``) and the node it tells about."""

    name: str
    node: int


@dataclass(frozen=True, slots=True)
class LogChunk:
    """Bytes of one log from an offset; `next_offset` continues; `complete` when nothing more can come."""

    data: bytes
    next_offset: int
    complete: bool


@dataclass(frozen=True, slots=True)
class Rendered:
    """What would be handed to the engine, as text without secrets: file name (its ending says the language) → text."""

    files: Mapping[str, str]


class ExecutionError(AjError):
    """The root of what an engine may answer instead of an outcome."""


class Rejected(ExecutionError):
    """The engine, or a check before it, said no: the job certainly does not run and asking again is useless."""


class Unavailable(ExecutionError):
    """The engine could not be asked: the job certainly was not accepted, asking again later is safe."""


class OutcomeUnknown(ExecutionError):
    """The engine may have accepted before the answer was lost: look it up by token, never just ask again."""


class UnclearRefusal(OutcomeUnknown):
    """The engine said no, or broke, and may have accepted before: a refusal once it goes on not to have the job."""


class Execution(Protocol):
    """What a service registers to run jobs. Calls block: the daemon keeps them off its event loop, in several threads.

    Two may be about one job at the same time: who drives it asks for its status while who follows it asks for its log.

    An implementation remembers nothing in memory that a restart would lose: everything comes in with the call. Secret
    references of the spec are read inside `submit` and appear in no text, argument list or exception.
    """

    name: str
    poll_seconds: float
    """How often, at most, the daemon should ask for the status of one job."""

    def check(self, spec: JobSpec) -> Sequence[Problem]:
        """What this daemon's configuration refuses about a spec, without network and before anything is uploaded."""
        ...

    def submit(self, job: Submission, report: Callable[[str], None]) -> str:
        """Hand a job over and answer the engine's id; `report` takes progress in the user's words.

        Raises:
            Rejected: a definite no.
            Unavailable: certainly not accepted.
            OutcomeUnknown: perhaps accepted; `UnclearRefusal` where it is not to be asked again if it was not.
        """
        ...

    def find(self, job: Submission) -> str | None:
        """The engine's id of the job that carries `job.token`; None when it certainly has none.

        Raises:
            Unavailable: the engine cannot be asked.
        """
        ...

    def status(self, handle: Handle) -> Status:
        """The state of a job; `lost` when the engine no longer knows it.

        Raises:
            Unavailable: the engine cannot be asked.
        """
        ...

    def streams(self, handle: Handle) -> Sequence[LogStream]:
        """The logs there are so far, in node order."""
        ...

    def logs(self, handle: Handle, stream: str, offset: int, limit: int) -> LogChunk:
        """At most `limit` bytes of a log from `offset`; an offset past the end gives an empty chunk.

        Raises:
            KeyError: no such stream.
            Unavailable: the engine cannot be asked.
        """
        ...

    def cancel(self, handle: Handle) -> None:
        """Ask the engine to stop a job with all its processes; `status` tells when it has. Twice is fine.

        Raises:
            Unavailable: the engine cannot be asked.
        """
        ...

    def render(self, job: Submission) -> Rendered:
        """Exactly what `submit` would hand over, secrets as references, without network."""
        ...

    def dry_run(self, job: Submission) -> str | None:
        """The engine's own opinion (``sbatch --test-only``, a server dry run); None where it has no such thing.

        Raises:
            Rejected: the engine would refuse the job.
            Unavailable: the engine cannot be asked.
        """
        ...


@runtime_checkable
class Leftovers(Protocol):
    """What an Execution may have beside the rest: it puts something of a job where the daemon cannot remove it."""

    def forget(self, job: Submission) -> None:
        """Remove what is left of a job that ended long ago, but for its own folder, which goes after it. Twice is fine.

        Raises:
            Unavailable: it cannot be removed now.
        """
        ...


@dataclass(frozen=True, slots=True)
class LiveValue:
    """One value that an engine has now (a queue, an image, a compute) and a word on it (``3 of 8 GPUs are free``)."""

    value: str
    detail: str = ""


@runtime_checkable
class LiveValues(Protocol):
    """What an Execution may have beside the rest: values that only its engine knows, for completion and pages.

    The daemon asks seldom, keeps what it was told for a while and waits for a few seconds only; nothing is changed.
    """

    def values(self, kind: str) -> Sequence[LiveValue]:
        """The values of a kind (``queues``, ``images``, ``computes``, ``quota``) in the order to show them.

        Raises:
            KeyError: the service has no values of this kind.
            Unavailable: the engine cannot be asked.
        """
        ...
