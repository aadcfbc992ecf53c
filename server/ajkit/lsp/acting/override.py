"""Overriding what is inherited: the keys that a file could set itself at the cursor, with the values they have now."""

from __future__ import annotations

from collections import deque
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ajkit.shared.template.branches import Snippet
from ajkit.shared.template.brief import brief
from ajkit.shared.template.insertion import insertion
from ajkit.shared.template.merged import Inherited
from ajkit.shared.template.query import containers_at, spot_at
from ajkit.shared.template.scalars import NotJson, plain_value
from ajkit.shared.template.secrets import is_secret
from ajkit.shared.template.spelling import head
from ajkit.shared.template.tree import Scalar
from ajkit.shared.where import MISSING, at, format_keypath

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ajkit.lsp.view import View
    from ajkit.shared.problem import Edit
    from ajkit.shared.where import Json, KeyPath, Origin

OFFERED = 8
"""How many keys are offered at one place."""
_LOOKED_AT = 2_000
_SHOWN = 30


@dataclass(frozen=True, slots=True)
class Override:
    """One offer: its title and the edit that makes it."""

    title: str
    edit: Edit


def overrides(view: View, offset: int) -> Iterator[Override]:
    """What can be overridden at a cursor: inherited values below its place that the file does not set, outer first."""
    place = _place(view, offset)
    if place is None:
        return
    made = 0
    parts = view.resolved.merged.parts
    laid_over = [each.value for each in parts if isinstance(each, Inherited) and each.ref not in view.file.bases]
    for path, value in _inherited(view, place):
        winner = view.resolved.winner(path)
        if winner is None or winner.label == view.path or is_secret(str(path[-1]), value):
            continue
        if any(at(each, path) is not MISSING for each in laid_over):
            continue  # what is written here would not win
        if not _merges([part.value for part in parts], view.resolved.config, path):
            continue  # it would take what stands beside it away
        edit = insertion(view.file.document, ("config", *path), _spelt(str(path[-1]), value, winner))
        if edit is not None:
            yield Override(
                f"Override `{format_keypath(path)}` here ({brief(value, _SHOWN)}, {winner_place(winner)})", edit
            )
            made += 1
        if made == OFFERED:
            return


def _merges(sources: list[dict[str, Json]], config: Json, path: KeyPath) -> bool:
    """Whether all that a new source has to write around a path merges with what the others have there.

    Where these differ in kind the last one counts whole, and that would be the new one.
    """
    for depth in range(1, len(path)):
        around, last = path[:depth], path[depth - 1]
        kinds = {type(value) for each in sources if (value := at(each, around)) is not MISSING}
        if kinds != {type(at(config, around))}:
            return False
        before = range(last) if isinstance(last, int) else ()
        for index in before:  # `{}` is written to skip an item
            found = (at(each, (*around[:-1], index)) for each in sources)
            if not all(value is MISSING or isinstance(value, dict) for value in found):
                return False
    return True


def winner_place(winner: Origin) -> str:
    """``common.yaml:4``."""
    return str(winner).rpartition("/")[2]


def _place(view: View, offset: int) -> KeyPath | None:
    """The key path of the mapping or list that the cursor is in or on; None outside of the config."""
    if view.file.config_key is None:
        return () if view.file.bases else None
    spot = spot_at(view.file, offset)
    if spot is not None and spot.path[:1] == ("config",):
        inside = not isinstance(spot.node, Scalar) or (spot.on_key and spot.node.value is None)
        return spot.config_path if inside or not spot.config_path else spot.config_path[:-1]
    around = [path for path, _ in containers_at(view.file, offset)] if spot is None else []
    return around[-1][1:] if around and around[-1][:1] == ("config",) else None


def _inherited(view: View, place: KeyPath) -> Iterator[tuple[KeyPath, Json]]:
    """The scalars of the merged config below a place that the file does not write, breadth first."""
    own = view.file
    start = at(view.resolved.config, place)
    if not isinstance(start, dict | list):
        return
    queue: deque[tuple[KeyPath, Json]] = deque([(place, start)])
    for _ in range(_LOOKED_AT):
        if not queue:
            return
        path, value = queue.popleft()
        if isinstance(value, dict):
            queue.extend(((*path, key), below) for key, below in value.items())
        elif isinstance(value, list):
            # A list of plain values grows by what is written here: nothing of it can be overridden.
            queue.extend(((*path, index), below) for index, below in enumerate(value) if isinstance(below, dict))
        elif value is not None and isinstance(path[-1], str) and own.written(path) is None:
            yield path, value


def _spelt(key: str, value: Json, winner: Origin) -> Json | Snippet:
    """A value as it was written, where that says more than what it means (``on``, ``1.10``)."""
    written = winner.written
    if isinstance(value, str) or written is None or "\n" in written:
        return value
    try:
        same = plain_value(written) == value
    except NotJson:
        same = False
    return Snippet((f"{head(key)} {written}",), written) if same else value
