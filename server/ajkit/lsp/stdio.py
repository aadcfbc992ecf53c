"""A server on standard input and output, read by the loop itself: a thread that reads costs a message several turns."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import stat
from typing import TYPE_CHECKING, Any, BinaryIO

from pygls.io_ import run_async

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable

    from pygls.protocol import LanguageServerProtocol

log = logging.getLogger("aj.lsp")

LONGEST = 1 << 27
"""The longest line that is read, in bytes; headers are lines, bodies are not."""


class _Reader:
    """A stream in the form that pygls reads: nothing more is empty. Before each body all that waits gets its turn."""

    def __init__(self, stream: asyncio.StreamReader) -> None:
        self._stream = stream

    async def readline(self) -> bytes:
        return await self._stream.readline()

    async def readexactly(self, size: int) -> bytes:
        await asyncio.sleep(0)  # what is here already is read without waiting: work must begin before it is cancelled
        try:
            return await self._stream.readexactly(size)
        except asyncio.IncompleteReadError:
            return b""


def can_serve(pipe: BinaryIO) -> bool:
    """Whether the loop can wait for what is in a pipe: on systems of Unix's kind, and where it is no file or device."""
    mode = os.fstat(pipe.fileno()).st_mode
    return os.name == "posix" and (stat.S_ISFIFO(mode) or stat.S_ISSOCK(mode))


async def serve(
    pipe: BinaryIO, protocol: LanguageServerProtocol, stopped: threading.Event, report: Callable[..., Any]
) -> None:
    """Handle the messages of a pipe until it ends."""
    stream = asyncio.StreamReader(limit=LONGEST)
    loop = asyncio.get_running_loop()
    transport, _ = await loop.connect_read_pipe(lambda: asyncio.StreamReaderProtocol(stream), pipe)
    try:
        await run_async(stopped, _Reader(stream), protocol, log, report)
    finally:
        with contextlib.suppress(RuntimeError):  # the loop may be closed already
            transport.close()
