"""What a file means for the templates that extend it: which they are, and where each of its values counts.

Nothing here waits: what is not known yet is worked out beside the requests, template by template, and remembered until
one of the files it was made from changes.
"""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ajkit.lsp.completing.memory import at_once
from ajkit.lsp.effective import effective_path
from ajkit.shared.template.names import TEMPLATE_FOLDER, template_name
from ajkit.shared.template.ties import own_entries
from ajkit.shared.template.tree import Mapping, Scalar

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ajkit.lsp.session import Session
    from ajkit.lsp.view import View
    from ajkit.shared.template.graph import Graph
    from ajkit.shared.template.resolve import Resolved
    from ajkit.shared.template.source import TemplateFile
    from ajkit.shared.template.tree import Node
    from ajkit.shared.where import KeyPath

TEMPLATES = 200
"""How many dependents are looked into, the nearest first."""
VALUES = 400
"""How many values of a file are followed into them."""
_NAMED = 3
"""How many templates are named."""


@dataclass(frozen=True, slots=True)
class Effect:
    """What became of one written value: the names of the templates where it counts, and of those that override it."""

    effective: tuple[str, ...]
    overridden: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Impact:
    """What is known of a file at this moment.

    Attributes:
        templates: the paths of the templates that extend it, directly or further up, nearest first.
        looked_at: into how many of them values are followed.
        effects: by key path of its own config; a value that is missing is not known yet, or not followed.
    """

    templates: tuple[str, ...] = ()
    looked_at: int = 0
    effects: dict[KeyPath, Effect] = field(default_factory=dict)


def templates_over(graph: Graph, real: str) -> list[tuple[str, str]]:
    """The templates (real path, shown path) that extend a file, leaf or not, nearest first."""
    inside = posixpath.join(graph.home, TEMPLATE_FOLDER) + "/"
    found = ((each, graph.paths.get(each, "")) for each in graph.all_dependents(real))
    return [(each, path) for each, path in found if path.startswith(inside)]


def is_effective(resolved: Resolved, file: TemplateFile, path: KeyPath) -> bool:
    """Whether what `file`, one of its chain, writes at a key path of its own config counts in a template."""
    written = file.written(path)
    if written is None:
        return False
    node, place = written[0], effective_path(resolved, file, path)
    if isinstance(node, Scalar):
        makers = [resolved.winner(place)]
    else:
        trail = resolved.trail(place)
        makers = [trail.winner, *trail.contributors] if trail else []
    here = (node.start, node.end)
    return any(
        each is not None
        and each.label == file.path
        and each.span is not None
        and (each.span.start, each.span.end) == here
        for each in makers
    )


def followed(file: TemplateFile) -> tuple[KeyPath, ...]:
    """The key paths of the values of a file that are followed: scalars, and lists that hold nothing but scalars."""
    found: list[KeyPath] = []
    todo: list[tuple[KeyPath, Node]] = [((), file.config)] if file.config is not None else []
    for path, node in todo:
        if isinstance(node, Scalar):
            found.append(path)
        elif isinstance(node, Mapping):
            keys = {id(entry): key for key, entry in node.entries.items()}
            todo += [((*path, keys[id(entry)]), entry.node) for entry in own_entries(node)]
        elif any(isinstance(each, Mapping) for each in node.items):
            todo += [((*path, index), item) for index, item in enumerate(node.items) if isinstance(item, Mapping)]
        else:
            found.append(path)
        if len(found) >= VALUES:
            break
    return tuple(found)


@dataclass(slots=True)
class _Known:
    """What is known of one file: which of its values count in each template, and what that was made from.

    `wanted` are the templates (real path to shown path) to be followed into, `stale` those whose standing has to be
    looked up (again); what was known of them before is shown until then.
    """

    file: TemplateFile
    home: str
    paths: tuple[KeyPath, ...]
    wanted: dict[str, str]
    standing: dict[str, frozenset[KeyPath]] = field(default_factory=dict)
    asked: dict[str, frozenset[KeyPath]] = field(default_factory=dict)
    made_from: dict[str, frozenset[str]] = field(default_factory=dict)
    stale: set[str] = field(default_factory=set)
    told: dict[KeyPath, Effect] | None = None

    def open_question(self) -> str | None:
        """A template that has to be looked into."""
        return next((each for each in self.wanted if each in self.stale or each not in self.standing), None)

    def effects(self) -> dict[KeyPath, Effect]:
        """What became of every value that all templates were asked about; worked out when something changed."""
        if self.told is None:
            self.told = dict(self._effects())
        return self.told

    def _effects(self) -> Iterator[tuple[KeyPath, Effect]]:
        names = {real: template_name(shown, self.home) for real, shown in self.wanted.items()}
        for path in self.paths:
            if all(path in self.asked.get(each, ()) for each in names):
                effective = tuple(name for real, name in names.items() if path in self.standing[real])
                others = tuple(name for real, name in names.items() if path not in self.standing[real])
                yield path, Effect(effective, others)


