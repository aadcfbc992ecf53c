"""Parts of located trees put into others: what comes before is shared, what comes behind is copied at its new place."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, NamedTuple

from ajkit.shared.template.tree import Entry, Mapping, Scalar, Sequence

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ajkit.shared.template.tree import Node


class Place(NamedTuple):
    """Neighbours in a container: its children `low` to `high`, which stand from `begin` to `end` of the text.

    `way` leads to the container, from the root: each container on it with the number of the child that comes next.
    """

    way: tuple[tuple[Mapping | Sequence, int], ...]
    container: Mapping | Sequence
    low: int
    high: int
    begin: int
    end: int


def children(node: Mapping | Sequence) -> list[Node]:
    """What is in a container, in order."""
    return [each.node for each in node.entries.values()] if isinstance(node, Mapping) else node.items


def count(node: Node) -> int:
    """How many nodes there are at and below a node that shares none."""
    return 1 if isinstance(node, Scalar) else 1 + sum(map(count, children(node)))


def move(node: Node, by: int) -> None:
    """Change the place of a tree that nobody else holds."""
    node.start += by
    node.end += by
    if isinstance(node, Mapping):
        for entry in node.entries.values():
            entry.start += by
            entry.end += by
            move(entry.node, by)
    elif isinstance(node, Sequence):
        for item in node.items:
            move(item, by)


def copied(node: Node, by: int) -> Node:
    """A tree at another place of a text; it shares its values with the first."""
    if by == 0:
        return node
    if isinstance(node, Scalar):
        return Scalar(node.value, node.raw, node.start + by, node.end + by, node.plain)
    if isinstance(node, Mapping):
        return Mapping(node.value, _entries(node.entries.items(), by), node.start + by, node.end + by)
    return Sequence(node.value, [copied(each, by) for each in node.items], node.start + by, node.end + by)


def _entries(entries: Iterable[tuple[str, Entry]], by: int) -> dict[str, Entry]:
    """Entries at another place; the loop knows scalars itself, as most of what there is are these."""
    found = {}
    for key, entry in entries:
        node = entry.node
        if isinstance(node, Scalar):
            node = Scalar(node.value, node.raw, node.start + by, node.end + by, node.plain)
        else:
            node = copied(node, by)
        found[key] = Entry(entry.start + by, entry.end + by, node)
    return found


def grafted(place: Place, part: Mapping | Sequence, by: int) -> Mapping | Sequence:
    """The whole tree with the children of `part` in the place of others; what follows them has moved."""
    low, high = place.low, place.high
    root = _replaced(place.container, low, high, part, by)
    for container, index in reversed(place.way):
        if isinstance(container, Mapping):
            key, entry = next(islice(container.entries.items(), index, None))
            one: Mapping | Sequence = Mapping(
                {key: root.value}, {key: Entry(entry.start, entry.end, root)}, 0, root.end
            )
        else:
            one = Sequence([root.value], [root], 0, root.end)
        root = _replaced(container, index, index + 1, one, by)
    return root


def _replaced(
    container: Mapping | Sequence, low: int, high: int, part: Mapping | Sequence, by: int
) -> Mapping | Sequence:
    """A container with other children from `low` to `high`."""
    if isinstance(container, Mapping) and isinstance(part, Mapping):
        entries = list(container.entries.items())
        new = dict(entries[:low])
        new.update(part.entries)
        new.update(_entries(entries[high:], by) if by else entries[high:])
        end = part.end if high == len(entries) else container.end + by
        return Mapping({key: each.node.value for key, each in new.items()}, new, container.start, end)
    assert isinstance(container, Sequence)
    assert isinstance(part, Sequence)
    items = [*container.items[:low], *part.items, *(copied(each, by) for each in container.items[high:])]
    end = part.end if high == len(container.items) else container.end + by
    return Sequence([each.value for each in items], items, container.start, end)
