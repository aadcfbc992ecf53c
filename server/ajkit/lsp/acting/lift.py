"""Going up: a key of a file moves to one of its bases, where it means the same for the file, and perhaps more."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ajkit.lsp.impact import templates_over
from ajkit.shared.template.insertion import insertion
from ajkit.shared.template.merge import TooLarge
from ajkit.shared.template.merged import Inherited
from ajkit.shared.template.query import spot_at
from ajkit.shared.template.removal import removal_at
from ajkit.shared.template.snippets import snippet_of
from ajkit.shared.template.supposed import supposed, with_value, without_value
from ajkit.shared.where import format_keypath

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ajkit.lsp.session import Session
    from ajkit.lsp.view import View
    from ajkit.shared.problem import Edit
    from ajkit.shared.template.merged import Merged
    from ajkit.shared.template.tree import Entry
    from ajkit.shared.where import Json, KeyPath

LOOKED_INTO = 25
"""How many other templates are resolved to say how many change; of more it is only said how many there are."""


@dataclass(frozen=True, slots=True)
class Lift:
    """One offer: its title, the edits that make it, or the reason why it cannot be."""

    title: str
    edits: tuple[Edit, ...] = ()
    refused: str | None = None


def lifts(session: Session, view: View, offset: int, *, exact: bool) -> Iterator[Lift]:
    """The moves of the key at a cursor, one for each direct base.

    `exact` says that other templates may be resolved to find those that change.
    """
    spot = spot_at(view.file, offset)
    if spot is None or not spot.in_config or spot.entry is None:
        return
    path = spot.config_path
    met = {view.file.real}
    for part in view.resolved.merged.parts:
        if isinstance(part, Inherited) and part.ref in view.file.bases and part.merged.file.real not in met:
            met.add(part.merged.file.real)
            title = f"Move `{format_keypath(path)}` to `{part.ref.name}`"
            yield _lift(session, view, path, spot.entry, part.merged, title, exact=exact)


def _lift(session: Session, view: View, path: KeyPath, entry: Entry, base: Merged, title: str, *, exact: bool) -> Lift:
    if view.file.document.broken:
        return Lift(title, refused="this file cannot be read as a whole: mend it first")
    if base.on_cycle or base.causes:
        return Lift(title, refused="the base has errors of its own")
    wrong = (each.span.start for each in view.file.document.problems if each.is_error and each.span)
    if any(entry.start <= each < entry.node.end for each in wrong):
        return Lift(title, refused="it has errors of its own: mend them first")
    there = base.file.written(path)
    if there is not None and isinstance(there[0].value, dict | list) and there[0].value:
        return Lift(title, refused="the base has a mapping or list of its own there")
    snippet = snippet_of(view.file.document, entry)
    gone = removal_at(view.file.document, ("config", *path))
    if snippet is None or gone is None:
        return Lift(title, refused="it is tied to other places of this file by anchors, aliases or `<<`")
    put = insertion(base.file.document, ("config", *path), snippet)
    if put is None:
        return Lift(title, refused="it cannot be written into the base as that stands")
    own = {
        base.file.real: with_value(base.file.values or {}, path, entry.node.value),
        view.file.real: without_value(view.file.values or {}, path),
    }
    if not _same(view.resolved.merged, own):
        return Lift(title, refused="this template would come to something else: another base sets it too")
    return Lift(title + _effect(session, view, base, own, exact=exact), (put, gone))


def _same(merged: Merged, own: dict[str, dict[str, Json]]) -> bool:
    try:
        return supposed(merged, own) == merged.value
    except TooLarge:
        return False


def _effect(session: Session, view: View, base: Merged, own: dict[str, dict[str, Json]], *, exact: bool) -> str:
    """What the move does to the other templates over the base, as the end of a title."""
    graph = view.graph
    if graph is None:
        return ""
    over_this = {view.file.real, *graph.all_dependents(view.file.real)}
    others = [each for each in templates_over(graph, base.file.real) if each[0] not in over_this]
    if not others:
        return ""
    if not exact or len(others) > LOOKED_INTO:
        return f" ({len(others)} other {_templates(len(others))} it)"
    changed = sum(not _same(session.engine.resolve(path).merged, own) for _, path in others)
    return f", which changes {changed or 'no'} other template{'s' if changed > 1 else ''}"


def _templates(number: int) -> str:
    return "template extends" if number == 1 else "templates extend"
