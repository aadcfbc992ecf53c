"""The merge: the values present at one key, in source order, become one (`docs/merge.md`, contract section 3)."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ajkit.shared.where import Rule

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ajkit.shared.where import Json

NODE_LIMIT = 1_000_000

_CONTAINERS = (dict, list)
_MAPPINGS, _LISTS = {dict}, {list}


class TooLarge(Exception):
    """A merged list would pass the node budget."""


def rule_of(values: Sequence[Json]) -> Rule:
    """Which row of the merge table applies to the values present at one key (at least one)."""
    if len(values) == 1:
        return Rule.ONLY
    kinds = set(map(type, values))
    if kinds == _MAPPINGS:
        return Rule.UNION
    if kinds == _LISTS:
        return Rule.POSITION if any(map(_holds_mapping, values)) else Rule.CONCAT
    return Rule.LAST


def _holds_mapping(value: Json) -> bool:
    return dict in map(type, value) if isinstance(value, list) else False


def merge(values: Sequence[Json]) -> Json:
    """The merged value. Parts that did not change are shared with the sources: treat every result as frozen.

    Raises:
        TooLarge: a concatenated list would hold more than a million items.
    """
    last = values[-1]
    kind = type(last)
    if kind is dict:
        for each in values:
            if type(each) is not dict:
                return last
        return merge_mappings(values)  # type: ignore[arg-type]
    if kind is list:
        for each in values:
            if type(each) is not list:
                return last
        return _merge_lists(values)  # type: ignore[arg-type]
    return last


def merge_mappings(values: Sequence[dict[str, Json]]) -> dict[str, Json]:
    """The union of mappings, all values of one key merged at once; keys in first-appearance order."""
    out = dict(values[0]) if values else {}
    several: dict[str, list[Json]] = {}
    for each in values[1:]:
        for key in out.keys() & each.keys():
            value = each[key]
            if type(value) in _CONTAINERS:
                several.setdefault(key, [out[key]]).append(value)
            else:  # it wins over all before it, and no union reaches past it
                several.pop(key, None)
        out.update(each)
    for key, met in several.items():
        out[key] = merge(met)
    return out


def _merge_lists(values: Sequence[list[Json]]) -> list[Json]:
    if len(values) == 1:
        return values[0]
    if not any(map(_holds_mapping, values)):
        if sum(map(len, values)) > NODE_LIMIT:
            raise TooLarge
        return [item for each in values for item in each]
    longest = max(map(len, values))
    return [merge([each[index] for each in values if len(each) > index]) for index in range(longest)]


def count_nodes(value: Json, limit: int = NODE_LIMIT) -> int:
    """How many nodes a value has, shared parts counted each time; stops counting just past the limit."""
    known: dict[int, int] = {}

    def count(part: Json) -> int:
        if isinstance(part, dict):
            below = part.values()
        elif isinstance(part, list):
            below = part  # type: ignore[assignment]
        else:
            return 1
        total = known.get(id(part))
        if total is None:
            total = 1
            for each in below:
                total += count(each) if isinstance(each, dict | list) else 1
                if total > limit:
                    break
            known[id(part)] = total
        return total

    return count(value)
