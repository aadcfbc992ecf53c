"""Values cut to a budget of nodes, so that a hover stays readable: what is left out says how much it is."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ajkit.shared.where import Json

TEXT = 200
"""How many characters of one text are shown."""


def excerpt(value: Json, budget: int) -> Json:
    """The value with at most about `budget` nodes, outermost first; containers that do not fit become a word."""
    allowed = _allowed(value, budget)
    return _cut(value, allowed)


def _allowed(value: Json, budget: int) -> set[int]:
    """The ids of the containers that are opened, breadth first, while the budget lasts."""
    opened: set[int] = set()
    level: list[Json] = [value]
    while level:
        below: list[Json] = []
        for each in level:
            size = len(each) if isinstance(each, dict | list) else 0
            if not size or size > budget:
                continue
            budget -= size
            opened.add(id(each))
            if isinstance(each, dict):
                below.extend(each.values())
            elif isinstance(each, list):
                below.extend(each)
        level = below
    return opened


def _cut(value: Json, opened: set[int]) -> Json:
    if isinstance(value, dict):
        if value and id(value) not in opened:
            return f"… {len(value)} {'key' if len(value) == 1 else 'keys'}"
        return {key: _cut(below, opened) for key, below in value.items()}
    if isinstance(value, list):
        if value and id(value) not in opened:
            return f"… {len(value)} {'item' if len(value) == 1 else 'items'}"
        return [_cut(below, opened) for below in value]
    if isinstance(value, str) and len(value) > TEXT:
        return f"{value[:TEXT]}… {len(value) - TEXT} more characters"
    return value
