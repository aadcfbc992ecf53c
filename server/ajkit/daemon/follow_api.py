"""The paths that follow a job: events and logs as server-sent events that can be resumed, and ranges of a log."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Annotated, Any

from fastapi import APIRouter, Header, Query, Request
from fastapi.responses import Response, StreamingResponse

from ajkit.daemon import records
from ajkit.daemon.follow import ALIVE_SECONDS, Follower, placed_job, sent
from ajkit.daemon.jobs_api import no_such_job
from ajkit.daemon.parts import parts_of
from ajkit.daemon.refusals import RefusedRequest
from ajkit.shared.contract import LogList, LogStreamInfo, ProblemDocument, job_path

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from ajkit.daemon.parts import Parts
    from ajkit.daemon.records import JobRecord
    from ajkit.shared.job.execution import Execution, Handle

EVENT_STREAM = "text/event-stream"
RANGE_LIMIT = 4 * 2**20

_RANGE = re.compile(r"bytes=(\d{1,18})-(\d{0,18})")

router = APIRouter(responses={"default": {"model": ProblemDocument, "description": "Refused, and why"}})

_STREAM_ANSWER: dict[int | str, dict[str, Any]] = {200: {"content": {EVENT_STREAM: {"schema": {"type": "string"}}}}}


async def _record(parts: Parts, job_id: str) -> JobRecord:
    record = await parts.ledger.ask(partial(records.job_record, job_id=job_id))
    if record is None:
        raise no_such_job(job_id)
    return record


@router.get(job_path("{job_id}", "events"), response_class=StreamingResponse, responses=_STREAM_ANSWER)
async def events(
    request: Request, job_id: str, last_event_id: Annotated[str, Header(pattern="^[0-9]{1,18}$")] = "0"
) -> StreamingResponse:
    """Every event of a job, past and to come, after `Last-Event-ID`; ends when the job has."""
    parts = parts_of(request)
    await _record(parts, job_id)

    async def stream() -> AsyncIterator[str]:
        seen = int(last_event_id)
        while not parts.hub.closed:
            ticket = parts.hub.ticket(job_id)
            news = await parts.ledger.ask(partial(records.events_after, job_id=job_id, seq=seen))
            for each in news:
                seen = each.seq
                yield sent("state", each, str(seen))
            info = await parts.ledger.ask(partial(records.job_info, job_id=job_id))
            if info is None or (info.state.is_terminal and not news):
                yield sent("end", "", str(seen))
                return
            if not news and not await parts.hub.wait(job_id, ticket, ALIVE_SECONDS):
                yield ": still here\n\n"

    return StreamingResponse(stream(), media_type=EVENT_STREAM)


@router.get(job_path("{job_id}", "logs"), response_class=Response, responses={200: {"model": LogList}})
async def logs(
    request: Request,
    job_id: str,
    stream: Annotated[str | None, Query(description="One log only; without `follow`, its bytes.")] = None,
    follow: Annotated[bool, Query(description="Send texts and states until the job has ended.")] = False,
    byte_range: Annotated[str | None, Header(alias="Range", description="`bytes=from-` or `bytes=from-to`.")] = None,
    last_event_id: Annotated[str, Header(max_length=10_000)] = "",
) -> Response:
    """The logs of a job: their names; with `stream` a range of one; with `follow` all of them as they grow."""
    parts = parts_of(request)
    record = await _record(parts, job_id)
    if follow:
        follower = Follower(parts, record, last_event_id, only=stream)
        return StreamingResponse(follower.stream(), media_type=EVENT_STREAM)
    placed = placed_job(parts, record)
    if stream is not None:
        return await _range(parts, placed, stream, byte_range)
    found = [] if placed is None else await parts.engines.call(placed[0].streams, placed[1])
    names = LogList(streams=[LogStreamInfo(name=each.name, node=each.node) for each in found])
    return Response(names.model_dump_json(), media_type="application/json")


async def _range(
    parts: Parts, placed: tuple[Execution, Handle] | None, stream: str, byte_range: str | None
) -> Response:
    """Bytes of one log. The answer is always partial: a log may grow, and one answer is limited."""
    wanted = _RANGE.fullmatch(byte_range or "bytes=0-")
    if wanted is None:
        raise RefusedRequest("request.invalid", f"Range {byte_range!r} is not bytes=from- or bytes=from-to")
    start = int(wanted[1])
    limit = min(int(wanted[2]) - start + 1, RANGE_LIMIT) if wanted[2] else RANGE_LIMIT
    if placed is None or limit < 1:
        data = b""
    else:
        try:
            chunk = await parts.engines.call(placed[0].logs, placed[1], stream, start, limit)
        except KeyError:
            raise RefusedRequest("log.missing", f"this job has no log {stream!r}") from None
        data = chunk.data
    place = f"bytes {start}-{start + len(data) - 1}/*" if data else "bytes */*"
    return Response(data, 206, {"Content-Range": place}, media_type="application/octet-stream")
