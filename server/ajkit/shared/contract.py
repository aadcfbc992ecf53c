"""The wire between client and daemon: its paths, its messages and the shape of a problem on it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated, Any

from pydantic import Field

from ajkit.shared.job.execution import JobState
from ajkit.shared.job.spec import JobSpec, Model
from ajkit.shared.records import dataclass

if TYPE_CHECKING:
    from ajkit.shared.problem import Problem, Related
    from ajkit.shared.where import Position, Span, Text

WIRE_VERSION = 1
"""Raised when a client of the version before could no longer talk to the daemon."""

NOTE = "endpoint.json"
"""The file in a daemon's state folder that holds an `Endpoint`."""

LOCK = "daemon.lock"
"""The file in a daemon's state folder that the daemon has locked while it lives."""

LOG = "daemon.log"
"""The file in a daemon's state folder in which one that was started in the background says what it has to say."""

HEALTH = "/v1/health"
SERVICES = "/v1/services"
RENDER = "/v1/render"
JOBS = "/v1/jobs"
CODE = "/v1/code"
METRICS = "/metrics"

PROBLEM_TYPE = "application/problem+json"
KEY_HEADER = "Idempotency-Key"

PAGE_LIMIT = 500
"""The most jobs one page holds."""

ORIGIN_TEXT, ORIGINS = 2000, 2000
"""The longest text on where a field came from, and the most of them that travel with a job."""

Digest = Annotated[str, Field(pattern="^[0-9a-f]{64}$")]
"""Hexadecimal SHA-256."""


def job_path(job_id: str, part: str = "") -> str:
    """The path of a job, or of a part of it (``events``, ``logs``, ``cancel``)."""
    return f"{JOBS}/{job_id}/{part}" if part else f"{JOBS}/{job_id}"


def code_path(digest: str) -> str:
    """The path of an uploaded code archive."""
    return f"{CODE}/{digest}"


def values_path(service: str, kind: str) -> str:
    """The path of what an engine has of a kind now."""
    return f"{SERVICES}/{service}/values/{kind}"


class Mark(Model):
    """A place as editors count it: zero-based line, column in UTF-16 code units."""

    line: int
    character: int


class MarkRange(Model):
    """From a place up to, not including, another."""

    start: Mark
    end: Mark


class RelatedShape(Model):
    """Another place that explains a problem."""

    path: str
    message: str
    range: MarkRange


class ProblemShape(Model):
    """A Problem outside this program: in problem documents and in reports. `path` is null where it has no place."""

    path: str | None
    code: str
    severity: str
    message: str
    range: MarkRange | None
    related: list[RelatedShape] = []


def mark_range(span: Span) -> MarkRange:
    """Where a span is, in the units that leave the program."""
    return MarkRange(start=_mark(span.text, span.first), end=_mark(span.text, span.last))


def _mark(text: Text, place: Position) -> Mark:
    before = text.line(place.line)[: place.column]
    return Mark(line=place.line, character=len(before) + sum(each > "\uffff" for each in before))


def _related_shape(related: Related) -> RelatedShape:
    return RelatedShape(path=related.span.path, message=related.message, range=mark_range(related.span))


def problem_shape(problem: Problem) -> ProblemShape:
    """A Problem in the shape that leaves the program, its path as the span has it."""
    span = problem.span
    return ProblemShape(
        path=None if span is None else span.path,
        code=problem.code,
        severity=problem.severity.value,
        message=problem.message,
        range=None if span is None else mark_range(span),
        related=[_related_shape(each) for each in problem.related],
    )


@dataclass(frozen=True, slots=True)
class Refusal:
    """What one code of the wire always means: the HTTP status and the title of its problem document."""

    status: int
    title: str


REFUSALS: dict[str, Refusal] = {
    "token.missing": Refusal(401, "A token is needed"),
    "token.wrong": Refusal(401, "The token is not known"),
    "token.expired": Refusal(401, "The token has expired"),
    "token.read-only": Refusal(403, "The token may only look"),
    "request.host": Refusal(421, "The daemon is not called by this name"),
    "request.origin": Refusal(403, "Pages of other sites may not ask"),
    "request.malformed": Refusal(400, "This is not HTTP that is understood"),
    "request.head": Refusal(431, "The head of the request is too large"),
    "request.busy": Refusal(503, "Too many requests are under way"),
    "request.invalid": Refusal(422, "The request is not what this path takes"),
    "request.too-large": Refusal(413, "The request is too large"),
    "request.timeout": Refusal(408, "The request did not arrive in time"),
    "request.path": Refusal(404, "There is nothing at this path"),
    "request.method": Refusal(405, "This path does not take this method"),
    "key.missing": Refusal(400, "A submission needs an Idempotency-Key"),
    "key.reused": Refusal(409, "The Idempotency-Key was used for another job"),
    "job.exists": Refusal(409, "A job with this sid exists"),
    "job.missing": Refusal(404, "There is no such job"),
    "log.missing": Refusal(404, "The job has no such log"),
    "spec.invalid": Refusal(422, "The job description is refused"),
    "service.unknown": Refusal(422, "No such service runs here"),
    "values.missing": Refusal(404, "The service has no such values"),
    "code.unsent": Refusal(422, "The code was not uploaded"),
    "code.digest": Refusal(422, "The code is not what its digest says"),
    "code.unsafe": Refusal(422, "The code archive is refused"),
    "code.too-large": Refusal(413, "The code is too large"),
    "engine.refused": Refusal(422, "The engine would refuse the job"),
    "engine.unavailable": Refusal(503, "The engine cannot be asked"),
    "disk.unwritable": Refusal(507, "The daemon cannot write to its disk"),
    "daemon.fault": Refusal(500, "The daemon made a mistake"),
}
"""Every code a problem document may carry; clients decide by the code, never by the words."""


