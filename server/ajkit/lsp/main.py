"""`aj lsp`: what the process is told by its environment, then the server."""

from __future__ import annotations

import gc
import logging
import os
import sys

from ajkit.client.facts import new_sid, now
from ajkit.disk import problems_page
from ajkit.lsp.convert import uri_of
from ajkit.lsp.server import serve_stdio, serve_tcp
from ajkit.lsp.session import Session
from ajkit.lsp.surroundings import Surroundings
from ajkit.streams import keep_whole


def main(*, tcp: tuple[str, int] | None = None) -> int:
    """Serve one client, on standard input and output or on a TCP port; the exit code."""
    # Trees are freed by counting references; a young collection in the middle of a large parse only costs.
    gc.set_threshold(100_000, 50, 1_000)
    # The loop must not wait long for a thread that parses a large file.
    sys.setswitchinterval(0.001)
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="aj lsp: %(levelname)s: %(message)s")
    home = os.environ.get("AJ_HOME")
    session = Session(
        environ_home=os.path.expanduser(home) if home else None,
        folder=os.getcwd(),
        surroundings=Surroundings(os.environ, now, new_sid),
    )
    page = problems_page()
    session.page = uri_of(page) if page else ""
    return serve_tcp(session, *tcp) if tcp else serve_stdio(session)


if __name__ == "__main__":
    keep_whole()  # as `aj` has done by now
    sys.exit(main())
