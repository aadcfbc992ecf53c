"""The paths that follow a job: events and logs as server-sent events that can be resumed, and ranges of a log."""

from __future__ import annotations

import re
from functools import partial
from typing import TYPE_CHECKING, Annotated

from pydantic import Field
from starlette.responses import Response, StreamingResponse

from ajkit.daemon import records
from ajkit.daemon.follow import ALIVE_SECONDS, Follower, placed_job, sent
from ajkit.daemon.jobs_api import no_such_job
from ajkit.daemon.refusals import RefusedRequest
from ajkit.daemon.routes import Call, Fields, Headers, Nothing, Path
from ajkit.shared.contract import LogList, LogStreamInfo, job_path

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from ajkit.daemon.parts import Parts
    from ajkit.daemon.records import JobRecord
    from ajkit.shared.job.execution import Execution, Handle

EVENT_STREAM = "text/event-stream"
RANGE_LIMIT = 4 * 2**20

_RANGE = re.compile(r"^bytes=\d{1,18}-\d{0,18}$")


class EventsHeader(Headers):
    """Where to go on: the id of the last event seen."""

    after: Annotated[int, Field(alias="last-event-id", ge=0, lt=10**18)] = 0


class LogsHeader(Headers):
    """Where to go on when following, or which bytes of one log: ``bytes=from-`` or ``bytes=from-to``."""

    after: Annotated[str, Field(alias="last-event-id", max_length=10_000)] = ""
    range: Annotated[str, Field(pattern=_RANGE.pattern)] = "bytes=0-"


class LogsQuery(Fields):
    """`stream` names one log; with `follow` texts and states are sent until the job has ended."""

    stream: str | None = None
    follow: bool = False


async def follow_events(call: Call[Nothing, EventsHeader, Nothing]) -> StreamingResponse:
    """Every event of a job, past and to come, after `Last-Event-ID`; ends when the job has."""
    parts, job_id = call.parts, call.place("job_id")
    await _record(parts, job_id)

    async def stream() -> AsyncIterator[str]:
        seen = call.headers.after
        while not parts.hub.closed:
            ticket = parts.hub.ticket(job_id)
            # The job before its events, so that its end is among them.
            info = await parts.ledger.ask(partial(records.job_info, job_id=job_id))
            news = await parts.ledger.ask(partial(records.events_after, job_id=job_id, seq=seen))
            for each in news:
                seen = each.seq
                yield sent("state", each, str(seen))
            if info is None or (info.state.is_terminal and not news):
                yield sent("end", "", str(seen))
                return
            if not news and not await parts.hub.wait(job_id, ticket, ALIVE_SECONDS):
                yield ": still here\n\n"

    return StreamingResponse(stream(), media_type=EVENT_STREAM)


async def read_logs(call: Call[LogsQuery, LogsHeader, Nothing]) -> LogList | Response:
    """The logs of a job: their names; with `stream` a range of one; with `follow` all of them as they grow."""
    parts, query = call.parts, call.query
    record = await _record(parts, call.place("job_id"))
    if query.follow:
        follower = Follower(parts, record, call.headers.after, only=query.stream)
        return StreamingResponse(follower.stream(), media_type=EVENT_STREAM)
    placed = placed_job(parts, record)
    if query.stream is not None:
        return await _range(parts, placed, query.stream, call.headers.range)
    found = [] if placed is None else await parts.engines.call(placed[0].streams, placed[1])
    return LogList(streams=[LogStreamInfo(name=each.name, node=each.node) for each in found])


async def _record(parts: Parts, job_id: str) -> JobRecord:
    record = await parts.ledger.ask(partial(records.job_record, job_id=job_id))
    if record is None:
        raise no_such_job(job_id)
    return record


async def _range(parts: Parts, placed: tuple[Execution, Handle] | None, stream: str, byte_range: str) -> Response:
    """Bytes of one log. The answer is always partial: a log may grow, and one answer is limited."""
    first, _, last = byte_range.removeprefix("bytes=").partition("-")
    start = int(first)
    limit = min(int(last) - start + 1, RANGE_LIMIT) if last else RANGE_LIMIT
    if placed is None or limit < 1:
        data = b""
    else:
        try:
            chunk = await parts.engines.pick(placed[0].logs, placed[1], stream, start, limit)
        except KeyError:
            raise RefusedRequest("log.missing", f"this job has no log {stream!r}") from None
        data = chunk.data
    place = f"bytes {start}-{start + len(data) - 1}/*" if data else "bytes */*"
    return Response(data, 206, {"Content-Range": place}, media_type="application/octet-stream")


PATHS = (
    Path("GET", job_path("{job_id}", "events"), follow_events, EVENT_STREAM, headers=EventsHeader),
    Path("GET", job_path("{job_id}", "logs"), read_logs, LogList, query=LogsQuery, headers=LogsHeader),
)
