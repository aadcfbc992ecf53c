"""How every template of a home stands: whether it can be run, what it is, and how much is wrong with it."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ajkit.shared.problem import Severity
from ajkit.shared.where import value_at

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ajkit.lsp.session import Session
    from ajkit.shared.template.graph import Graph
    from ajkit.shared.where import Json

SLICE = 10
"""How many templates are counted before requests get their turn."""


@dataclass(frozen=True, slots=True)
class Tally:
    """One template, counted: errors and warnings are those of its whole effective config.

    `bases` are the real paths that its base names led to when it was counted.
    """

    bases: tuple[str, ...]
    leaf: bool
    service: str | None
    description: str | None
    errors: int
    warnings: int


class Tallies:
    """What was counted, by real path; an edit uncounts everything that it may have changed."""

    def __init__(self) -> None:
        self._known: dict[str, Tally] = {}
        self._edited: set[str] = set()

    def edited(self, real: str) -> None:
        """A template is being typed. What depends on it is looked up when somebody asks for numbers again."""
        if self._known:
            self._edited.add(real)

    def clear(self) -> None:
        """Anything may have changed."""
        self._known.clear()
        self._edited.clear()

    async def of(self, session: Session, graph: Graph) -> dict[str, Tally]:
        """The tallies of all files of a home; counts those that are not known, step by step."""
        self._settle(session)
        counted = 0
        for real, path in list(graph.paths.items()):
            if real not in self._known:
                self._known[real] = _count(session, path, graph.targets.get(real, ()))
                counted += 1
                if counted % SLICE == 0:
                    await asyncio.sleep(0)
        return {real: self._known[real] for real in graph.paths if real in self._known}

    def _settle(self, session: Session) -> None:
        """Uncount what was edited, what extends that, and what it extends: a base may have become a leaf, or none."""
        engine = session.engine
        gone = set(self._edited)
        for real in self._edited & self._known.keys():
            gone.update(self._known[real].bases)
        for graph in (engine.graph(home) for home in engine.homes_with_graph()):
            for real in self._edited & graph.paths.keys():
                gone.update(graph.all_dependents(real))
                gone.update(graph.targets.get(real, ()))
        self._edited.clear()
        for real in gone:
            self._known.pop(real, None)


def _count(session: Session, path: str, bases: Iterable[str]) -> Tally:
    engine = session.engine
    resolved = engine.resolve(path)
    problems = engine.problems(resolved)
    return Tally(
        tuple(bases),
        engine.counts_as_leaf(resolved, named=False),
        _text(value_at(resolved.config, ("target", "service"))),
        _text(value_at(resolved.config, ("description",))),
        sum(each.severity is Severity.ERROR for each in problems),
        sum(each.severity is Severity.WARNING for each in problems),
    )


def _text(value: Json) -> str | None:
    return value if isinstance(value, str) else None
