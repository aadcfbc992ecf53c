"""A layered layout: boxes in columns from templates to their deepest bases, with few crossings of edges."""

from __future__ import annotations

from dataclasses import dataclass, field
from itertools import pairwise
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ajkit.shared.template.pictures.family import Family

SWEEPS = 8
"""Passes over the columns that put every box near the middle of those it is tied to; more change nothing visible."""


@dataclass(slots=True)
class Layout:
    """Columns of slots, left to right; a slot is a member's name, or a stop of an edge that passes the column.

    `routes` leads each edge through the slots on its way, both ends included; `backward` edges close a cycle.
    """

    columns: list[list[str]] = field(default_factory=list)
    routes: dict[tuple[str, str], list[str]] = field(default_factory=dict)
    backward: set[tuple[str, str]] = field(default_factory=set)


def lay_out(family: Family) -> Layout:
    """Give every member a column (left of all it extends) and a place in it."""
    layout = Layout(backward=_closing_edges(family))
    forward = [edge for edge in family.edges() if edge not in layout.backward]
    rank = _ranks(family, forward)
    layout.columns = [[] for _ in range(max(rank.values(), default=-1) + 1)]
    for name in family.members:
        layout.columns[rank[name]].append(name)
    for name, base in forward:
        stops = [f"\0{name}\0{base}\0{column}" for column in range(rank[name] + 1, rank[base])]
        for column, stop in enumerate(stops, rank[name] + 1):
            layout.columns[column].append(stop)
        layout.routes[name, base] = [name, *stops, base]
    for edge in layout.backward:
        layout.routes[edge] = list(edge)
    _untangle(layout)
    return layout


def _closing_edges(family: Family) -> set[tuple[str, str]]:
    """The edges that close cycles, found walking depth first in order."""
    closing: set[tuple[str, str]] = set()
    state: dict[str, int] = {}
    for start in family.heads():
        stack = [(start, iter(dict.fromkeys(family.members[start].bases)))]
        state.setdefault(start, 1)
        while stack:
            name, bases = stack[-1]
            base = next(bases, None)
            if base is None:
                state[name] = 2
                stack.pop()
            elif state.get(base) == 1:
                closing.add((name, base))
            elif base not in state:
                state[base] = 1
                stack.append((base, iter(dict.fromkeys(family.members[base].bases))))
    return closing


def _ranks(family: Family, edges: list[tuple[str, str]]) -> dict[str, int]:
    """Columns by the longest way from a head; a head then moves right, next to the first thing it extends."""
    below: dict[str, list[str]] = {name: [] for name in family.members}
    waiting = dict.fromkeys(family.members, 0)
    for name, base in edges:
        below[name].append(base)
        waiting[base] += 1
    rank = dict.fromkeys(family.members, 0)
    heads = [name for name, count in waiting.items() if count == 0]
    ready = list(heads)
    for name in ready:
        for base in below[name]:
            rank[base] = max(rank[base], rank[name] + 1)
            waiting[base] -= 1
            if waiting[base] == 0:
                ready.append(base)
    for name in heads:
        if below[name]:
            rank[name] = min(rank[base] for base in below[name]) - 1
    return rank


def _untangle(layout: Layout) -> None:
    """Order the columns by the mean place of their neighbours, to and fro."""
    left: dict[str, list[str]] = {}
    right: dict[str, list[str]] = {}
    for edge, route in layout.routes.items():
        if edge not in layout.backward:
            for one, other in pairwise(route):
                right.setdefault(one, []).append(other)
                left.setdefault(other, []).append(one)
    for sweep in range(SWEEPS):
        order = layout.columns[1:] if sweep % 2 == 0 else layout.columns[-2::-1]
        neighbours = left if sweep % 2 == 0 else right
        place = {slot: index for column in layout.columns for index, slot in enumerate(column)}
        for column in order:
            wanted = {slot: _mean(neighbours.get(slot, ()), place, place[slot]) for slot in column}
            column.sort(key=lambda slot, wanted=wanted: (wanted[slot], slot))  # type: ignore[misc]
            place.update((slot, index) for index, slot in enumerate(column))


def _mean(neighbours: list[str] | tuple[()], place: Mapping[str, int], otherwise: int) -> float:
    return sum(place[each] for each in neighbours) / len(neighbours) if neighbours else float(otherwise)
