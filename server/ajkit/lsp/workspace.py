"""What is wrong in whole homes, file by file, for clients that ask for it.

Templates are looked at one by one, beside the requests; what was found is remembered until something it was made from
changes.
"""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ajkit.lsp import convert
from ajkit.lsp.indexing import SHOWN_FILES, homes_in_use, known_graph
from ajkit.lsp.progress import Progress
from ajkit.lsp.reports import NOTHING, report, sent, told
from ajkit.lsp.threads import give_way

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Callable, Iterator, Mapping

    from ajkit.lsp.capabilities import Client
    from ajkit.lsp.reports import Told
    from ajkit.lsp.session import Session

    Sheet = dict[str, Any]

SENT_AT_ONCE = 50
"""How many reports of one answer are sent together while others are still being made."""


class Workspace:
    """The reports of the files of all homes in use."""

    def __init__(self) -> None:
        self._told: dict[str, Told] = {}
        self._stopped: int | None = None

    async def reports(
        self,
        session: Session,
        client: Client,
        previous: Mapping[str, str],
        part: Callable[[list[Sheet]], None] | None = None,
    ) -> list[Sheet]:
        """A report for every file that is open, has problems, or that the client knows.

        `previous` are the ids of what the client has, by URI. `part` is called with reports that are ready before the
        others; once it was called it is given all of them, and the result is empty.
        """
        session.reports.whole = True
        early: set[str] = set()
        if self._stopped != session.state:
            ready: list[Sheet] = []
            async for path in self._looking(session, client):
                if part is not None and path not in early and path not in session.files.buffers:
                    early.add(path)
                    ready.append(_sheet(path, self._told[path], previous))
                    if len(ready) == SENT_AT_ONCE:
                        part(ready)
                        ready = []
            if part is not None and ready:
                part(ready)
        await self._catch_up(session, client)
        found = list(self._others(session, client, previous, early))
        if part is None or not early:
            return found
        for start in range(0, len(found), SENT_AT_ONCE):
            part(found[start : start + SENT_AT_ONCE])
        return []

    async def _looking(self, session: Session, client: Client) -> AsyncIterator[str]:
        """See that every template is looked at; gives the files whose problems can be told already.

        These are the ones that nothing extends: no other template shows more of them.
        """
        gathered = session.tallies.gathered
        progress, total = Progress(), 0
        homes = homes_in_use(session)
        session.tallies.keep(homes)
        try:
            for home in homes:
                if session.gave_up(home):
                    continue
                graph = await known_graph(session, home)
                async for real, left in session.tallies.counting(session, graph):
                    if not total and left >= SHOWN_FILES:
                        progress, total = session.progress("Checking templates", stoppable=True), left
                    if total and left % SENT_AT_ONCE == 0:
                        progress.report(f"{left} to go", max(0, 100 - 100 * left // total))
                    if progress.stopped.is_set():
                        self._stopped = session.state
                        return
                    path = graph.paths.get(real)
                    if path in gathered.changed and not graph.dependents.get(real):
                        gathered.changed.discard(path)
                        self._make(session, client, path)
                        if path in self._told:
                            yield path
        finally:
            progress.end()

    async def _catch_up(self, session: Session, client: Client) -> None:
        """Make the diagnostics of all files whose problems changed."""
        changed = session.tallies.gathered.changed
        number = 0
        while changed:
            self._make(session, client, changed.pop())
            number += 1
            if number % SENT_AT_ONCE == 0:
                await give_way(session.heard)

    def _make(self, session: Session, client: Client, path: str) -> None:
        problems = session.tallies.gathered.of(path)
        if problems:
            self._told[path] = told(sent(session, client, problems))
        else:
            self._told.pop(path, None)

    def _others(
        self, session: Session, client: Client, previous: Mapping[str, str], early: set[str]
    ) -> Iterator[Sheet]:
        """The reports that were not told early; those of open documents say what a question about each answers."""
        opened = session.reports.of_open(session, client)
        done = {*session.buffers, *map(convert.uri_of, early)}
        for view in session.views():
            uri = view.buffer.uri
            yield _of(uri, told(opened.get(uri, [])), previous, view.buffer.version)
        for path, each in sorted(self._told.items()):
            if path not in early and path not in session.files.buffers:
                done.add(convert.uri_of(path))
                yield _sheet(path, each, previous)
        for uri, items in opened.items():
            if uri not in done:  # outside of every home
                done.add(uri)
                yield _of(uri, told(items), previous)
        for uri in previous:
            if uri not in done:
                yield _of(uri, NOTHING, previous)


def _sheet(path: str, now: Told, previous: Mapping[str, str]) -> Sheet:
    return _of(convert.uri_of(path), now, previous)


def _of(uri: str, now: Told, previous: Mapping[str, str], version: int | None = None) -> Sheet:
    return {"uri": uri, "version": version, **report(now, previous.get(uri))}
