"""Commands of a view of jobs: what the daemon keeps, what a job is and says, and stopping it."""

from __future__ import annotations

from collections import deque
from typing import TYPE_CHECKING, Any, TypeVar

from ajkit.lsp.arguments import Arguments
from ajkit.lsp.failure import INVALID_PARAMS, RequestFailed
from ajkit.lsp.origin import origin_of
from ajkit.lsp.telling import versioned
from ajkit.lsp.threads import in_thread
from ajkit.shared.job.render import masked_bytes
from ajkit.shared.problem import AjError

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ajkit.client.daemon import Daemon, LogLine
    from ajkit.lsp.capabilities import Client
    from ajkit.lsp.session import Session

    Result = TypeVar("Result")

MOST, LINES = 50, 200


async def jobs(session: Session, _client: Client, arguments: list[Any]) -> dict[str, Any]:
    """`aj.jobs` (live, most, start): the newest jobs, newest first.

    With `live` only those that have not ended. A daemon that does not run is left alone, and `running` is false, unless
    `start` is true: a view may ask often.
    """
    given = Arguments(arguments, ("live", "most", "start"))
    most, live = given.number("most", MOST), given.flag("live", otherwise=False)
    start = given.flag("start", otherwise=False)

    def listed(daemon: Daemon) -> list[dict[str, Any]]:
        return [each.model_dump(mode="json") for each in daemon.jobs(live=live or None, most=most)]

    try:
        return versioned(running=True, jobs=await _asked(session, listed, start=start), message=None)
    except RequestFailed as error:
        if start:
            raise
        return versioned(running=False, jobs=[], message=str(error))


async def job_logs(session: Session, _client: Client, arguments: list[Any]) -> dict[str, Any]:
    """`aj.jobLogs` (job, lines, stream): the last lines of every log of a job, and what became of it."""
    given = Arguments(arguments, ("job", "lines", "stream"))
    job, lines, stream = given.required("job"), given.number("lines", LINES), given.text("stream")

    def read(daemon: Daemon) -> dict[str, Any]:
        info = daemon.job(job).job
        return {"job": info.model_dump(mode="json"), "streams": _tails(daemon.logs(info.id, stream=stream), lines)}

    return versioned(**await _asked(session, read))


async def follow_logs(session: Session, _client: Client, arguments: list[Any]) -> dict[str, Any]:
    """`aj.followLogs` (job, after, stream): what came of the logs of a job since `after`, and what became of it.

    The first call has no `after`, each other has that of the answer before. `more` says that there is more to be had at
    once, `complete` that there will never be any: the job has ended.
    """
    given = Arguments(arguments, ("job", "after", "stream"))
    job, mark, stream = given.required("job"), given.text("after", ""), given.text("stream")

    def read(daemon: Daemon) -> dict[str, Any]:
        from ajkit.client.logtail import read_on

        # The job before its logs: when it had ended by then, they hold all there will be.
        info = daemon.job(job).job
        ended = info.state.is_terminal
        news = read_on(daemon, info.id, mark or "", stream=stream, ended=ended)
        return {
            "job": info.model_dump(mode="json"),
            "pieces": [{"stream": each.stream, "node": each.node, "text": each.text} for each in news.pieces],
            "after": news.mark,
            "more": news.more,
            "complete": ended and not news.more,
        }

    try:
        return versioned(**await _asked(session, read))
    except ValueError as error:
        raise RequestFailed(str(error), INVALID_PARAMS) from error


async def job_spec(session: Session, _client: Client, arguments: list[Any]) -> dict[str, Any]:
    """`aj.jobSpec` (job): the JobSpec of a job, secrets masked, and what would ask for such a job again.

    `template` is the file it was made from, null where no home in use has it; `request` holds the shape, and the words
    that were given after the command of the template.
    """
    job = Arguments(arguments, ("job",)).required("job")
    detail = await _asked(session, lambda daemon: daemon.job(job))
    path, request = origin_of(session, detail.spec)
    return versioned(
        job=detail.job.model_dump(mode="json"),
        text=masked_bytes(detail.spec).decode(),
        template=None if path is None else {"path": path, "uri": session.uri_of(path)},
        request=request,
    )


async def cancel_job(session: Session, _client: Client, arguments: list[Any]) -> dict[str, Any]:
    """`aj.cancelJob` (job): ask for a job to be stopped; its state says when that is done."""
    job = Arguments(arguments, ("job",)).required("job")
    return versioned(job=await _asked(session, lambda daemon: daemon.cancel(job).model_dump(mode="json")))


def _tails(pieces: Iterable[LogLine], lines: int) -> list[dict[str, Any]]:
    """The last lines of each log, by its name."""
    kept: dict[str, deque[str]] = {}
    nodes: dict[str, int] = {}
    for each in pieces:
        nodes[each.stream] = each.node
        tail = kept.setdefault(each.stream, deque(maxlen=lines))
        parts = each.text.splitlines(keepends=True)
        if tail and parts and not tail[-1].endswith("\n"):
            parts[0] = tail.pop() + parts[0]
        tail.extend(parts)
    return [{"name": name, "node": nodes[name], "text": "".join(tail)} for name, tail in kept.items()]


async def _asked(session: Session, ask: Callable[[Daemon], Result], *, start: bool = True) -> Result:
    """What the daemon says, asked in a thread.

    Raises:
        RequestFailed: it says no, or cannot be reached.
    """

    def work() -> Result:
        from ajkit.client.daemon import Daemon

        return ask(Daemon.connect(start=start, environ=session.surroundings.environ))

    try:
        return await in_thread(work)
    except AjError as error:
        raise RequestFailed(str(error)) from error
