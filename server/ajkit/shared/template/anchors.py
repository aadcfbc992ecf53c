"""Anchors, aliases and merge keys: what is written once and stands in several places, and how large that makes it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ajkit.shared.records import dataclass
from ajkit.shared.template.tree import NESTING_LIMIT, Mapping, Scalar, Sequence

if TYPE_CHECKING:
    from ajkit.shared.template.findings import Findings
    from ajkit.shared.template.tree import Node

ALIASES_LIMIT = 1_000_000


@dataclass(slots=True)
class Size:
    """How many nodes a document has with every alias written out, and how many levels."""

    nodes: int = 0
    deepest: int = 0


@dataclass(slots=True)
class Anchor:
    """What an anchor names, where it was given, and (once the node is complete) the nodes and levels it holds."""

    node: Node
    start: int
    size: int = 0
    height: int = 0


class Anchors:
    """The anchors of one document; `overflowed` says that aliases are not followed any more, for they were too many."""

    def __init__(self, content: str, findings: Findings, size: Size) -> None:
        self.overflowed = False
        self._content = content
        self._findings = findings
        self._size = size
        self._known: dict[str, Anchor] = {}
        self._refused: set[int] = set()
        self._last: tuple[int, int] | None = None

    def name(self, name: str, node: Node, start: int) -> Anchor:
        """Note that a node, whose properties begin at `start`, carries an anchor; the caller fills in its sizes."""
        place = max(start, self._content.find("&", start))
        known = self._known.get(name)
        if known is not None:
            self._findings.anchor_twice(name, known.start, place)
        self._known[name] = anchor = Anchor(node, place)
        return anchor

    def repeat(self, event: Any, depth: int) -> Node:
        """The node in the place of an alias: it shares its value, and what is below, with the node that it repeats.

        `depth` is the number of containers around it. What cannot be repeated is null, with a finding.
        """
        start, end, name = event.start_mark.index, event.end_mark.index, event.anchor
        known = self._known.get(name)
        if known is None:
            self._findings.undefined_alias(name, self._known, start, end)
            return self._refused_alias(start, end)
        if not known.size:
            self._findings.recursive_alias(name, known.start, start, end)
            return self._refused_alias(start, end)
        if depth + known.height > NESTING_LIMIT:
            self._findings.nesting(start, NESTING_LIMIT)
            return self._refused_alias(start, end)
        self._last = start, end
        if self.overflowed or self._size.nodes + known.size > ALIASES_LIMIT:
            self._overflow()
            return self._refused_alias(start, end)
        self._size.nodes += known.size - 1
        self._size.deepest = max(self._size.deepest, depth + known.height)
        node = known.node
        if isinstance(node, Mapping):
            return Mapping(node.value, node.entries, start, end)
        if isinstance(node, Sequence):
            return Sequence(node.value, node.items, start, end)
        return Scalar(node.value, node.raw, start, end, plain=False)

    def _refused_alias(self, start: int, end: int) -> Scalar:
        self._refused.add(start)
        return Scalar(None, "", start, end, plain=False)

    def taken_over(self, below: Node, start: int) -> list[Mapping]:
        """The mappings that the value of a ``<<`` (which stands at `start`) names, the one that wins last."""
        parts = below.items[::-1] if isinstance(below, Sequence) else [below]
        found = [each for each in parts if isinstance(each, Mapping)]
        others = [each for each in parts if not isinstance(each, Mapping) and each.start not in self._refused]
        if others and not self.overflowed:
            self._findings.merge_of_other(start, below.end)
        return found

    def check(self) -> None:
        """At the end of the document, when everything has been counted."""
        if self._last and self._size.nodes > ALIASES_LIMIT:
            self._overflow()

    def _overflow(self) -> None:
        if not self.overflowed and self._last:
            self.overflowed = True
            self._findings.aliases(*self._last, ALIASES_LIMIT)


def take_over(node: Mapping, merges: list[Mapping]) -> None:
    """Put what a mapping takes over before its own keys, as PyYAML orders them; own values win."""
    entries, values = dict(node.entries), dict(node.value)
    node.entries.clear()
    node.value.clear()
    for each in merges:
        node.entries.update(each.entries)
        node.value.update(each.value)
    node.entries.update(entries)
    node.value.update(values)