class ProblemDocument(Model):
    """A refusal (RFC 9457). `problems` says what is wrong item by item, in the shape of diagnostics."""

    type: str
    title: str
    status: int
    detail: str
    code: str
    problems: list[ProblemShape] = []
    job_id: str | None = None


def problem_document(
    code: str, detail: str, *, problems: list[ProblemShape] | None = None, job_id: str | None = None
) -> ProblemDocument:
    """The problem document of a code of `REFUSALS`."""
    refusal = REFUSALS[code]
    return ProblemDocument(
        type=f"urn:aj:problem:{code}",
        title=refusal.title,
        status=refusal.status,
        detail=detail,
        code=code,
        problems=problems or [],
        job_id=job_id,
    )


class Caller(Model):
    """What of the caller's own environment travels with a job, for engines that run beside the caller."""

    path: str | None = None
    virtual_env: str | None = None


class FieldOrigins(Model):
    """Where a field of a JobSpec came from, in words: what it was made of, and over what that went, nearest first."""

    field: Annotated[str, Field(max_length=ORIGIN_TEXT)]
    made: Annotated[str, Field(max_length=ORIGIN_TEXT)]
    over: Annotated[list[Annotated[str, Field(max_length=ORIGIN_TEXT)]], Field(max_length=ORIGINS)] = []


class SubmitRequest(Model):
    """A job to run: its description, the digest of its code (uploaded before) and where its fields came from."""

    spec: JobSpec
    code_digest: Digest
    caller: Caller = Caller()
    origins: Annotated[list[FieldOrigins], Field(max_length=ORIGINS)] = []


class RenderRequest(Model):
    """A job to look at only; with `dry_run` the engine itself is asked too."""

    spec: JobSpec
    caller: Caller = Caller()
    dry_run: bool = False


class RenderAnswer(Model):
    """What the engine would be handed, by file name, and the engine's own opinion where it was asked and has one."""

    files: dict[str, str]
    opinion: str | None = None


class JobInfo(Model):
    """A job as lists show it. Times are ISO 8601 in UTC. `owner` is the name of the token that submitted it, if any."""

    id: str
    owner: str = ""
    name: str
    service: str
    template_name: str
    experiment: str | None
    nodes: int
    processes_per_node: int
    state: JobState
    message: str
    cancel_requested: bool
    backend_id: str | None
    exit_code: int | None
    attempts: int
    spec_sha256: str
    code_digest: str
    accepted_at: str
    changed_at: str
    started_at: str | None
    ended_at: str | None


class JobDetail(Model):
    """A job with the description it runs by, and where the fields of that came from as far as its client told."""

    job: JobInfo
    spec: JobSpec
    origins: list[FieldOrigins] = []


class JobPage(Model):
    """Jobs, newest first; `next` is the cursor of the page after, null on the last."""

    jobs: list[JobInfo]
    next: str | None


class LogStreamInfo(Model):
    """One log of a job and the node it tells about."""

    name: str
    node: int


class LogList(Model):
    """The logs a job has so far."""

    streams: list[LogStreamInfo]


class LogText(Model):
    """A piece of one log, with its line ends; a piece that does not end a line goes on in the next of its stream."""

    stream: str
    node: int
    text: str


class CodeInfo(Model):
    """An uploaded code archive."""

    digest: str
    size: int


class ServiceInfo(Model):
    """A service: what it is, the JSON schema of its options, whether this daemon runs it (`missing` says why not)."""

    name: str
    summary: str
    options: dict[str, Any]
    runs: bool
    missing: str | None = None


class ServiceList(Model):
    """Every service this daemon knows, by name."""

    services: list[ServiceInfo]


class ValueInfo(Model):
    """One value that an engine has now, and a word on it."""

    value: str
    detail: str = ""


class ValueList(Model):
    """What the engine of a service has of a kind (queues, images, computes, quota), and when it was asked."""

    service: str
    kind: str
    values: list[ValueInfo]
    at: str


class Health(Model):
    """Who answers, and whom: the name of the asker's `token`, if any. `live_jobs` are accepted and not ended."""

    program: str
    version: str
    wire: int
    pid: int
    started_at: str
    state_folder: str
    live_jobs: int
    token: str = ""
    read_only: bool = False


class Endpoint(Model):
    """The note a daemon leaves in its state folder so that clients find it: the path of its socket, and who it is.

    `server` is its address for others, where it has one.
    """

    socket: str
    pid: int
    version: str
    server: str | None = None
