"""Reading who extends whom in a home, beside the requests: in a thread, since a disk may be slow."""

from __future__ import annotations

import posixpath
from functools import wraps
from itertools import islice
from typing import TYPE_CHECKING, Any

from ajkit.lsp import convert
from ajkit.lsp.failure import SERVER_CANCELLED, RequestFailed
from ajkit.lsp.progress import Progress
from ajkit.lsp.threads import in_thread, rest
from ajkit.shared.template.graph import Graph, reading

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ajkit.lsp.capabilities import Client
    from ajkit.lsp.session import Session

    Feature = Callable[[Session, Client, Any], Any]

SLICE_FILES = 100
"""How many files are read before it is said how many are left, and looked whether the person wants to go on."""
FILES_A_STEP = 4
"""How many files are read before somebody who asks is let in."""
SHOWN_FILES = 400
"""How many files are left to read when the person is shown that they are being read."""


async def read_graph(session: Session, home: str) -> bool:
    """Read the base graph of a home for the session; False when the person stopped it."""
    while True:
        begun = session.disk_state
        if not await _read(session, home):
            return False
        if begun == session.disk_state:
            return True


async def _read(session: Session, home: str) -> bool:
    graph = Graph(home)
    engine = session.engine
    progress, total = Progress(), 0
    try:
        globbed = await _globbed(session, home)
        steps = await in_thread(lambda: reading(session.files, graph, globbed))
        while (left := await in_thread(lambda: _read_some(session, steps))) is not None:
            if not total and left >= SHOWN_FILES:
                progress, total = session.progress("Reading templates", stoppable=True), left
            if total:
                progress.report(f"{left} to go", 100 - 100 * left // total)
            if progress.stopped.is_set():
                session.graph_is_not_read(home)
                return False
    finally:
        progress.end()
    if engine is session.engine:
        session.graph_is_read(graph)
    return True


async def _globbed(session: Session, home: str) -> list[str]:
    """The templates of a home that lie outside of it; kept only when nothing has changed while they were looked for."""
    engine, begun = session.engine, session.disk_state
    settings = engine.settings(home)
    found = await in_thread(lambda: engine.look_for_globbed(home, settings))
    if engine is session.engine and begun == session.disk_state:
        engine.take_globbed(home, found)
    return found


def _read_some(session: Session, steps: Iterator[int]) -> int | None:
    """Read some files; how many are left, None when there were none any more."""
    left = None
    for left in islice(steps, SLICE_FILES):
        if not left % FILES_A_STEP:
            rest(session.heard)
    return left


async def known_graph(session: Session, home: str) -> Graph:
    """The base graph of a home, read now where it is not known yet.

    Raises:
        RequestFailed: the person stopped the reading.
    """
    if not session.engine.has_graph(home) and not await read_graph(session, home):
        raise RequestFailed("reading the templates was stopped", SERVER_CANCELLED, {"retriggerRequest": False})
    return session.engine.graph(home)


def once_known(feature: Feature) -> Feature:
    """A feature that waits until it is known who extends whom around its documents: half an answer would do harm.

    A rename, say, would leave the names in files that are not read yet.
    """

    @wraps(feature)
    def asked(session: Session, client: Client, params: dict[str, Any]) -> Any:
        homes = dict.fromkeys(session.engine.home_of(path) for path in _paths(params))
        unknown = [each for each in homes if each is not None and not session.engine.has_graph(each)]
        return later(unknown, session, client, params) if unknown else feature(session, client, params)

    async def later(homes: list[str], session: Session, client: Client, params: dict[str, Any]) -> Any:
        for home in homes:
            await known_graph(session, home)
        return feature(session, client, params)

    return asked


def _paths(params: dict[str, Any]) -> Iterator[str]:
    """The files that a request is about."""
    uris = [params[each].get("uri") for each in ("textDocument", "item") if each in params]
    uris += [each["oldUri"] for each in params.get("files", ())]
    yield from (path for uri in uris if (path := convert.path_of(uri)) is not None)


def homes_in_use(session: Session) -> list[str]:
    """The AJ_HOMEs of the workspace's folders, of open files and of the working directory.

    They keep their order, whichever file was opened last: views list them.
    """
    engine = session.engine
    paths = [
        *(posixpath.join(each, "x") for each in session.folders),
        *sorted(each.path for each in session.buffers.values()),
        posixpath.join(engine.folder, "x"),
    ]
    found = dict.fromkeys(engine.home_of(each) for each in paths)
    return [each for each in found if each is not None]
