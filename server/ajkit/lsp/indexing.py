"""Reading who extends whom in a home, step by step, beside the requests."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING

from ajkit.lsp.progress import Progress
from ajkit.shared.template.graph import Graph, reading

if TYPE_CHECKING:
    from ajkit.lsp.session import Session

SLICE_FILES = 40
"""How many files are read before others get their turn."""
SHOWN_FILES = 400
"""How many files are left to read when the person is shown that they are being read."""


async def read_graph(session: Session, home: str) -> None:
    """Read the base graph of a home for the session."""
    graph = Graph(home)
    engine = session.engine
    progress, total = Progress(), 0
    try:
        for left in reading(session.files, graph, engine.globbed(home)):
            if left % SLICE_FILES == 0:
                if not total and left >= SHOWN_FILES:
                    progress, total = session.progress("Reading templates"), left
                if total:
                    progress.report(f"{left} to go", 100 - 100 * left // total)
                await asyncio.sleep(0)
    finally:
        progress.end()
    if engine is session.engine:
        session.graph_is_read(graph)


async def known_graph(session: Session, home: str) -> Graph:
    """The base graph of a home, read now where it is not known yet."""
    if not session.engine.has_graph(home):
        await read_graph(session, home)
    return session.engine.graph(home)
