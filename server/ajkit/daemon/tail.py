"""The logs of one job as a sequence of texts: whole lines where possible, nothing lost, resumable at any piece."""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ajkit.shared.contract import LogText

if TYPE_CHECKING:
    from ajkit.daemon.engines import Engines
    from ajkit.shared.job.execution import Execution, Handle

_CHUNK = 64 * 1024
_PATIENCE = 0.5
"""Seconds after which the start of a line is shown though its end has not come (a prompt, a progress bar)."""

_OFFSETS = re.compile(r"([a-z0-9.-]+)=(\d+)")


def format_offsets(offsets: dict[str, int]) -> str:
    """Where a reader of several logs is: ``node-0=120,node-1=44``."""
    return ",".join(f"{name}={offset}" for name, offset in sorted(offsets.items()))


def parse_offsets(text: str) -> dict[str, int]:
    """Read what `format_offsets` writes; what is not that is passed over."""
    return {name: int(offset) for name, offset in _OFFSETS.findall(text)}


@dataclass(slots=True)
class _Stream:
    offset: int
    pending: bytes = b""
    since: float = 0.0
    complete: bool = False


class Tail:
    """Reads all logs of a job, each from an offset."""

    def __init__(
        self,
        engines: Engines,
        execution: Execution,
        handle: Handle,
        offsets: dict[str, int],
        only: str | None = None,
    ) -> None:
        """`offsets` says where each log is begun; `only` names the one log that is wanted, all of them otherwise."""
        self._engines = engines
        self._execution = execution
        self._handle = handle
        self._streams: dict[str, _Stream] = {}
        self._begin = dict(offsets)
        self._only = only

    async def read(self, *, ended: bool) -> list[tuple[LogText, int]]:
        """The next piece of each log and the offset of its end; empty: nothing now or, with `ended`, nothing ever.

        Raises:
            ExecutionError: the engine cannot be asked.
        """
        texts = []
        # At the end only what is certain counts; before, all who follow the job share what one of them has read.
        ask = self._engines.call if ended else self._engines.shared
        for found in await ask(self._execution.streams, self._handle):
            if self._only in {None, found.name}:
                text, end = await self._next(found.name, ended=ended)
                if text:
                    texts.append((LogText(stream=found.name, node=found.node, text=text), end))
        return texts

    async def _next(self, name: str, *, ended: bool) -> tuple[str, int]:
        stream = self._streams.setdefault(name, _Stream(self._begin.get(name, 0)))
        if stream.complete:
            return "", stream.offset
        now = asyncio.get_running_loop().time()
        cut = 0
        while not cut:
            ask = self._engines.call if ended else self._engines.shared
            chunk = await ask(self._execution.logs, self._handle, name, stream.offset, _CHUNK)
            stream.offset, stream.complete = chunk.next_offset, chunk.complete
            stream.since = now if chunk.data else stream.since
            stream.pending += chunk.data
            last = chunk.complete or (ended and not chunk.data)
            late = now - stream.since > _PATIENCE or len(stream.pending) > _CHUNK
            cut = _cut(stream.pending, late=late, last=last)
            if not chunk.data or last:
                break
        data, stream.pending = stream.pending[:cut], stream.pending[cut:]
        return data.decode("utf-8", "replace"), stream.offset - len(stream.pending)


def _cut(data: bytes, *, late: bool, last: bool) -> int:
    """Where to end a piece: after a whole line; when it is late, after a whole character; at the end at the last."""
    if last:
        return len(data)
    lines = max(data.rfind(b"\n"), data.rfind(b"\r")) + 1
    return _whole_characters(data) if late and not lines else lines


def _whole_characters(data: bytes) -> int:
    """How many bytes of a text stay when a UTF-8 character that has only begun is left for later."""
    for back in range(1, min(4, len(data)) + 1):
        lead = data[-back]
        if lead >= 0xC0:
            needed = 2 if lead < 0xE0 else 3 if lead < 0xF0 else 4
            return len(data) - back if needed > back else len(data)
        if lead < 0x80:
            break
    return len(data)
