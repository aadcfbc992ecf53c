"""The paths of jobs: take one, list them, show one, cancel one, and look at what an engine would get."""

from __future__ import annotations

from functools import partial
from typing import TYPE_CHECKING, Annotated

from fastapi import APIRouter, Header, Query, Request
from pydantic import ValidationError

from ajkit.daemon import records
from ajkit.daemon.parts import parts_of
from ajkit.daemon.refusals import RefusedRequest
from ajkit.shared.contract import (
    JOBS,
    KEY_HEADER,
    PAGE_LIMIT,
    RENDER,
    JobDetail,
    JobInfo,
    JobPage,
    ProblemDocument,
    ProblemShape,
    RenderAnswer,
    RenderRequest,
    SubmitRequest,
    job_path,
    problem_shape,
)
from ajkit.shared.job.execution import Execution, JobState, Rejected
from ajkit.shared.where import format_keypath
from ajkit.submit.registry import CannotRun

if TYPE_CHECKING:
    from ajkit.daemon.parts import Parts
    from ajkit.shared.job.spec import JobSpec

OWNER = ""
"""Who a job belongs to: whatever comes through the socket is its owner's."""

router = APIRouter(responses={"default": {"model": ProblemDocument, "description": "Refused, and why"}})


@router.post(JOBS, status_code=201)
async def submit(
    request: Request,
    body: SubmitRequest,
    key: Annotated[str | None, Header(alias=KEY_HEADER, min_length=1, max_length=200)] = None,
) -> JobInfo:
    """Take a job. It is on the disk when the answer comes; the same key and body answer the first outcome again."""
    parts = parts_of(request)
    if key is None:
        raise RefusedRequest("key.missing", f"send {KEY_HEADER}: any text of your own, the same one when you try again")
    try:
        before = partial(records.outcome_of_key, owner=OWNER, key=key, body=records.body_digest(body))
        known = await parts.ledger.ask(before)
        if known is not None:
            return known
        await _check(parts, body.spec)
        if parts.store.size_of(body.code_digest) is None:
            raise RefusedRequest("code.unsent", f"there is no code {body.code_digest} here: upload it before the job")
        info, new = await parts.ledger.accept(body, OWNER, key)
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
    if new:
        parts.queue.take(info.id)
    return info


@router.get(JOBS)
async def list_jobs(
    request: Request,
    *,
    state: Annotated[list[JobState] | None, Query(description="Any of these states.")] = None,
    live: Annotated[bool | None, Query(description="Not ended (true) or ended (false).")] = None,
    service: str | None = None,
    template: str | None = None,
    experiment: str | None = None,
    limit: Annotated[int, Query(ge=1, le=PAGE_LIMIT)] = 100,
    cursor: Annotated[str | None, Query(pattern="^[0-9]{1,18}$", description="`next` of the page before.")] = None,
) -> JobPage:
    """Jobs, newest first."""
    asked = records.Filter(
        states=tuple(state or ()),
        live=live,
        service=service,
        template=template,
        experiment=experiment,
        before=None if cursor is None else int(cursor),
    )
    jobs, following = await parts_of(request).ledger.ask(partial(records.list_jobs, asked=asked, limit=limit))
    return JobPage(jobs=jobs, next=None if following is None else str(following))


@router.get(job_path("{job_id}"))
async def show(request: Request, job_id: str) -> JobDetail:
    """One job and the description it runs by."""
    record = await parts_of(request).ledger.ask(partial(records.job_record, job_id=job_id))
    if record is None:
        raise no_such_job(job_id)
    return JobDetail(job=record.info, spec=record.spec)


@router.post(job_path("{job_id}", "cancel"), status_code=202)
async def cancel(request: Request, job_id: str) -> JobInfo:
    """Ask for a job to be stopped; its state says when the engine has done so. A job that has ended stays as it is."""
    info = await parts_of(request).ledger.ask_cancel(job_id)
    if info is None:
        raise no_such_job(job_id)
    return info


@router.post(RENDER)
async def render(request: Request, body: RenderRequest) -> RenderAnswer:
    """What the engine would be handed for a job, and its own opinion where that is asked for. Nothing is submitted."""
    parts = parts_of(request)
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
