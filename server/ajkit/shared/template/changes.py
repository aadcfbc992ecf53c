"""What differs between two merged configs, key path by key path."""

from __future__ import annotations

import json
from difflib import SequenceMatcher
from typing import TYPE_CHECKING

from ajkit.shared.records import dataclass
from ajkit.shared.where import MISSING, Missing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ajkit.shared.where import Json, KeyPath

GONE, CAME = "-", "+"
"""How items of a list that went and came are marked."""


@dataclass(frozen=True, slots=True)
class Change:
    """A value that differs: before and after, `MISSING` where it is not set."""

    path: KeyPath
    before: Json | Missing
    after: Json | Missing


def changes(before: Json | Missing, after: Json | Missing, path: KeyPath = ()) -> Iterator[Change]:
    """The differences, as deep as they go: mappings key by key, lists with mappings item by item, other lists whole."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in {**before, **after}:
            yield from changes(before.get(key, MISSING), after.get(key, MISSING), (*path, key))
    elif isinstance(before, list) and isinstance(after, list) and _has_mapping(before) and _has_mapping(after):
        for index in range(max(len(before), len(after))):
            one = before[index] if index < len(before) else MISSING
            other = after[index] if index < len(after) else MISSING
            yield from changes(one, other, (*path, index))
    elif _differs(before, after):
        yield Change(path, before, after)


def _has_mapping(items: list[Json]) -> bool:
    return any(isinstance(each, dict) for each in items)


def _differs(one: Json | Missing, other: Json | Missing) -> bool:
    """Whether two values differ; ``1`` and ``true`` do."""
    if isinstance(one, Missing) or isinstance(other, Missing):
        return one is not other
    return json.dumps(one, sort_keys=True) != json.dumps(other, sort_keys=True)


def item_changes(change: Change) -> Iterator[tuple[str, int, Json]]:
    """Of a list that differs, the items that went (`GONE`) and came (`CAME`), each with its index in its own list."""
    if not isinstance(change.before, list) or not isinstance(change.after, list):
        return
    old, new = ([json.dumps(each, sort_keys=True) for each in side] for side in (change.before, change.after))
    for kind, start, end, to_start, to_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            yield from ((GONE, index, change.before[index]) for index in range(start, end))
            yield from ((CAME, index, change.after[index]) for index in range(to_start, to_end))