class Impacts:
    """What is known of the files whose impact somebody asked for.

    Attributes:
        work: does work off the request path, step by step; by default at once.
        done: called when there is news for those who asked.
    """

    def __init__(self) -> None:
        self.work: Callable[[Iterator[object]], None] = at_once
        self.done: Callable[[], None] = _nothing
        self._known: dict[str, _Known] = {}
        self._busy = False

    def of(self, session: Session, view: View) -> Impact:
        """The impact of an open file, as far as it is known; the rest is worked out."""
        graph, real = view.graph, view.file.real
        if graph is None:
            return Impact()
        templates = templates_over(graph, real)
        if not templates:
            self._known.pop(real, None)
            return Impact()
        wanted = dict(templates[:TEMPLATES])
        known = self._known.get(real)
        if known is None:
            known = self._known[real] = _Known(view.file, graph.home, followed(view.file), wanted)
        elif known.file is not view.file:
            paths = followed(view.file)
            if known.paths != paths or known.file.bases != view.file.bases:
                known.stale.update(known.standing)
                known.told = None
            known.file, known.paths = view.file, paths
        if known.wanted != wanted:
            known.wanted, known.told = wanted, None
        self.catch_up(session)
        return Impact(tuple(path for _, path in templates), len(wanted), known.effects())

    def edited(self, real: str) -> None:
        """A file changed: look again at the templates that it has a part in, once somebody does."""
        for each in self._known.values():
            if each.file.real != real:
                each.stale.update(template for template, parts in each.made_from.items() if real in parts)

    def clear(self) -> None:
        """Anything may have changed."""
        self._known.clear()

    def catch_up(self, session: Session) -> None:
        """Work out what is not known, or not any more, of the files that are open."""
        if not self._busy and any(each.open_question() for each in self._known.values()):
            self._busy = True
            self.work(self._steps(session))

    def _steps(self, session: Session) -> Iterator[object]:
        try:
            yield from self._look(session)
        finally:
            self._busy = False
        self.done()

    def _look(self, session: Session) -> Iterator[object]:
        for gone in self._known.keys() - {session.files.real(each.path) for each in session.buffers.values()}:
            del self._known[gone]
        for base, known in list(self._known.items()):
            while (real := known.open_question()) is not None:
                known.stale.discard(real)
                paths = known.paths
                resolved = session.engine.resolve(known.wanted[real])
                file = next((each.file for each in resolved.everything if each.file.real == base), None)
                counting = (path for path in paths if file is not None and is_effective(resolved, file, path))
                known.standing[real] = frozenset(counting)
                known.told = None
                known.asked[real] = frozenset(paths)
                known.made_from[real] = frozenset(each.file.real for each in resolved.everything)
                yield real


def _nothing() -> None:
    return None


def listed(names: Iterable[str], limit: int) -> str:
    """Names for a title: ``a, c and 4 more``."""
    all_names = list(names)
    more = f" and {len(all_names) - limit} more" if len(all_names) > limit else ""
    return ", ".join(all_names[:limit]) + more


def standing(effect: Effect, impact: Impact) -> str:
    """Where a value counts and where not: ``effective in 2 (a, c); overridden in b``."""
    names = f" ({listed(effect.effective, _NAMED)})" if effect.effective else ""
    some = f" of the nearest {impact.looked_at}" if impact.looked_at < len(impact.templates) else ""
    over = f"; overridden in {listed(effect.overridden, _NAMED)}" if effect.overridden else ""
    return f"effective in {len(effect.effective)}{some}{names}{over}"
