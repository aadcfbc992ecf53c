"""Reading on in the logs of a job: what came since a mark, without waiting for more."""

from __future__ import annotations

import codecs
from dataclasses import dataclass
from typing import TYPE_CHECKING
from urllib.parse import parse_qsl, urlencode

from ajkit.shared.contract import LogList, job_path

if TYPE_CHECKING:
    from ajkit.client.daemon import Daemon

PIECE = 256 * 2**10
"""The most bytes of one log that are read at once."""


@dataclass(frozen=True, slots=True)
class Piece:
    """What came of one log; it may end within a line."""

    stream: str
    node: int
    text: str


@dataclass(frozen=True, slots=True)
class News:
    """The pieces of all logs in their order, the mark to go on from, and whether more is there already."""

    pieces: tuple[Piece, ...]
    mark: str
    more: bool


class BadMark(ValueError):
    """A mark that was never given out."""


def read_on(daemon: Daemon, job_id: str, mark: str = "", *, stream: str | None = None, ended: bool = False) -> News:
    """What the logs of a job hold after a mark; the empty mark is their beginning.

    Args:
        daemon: who keeps the job.
        job_id: the job.
        mark: that of the news before.
        stream: the one log that is wanted.
        ended: whether the job has ended: then bytes that are no whole character will never be one.

    Raises:
        BadMark: the mark is not one of these.
        DaemonRefused: ``job.missing``; the engine of the job cannot be asked now.
        DaemonFailed: the daemon cannot be reached.
    """
    offsets = _offsets(mark)
    path = job_path(job_id, "logs")
    pieces, more = [], False
    for each in LogList.model_validate_json(daemon.reach.call("GET", path)).streams:
        if stream not in (None, each.name):
            continue
        start = offsets.get(each.name, 0)
        headers = {"Range": f"bytes={start}-{start + PIECE - 1}"}
        data = daemon.reach.call("GET", path, query={"stream": each.name}, headers=headers)
        full = len(data) >= PIECE
        decoder = codecs.getincrementaldecoder("utf-8")("replace")
        text = decoder.decode(data, final=ended and not full)
        offsets[each.name] = start + len(data) - len(decoder.getstate()[0])
        more = more or full
        if text:
            pieces.append(Piece(each.name, each.node, text))
    return News(tuple(pieces), urlencode(offsets), more)


def _offsets(mark: str) -> dict[str, int]:
    try:
        found = {name: int(offset) for name, offset in parse_qsl(mark, strict_parsing=bool(mark))}
    except ValueError as error:
        raise BadMark(f"{mark!r} is not the mark of a log") from error
    if any(offset < 0 for offset in found.values()):
        raise BadMark(f"{mark!r} is not the mark of a log")
    return found
