"""The paths of jobs: take one, list them, show one, cancel one, and look at what an engine would get."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

from pydantic import Field, ValidationError
from starlette.responses import JSONResponse

from ajkit.daemon import records
from ajkit.daemon.refusals import RefusedRequest
from ajkit.daemon.routes import Call, Fields, Headers, Nothing, Path
from ajkit.shared.contract import (
    JOBS,
    KEY_HEADER,
    PAGE_LIMIT,
    RENDER,
    JobDetail,
    JobInfo,
    JobPage,
    ProblemShape,
    RenderAnswer,
    RenderRequest,
    SubmitRequest,
    job_path,
    problem_shape,
)
from ajkit.shared.job.execution import Execution, JobState, Rejected
from ajkit.shared.job.render import fields_of
from ajkit.shared.template.secrets import masked
from ajkit.shared.where import format_keypath
from ajkit.submit.registry import CannotRun

if TYPE_CHECKING:
    from starlette.responses import Response

    from ajkit.daemon.parts import Parts
    from ajkit.shared.job.spec import JobSpec

MOST_PROCESSES = 1_000_000
"""The most processes a job may have, whatever the engine."""

_Plain = Call[Nothing, Headers, Nothing]


class KeyHeader(Headers):
    """A text of the client's own that makes a submission the same when it is sent again."""

    key: Annotated[str | None, Field(alias=KEY_HEADER.lower(), min_length=1, max_length=200)] = None


class ListQuery(Fields):
    """Which jobs to list: those for which all that is given is true."""

    state: list[JobState] = []
    live: bool | None = None
    service: str | None = None
    template: str | None = None
    experiment: str | None = None
    owner: str | None = None
    limit: Annotated[int, Field(ge=1, le=PAGE_LIMIT)] = 100
    cursor: Annotated[str | None, Field(pattern="^[0-9]{1,18}$")] = None


class ShowQuery(Fields):
    """With `masked` the secrets in the description are written ``***``."""

    masked: bool = False


async def submit_job(call: Call[Nothing, KeyHeader, SubmitRequest]) -> JobInfo:
    """Take a job. It is on the disk when the answer comes; the same key and body answer the first outcome again."""
    parts, body, key, owner = call.parts, call.body, call.headers.key, call.principal.name
    if key is None:
        raise RefusedRequest("key.missing", f"send {KEY_HEADER}: any text of your own, the same one when you try again")
    with parts.queue.accepting():
        info, new = await _accept(parts, body, owner, key)
    if new:
        parts.queue.take(info.id, records.JobRecord(info, body.spec, body.caller))
    return info


async def _accept(parts: Parts, body: SubmitRequest, owner: str, key: str) -> tuple[JobInfo, bool]:
    """The job of a submission, on the disk, and whether it is new.

    Raises:
        RefusedRequest: it is not taken.
    """
    try:
        try:
            await _check(parts, body.spec)
            if parts.store.size_of(body.code_digest) is None:
                raise RefusedRequest(
                    "code.unsent", f"there is no code {body.code_digest} here: upload it before the job"
                )
        except RefusedRequest:
            # What is refused today may have been taken before; then the first outcome stands.
            ask = partial(records.outcome_of_key, owner=owner, key=key, body=records.body_digest(body))
            known = await parts.ledger.ask(ask)
            if known is None:
                raise
            return known, False
        return await parts.ledger.accept(body, owner, key)
    except records.KeyReused as error:
        raise RefusedRequest(
            "key.reused", f"this key made job {error.job_id} from another body", job_id=error.job_id
        ) from None
    except records.JobExists as error:
        raise RefusedRequest(
            "job.exists",
            f"there is a job {error} already (aj jobs show {error}); leave the sid out to draw a new one",
            job_id=str(error),
        ) from None


