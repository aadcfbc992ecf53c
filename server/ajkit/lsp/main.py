"""`aj lsp`: what the process is told by its environment, then the server."""

from __future__ import annotations

import logging
import os
import sys

from ajkit.lsp.server import serve_stdio, serve_tcp
from ajkit.lsp.session import Session


def main(*, tcp: tuple[str, int] | None = None) -> int:
    """Serve one client, on standard input and output or on a TCP port; the exit code."""
    logging.basicConfig(stream=sys.stderr, level=logging.WARNING, format="aj lsp: %(levelname)s: %(message)s")
    home = os.environ.get("AJ_HOME")
    session = Session(environ_home=os.path.expanduser(home) if home else None, folder=os.getcwd())
    return serve_tcp(session, *tcp) if tcp else serve_stdio(session)


if __name__ == "__main__":
    sys.exit(main())
