"""Standard streams that write whole what they are given."""

from __future__ import annotations

import io
import sys
from typing import Any


class _Patient(io.FileIO):
    """A file that waits until it can be written to, where others answer that it cannot be now."""

    def write(self, data: Any, /) -> int:
        """See `io.RawIOBase.write`; it never answers None."""
        while (written := super().write(data)) is None:
            import select  # noqa: PLC0415 - seldom needed, and a start counts

            room = select.poll()
            room.register(self, select.POLLOUT)
            room.poll()
        return written


def keep_whole() -> None:
    """See that nothing gets lost that this process writes to its standard output and standard error.

    Python's own streams lose it without a word, or raise, in two cases:

    - Python is told not to buffer (``PYTHONUNBUFFERED``, usual in containers), and a write does not take everything:
      the process was suspended while it waited for a reader, or a disk is nearly full.
    - The other end of the same socket or terminal made it non-blocking; so does the loop that reads our input where
      input and output are one socket, as they are below an SSH server.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if not isinstance(stream, io.TextIOWrapper) or stream is not getattr(sys, f"__{name}__"):
            continue  # closed, or somebody else's
        stream.flush()
        text = io.TextIOWrapper(
            io.BufferedWriter(_Patient(stream.fileno(), "wb", closefd=False)),
            stream.encoding,
            stream.errors,
            line_buffering=stream.line_buffering or stream.write_through,
        )
        # Under the second name it stays open when the first is turned elsewhere.
        setattr(sys, name, text)
        setattr(sys, f"__{name}__", text)