async def list_jobs(call: Call[ListQuery, Headers, Nothing]) -> JobPage:
    """Jobs, newest first; `next` of a page is the cursor of the one after."""
    query = call.query
    asked = records.Filter(
        states=tuple(query.state),
        live=query.live,
        service=query.service,
        template=query.template,
        experiment=query.experiment,
        owner=query.owner,
        before=None if query.cursor is None else int(query.cursor),
    )
    jobs, following = await call.parts.ledger.ask(partial(records.list_jobs, asked=asked, limit=query.limit))
    return JobPage(jobs=jobs, next=None if following is None else str(following))


async def show_job(call: Call[ShowQuery, Headers, Nothing]) -> JobDetail | Response:
    """One job, the description it runs by, and where that came from. Who may only look gets it masked in any case."""
    job_id = call.place("job_id")
    record = await call.parts.ledger.ask(partial(records.job_record, job_id=job_id))
    if record is None:
        raise no_such_job(job_id)
    origins = await call.parts.ledger.ask(partial(records.job_origins, job_id=job_id))
    detail = JobDetail(job=record.info, spec=record.spec, origins=origins)
    if not (call.query.masked or call.principal.read_only):
        return detail
    return JSONResponse({**detail.model_dump(mode="json"), "spec": masked(fields_of(record.spec))})


async def cancel_job(call: _Plain) -> JobInfo:
    """Ask for a job to be stopped; its state says when the engine has done so. A job that has ended stays as it is."""
    job_id = call.place("job_id")
    info = await call.parts.ledger.ask_cancel(job_id)
    if info is None:
        raise no_such_job(job_id)
    call.parts.queue.cancel(job_id)
    return info


async def render_job(call: Call[Nothing, Headers, RenderRequest]) -> RenderAnswer:
    """What the engine would be handed for a job, and its own opinion where that is asked for. Nothing is submitted."""
    parts, body = call.parts, call.body
    execution = await _check(parts, body.spec)
    job = parts.queue.submission(body.spec, body.caller)
    try:
        rendered = await parts.engines.call(execution.render, job)
        opinion = await parts.engines.call(execution.dry_run, job) if body.dry_run else None
    except Rejected as error:
        raise RefusedRequest("engine.refused", str(error)) from None
    return RenderAnswer(files=dict(rendered.files), opinion=opinion)


def no_such_job(job_id: str) -> RefusedRequest:
    """The refusal of a job that is not in the journal."""
    return RefusedRequest("job.missing", f"there is no job {job_id!r} here; `aj jobs list` shows those there are")


async def _check(parts: Parts, spec: JobSpec) -> Execution:
    """What runs a job, after everything that can be said against its description without asking the engine.

    Raises:
        RefusedRequest: something was said.
    """
    try:
        execution = parts.executions.find(spec.service)
    except CannotRun as error:
        raise RefusedRequest("service.unknown", str(error)) from None
    service = parts.services.find(spec.service)
    problems: list[ProblemShape] = []
    if service is not None:
        try:
            service.load_spec_backend(spec.backend_spec)
        except ValidationError as error:
            problems = [_of_option(("backend_spec", *each["loc"]), each["msg"]) for each in error.errors()]
    if spec.nodes * spec.processes_per_node > MOST_PROCESSES:
        problems.append(_of_option(("nodes",), f"more than {MOST_PROCESSES} processes"))
    if not problems:
        found = await parts.engines.call(execution.check, spec)
        problems = [problem_shape(each) for each in found if each.is_error]
    if problems:
        raise RefusedRequest("spec.invalid", "; ".join(each.message for each in problems), problems=problems)
    return execution


def _of_option(path: tuple[str | int, ...], message: str) -> ProblemShape:
    return ProblemShape(
        path=None, code="spec.invalid", severity="error", message=f"{format_keypath(path)}: {message}", range=None
    )


PATHS = (
    Path("POST", JOBS, submit_job, JobInfo, status=201, headers=KeyHeader, body=SubmitRequest),
    Path("GET", JOBS, list_jobs, JobPage, query=ListQuery),
    Path("GET", job_path("{job_id}"), show_job, JobDetail, query=ShowQuery),
    Path("POST", job_path("{job_id}", "cancel"), cancel_job, JobInfo, status=202),
    Path("POST", RENDER, render_job, RenderAnswer, body=RenderRequest),
)
