"""How every template of a home stands: whether it can be run, what it is, and what is wrong with it."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ajkit.lsp.gathered import Gathered
from ajkit.lsp.indexing import homes_in_use
from ajkit.lsp.threads import give_way
from ajkit.shared.problem import Severity
from ajkit.shared.template.names import SUFFIX
from ajkit.shared.where import value_at

if TYPE_CHECKING:
    from collections.abc import AsyncIterator, Collection

    from ajkit.lsp.session import Session
    from ajkit.shared.template.graph import Graph
    from ajkit.shared.where import Json


_GUESSED = ("base.missing", "base.no-home")
"""Codes of problems that name what else is in a folder."""


@dataclass(frozen=True, slots=True)
class Tally:
    """One template, counted: errors and warnings are those of its whole effective config.

    `home` is the AJ_HOME it belongs to, `bases` are the real paths that its base names led to when it was counted.
    `under` are all paths that it was made from where `aj.toml` lays bases over it: these are no bases of its own.
    """

    home: str
    bases: tuple[str, ...]
    under: frozenset[str]
    leaf: bool
    service: str | None
    description: str | None
    errors: int
    warnings: int


class Tallies:
    """What was counted, by real path; an edit uncounts everything that it may have changed.

    Attributes:
        gathered: the problems of all that is counted.
    """

    def __init__(self) -> None:
        self._known: dict[str, Tally] = {}
        self._edited: set[str] = set()
        self._guessed: set[str] = set()
        self.gathered = Gathered()

    def edited(self, real: str) -> None:
        """A template is being typed. What depends on it is looked up when somebody asks for numbers again."""
        if self._known:
            self._edited.add(real)

    def changed(self, session: Session, paths: Collection[str]) -> None:
        """Files changed on disk, appeared or went away; who extends whom is still known as it was before."""
        if not all(each.endswith(SUFFIX) for each in paths):
            self.clear()
        elif self._known:
            self._edited.update(session.files.real(each) for each in paths)
            self._edited |= self._guessed  # names near to theirs may have come or gone
            self._settle(session)

    def clear(self) -> None:
        """Anything may have changed."""
        self._known.clear()
        self._edited.clear()
        self._guessed.clear()
        self.gathered.clear()

    def keep(self, homes: Collection[str]) -> None:
        """Uncount the templates of all other homes: nobody looks at these any more."""
        for real in [each for each, tally in self._known.items() if tally.home not in homes]:
            self._uncount(real)

    async def of(self, session: Session, graph: Graph) -> dict[str, Tally]:
        """The tallies of all files of a home; counts those that are not known, step by step."""
        async for _ in self.counting(session, graph):
            pass
        return {real: self._known[real] for real in graph.paths if real in self._known}

    async def counting(self, session: Session, graph: Graph) -> AsyncIterator[tuple[str, int]]:
        """Count the files of a home that are not known: the real path of each, and how many are left after it.

        Requests get their turn after each.
        """
        self._settle(session)
        if all(session.engine.has_graph(home) or session.gave_up(home) for home in homes_in_use(session)):
            self._edited.clear()  # in a home that is not read yet they may reach more
        for real in [each for each, tally in self._known.items() if tally.home == graph.home]:
            if real not in graph.paths:
                self._uncount(real)
        wanted = [each for each in graph.paths.items() if each[0] not in self._known]
        for number, (real, path) in enumerate(wanted):
            if real not in self._known:
                self._count(session, graph, real, path)
                yield real, len(wanted) - number - 1
                await give_way(session.heard)

    def _settle(self, session: Session) -> None:
        """Uncount what was edited, what extends that, and what it extends: a base may have become a leaf, or none."""
        engine = session.engine
        gone = set(self._edited)
        for real in self._edited & self._known.keys():
            gone.update(self._known[real].bases)
        for graph in (engine.graph(home) for home in engine.homes_with_graph()):
            for real in self._edited:
                gone.update(graph.all_dependents(real))
                gone.update(graph.targets.get(real, ()))
        gone.update(real for real, tally in self._known.items() if not self._edited.isdisjoint(tally.under))
        for real in gone:
            self._uncount(real)

    def _uncount(self, real: str) -> None:
        self._known.pop(real, None)
        self._guessed.discard(real)
        self.gathered.drop(real)

    def _count(self, session: Session, graph: Graph, real: str, path: str) -> None:
        engine = session.engine
        resolved = engine.resolve(path)
        problems = engine.problems(resolved)
        laid_over = engine.settings(graph.home).overlays
        self._known[real] = Tally(
            graph.home,
            tuple(graph.targets.get(real, ())),
            resolved.reads.union(each.file.real for each in resolved.everything) if laid_over else frozenset(),
            engine.counts_as_leaf(resolved, named=False),
            _text(value_at(resolved.config, ("target", "service"))),
            _text(value_at(resolved.config, ("description",))),
            sum(each.severity is Severity.ERROR for each in problems),
            sum(each.severity is Severity.WARNING for each in problems),
        )
        self.gathered.put(real, problems)
        if any(each.code in _GUESSED for each in problems):
            self._guessed.add(real)


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) else None
