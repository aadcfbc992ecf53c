"""Standard streams that write whole what they are given."""

from __future__ import annotations

import io
import sys


def keep_whole() -> None:
    """See that nothing gets lost that is written to standard output and standard error.

    Where Python is told not to buffer (``PYTHONUNBUFFERED``, usual in containers) its streams hand a text to the
    system once, and what that does not take is gone without a word: when the process is suspended while it waits for
    a reader and goes on, or when a disk is nearly full. Streams that buffer write until all is written or it fails.
    """
    for name in ("stdout", "stderr"):
        stream = getattr(sys, name)
        if isinstance(getattr(stream, "buffer", None), io.FileIO):
            whole = io.BufferedWriter(io.FileIO(stream.fileno(), "wb", closefd=False))
            more = {"encoding": stream.encoding, "errors": stream.errors}
            text = io.TextIOWrapper(whole, **more, line_buffering=True)
            for each in (name, f"__{name}__"):  # the second keeps it open when the first is turned elsewhere
                setattr(sys, each, text)
