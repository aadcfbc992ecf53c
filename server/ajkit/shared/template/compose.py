"""From the parser's events to the located tree, in one pass: values, places, anchors, merge keys and budgets."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from yaml.events import (
    AliasEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    StreamEndEvent,
)

from ajkit.shared.template.findings import Findings
from ajkit.shared.template.scalars import CORE, NotJson, PlainValues, collection_refusal, plain_value, tagged_value
from ajkit.shared.template.tree import Entry, Mapping, Scalar, Sequence

if TYPE_CHECKING:
    from collections.abc import Callable

    from ajkit.shared.template.tree import Node
    from ajkit.shared.where import Json, Text

NESTING_LIMIT = 100
ALIASES_LIMIT = 1_000_000

_PROPERTIES = re.compile(r"(?:&[^\s,\[\]{}]*(?:\s|#[^\r\n]*)*)?")
_BLOCK_TAIL = re.compile(r"(?:[ \t]*(?:\r\n|\r|\n|\x85|\u2028|\u2029))+[ \t]*\Z")

_PLAIN = PlainValues()


class Stop(Exception):
    """A budget is used up: the tree ends here, and a finding says why."""


@dataclass(slots=True)
class _Anchor:
    """What an anchor names, where it was given, and (once the node is complete) the nodes and levels it holds."""

    node: Node
    start: int
    size: int = 0
    height: int = 0


class Composer:
    """One run over the events of one text; `root` grows while it runs and is what there is when the parser gives up.

    Containers have `end` -1 while they are open.
    """

    def __init__(self, text: Text) -> None:
        self.root: Node | None = None
        self.nodes = 0
        self.findings = Findings(text)
        self._content = text.content
        self._next: Callable[[], Any] = _nothing
        self._anchors: dict[str, _Anchor] = {}
        self._deepest = 0
        self._last_alias = (0, 0)
        self._overflowed = False

    def run(self, next_event: Callable[[], Any]) -> None:
        """Read the one document from the parser's events.

        Raises:
            yaml.YAMLError: the parser gave up.
            Stop: a budget is used up.
        """
        self._next = next_event
        next_event()
        if next_event().__class__ is not DocumentStartEvent:
            return
        self.nodes = 1
        event = next_event()
        if event.__class__ is ScalarEvent:
            node = self._scalar(event)
            self.root = node if node.raw or not node.plain else None
        elif event.__class__ is AliasEvent:
            self._alias(event, 0)  # a document cannot repeat what is above it
        else:
            self.root = self._opened(event)
            self._fill(self.root, event, 1)
        if self.nodes > ALIASES_LIMIT and self._last_alias[1]:
            self._overflow()
        next_event()
        event = next_event()
        if event.__class__ is not StreamEndEvent:
            self.findings.second_document(event.start_mark.index)

    def close(self, end: int) -> None:
        """Give the containers that were open when the parser gave up an end: the last place that was read."""
        node = self.root
        while node is not None and not isinstance(node, Scalar) and node.end < 0:
            node.end = max(end, node.start)
            if isinstance(node, Mapping):
                node = next(reversed(node.entries.values())).node if node.entries else None
            else:
                node = node.items[-1] if node.items else None

    def _fill(self, node: Mapping | Sequence, event: Any, depth: int) -> None:
        if depth > NESTING_LIMIT:
            self.findings.nesting(event.start_mark.index, NESTING_LIMIT)
            raise Stop
        anchor = event.anchor
        if anchor is None:
            self._deepest = max(self._deepest, depth)
            if node.__class__ is Mapping:
                self._mapping(node, depth)
            else:
                self._sequence(node, depth)
            return
        known = self._name(anchor, node, event.start_mark.index)
        deepest, nodes = self._deepest, self.nodes
        self._deepest = depth
        if node.__class__ is Mapping:
            self._mapping(node, depth)
        else:
            self._sequence(node, depth)
        known.size = self.nodes - nodes + 1
        known.height = self._deepest - depth + 1
        self._deepest = max(deepest, self._deepest)

    def _mapping(self, node: Mapping, depth: int) -> None:
        next_event, plain, entries, values = self._next, _PLAIN, node.entries, node.value
        merges: list[Mapping] | None = None
        end = node.start
        while True:
            event = next_event()
            kind = event.__class__
            if kind is ScalarEvent:
                name = event.value
                start = event.start_mark.index
                end = event.end_mark.index
                if end - start != len(name):
                    start, name, merge = self._key(event, start, end)
                else:
                    merge = name == "<<"
            elif kind is MappingEndEvent:
                break
            else:
                start, end, name, merge = self._odd_key(event, depth)

            event = next_event()
            kind = event.__class__
            opened = False
            if kind is ScalarEvent:
                raw = event.value
                first = event.start_mark.index
                last = event.end_mark.index
                if last - first == len(raw):
                    try:
                        below: Node = Scalar(plain[raw], raw, first, last, True)
                    except NotJson:
                        below = self._scalar(event)
                else:
                    below = self._scalar(event)
            elif kind is AliasEvent:
                below = self._alias(event, depth)
            else:
                below = self._opened(event)
                opened = True

            if merge or name is None:
                if opened:
                    self._fill(below, event, depth + 1)
                if merge:
                    merges = [*(merges or ()), *self._merged(below, start, below.end)]
            else:
                entry = Entry(start, end, below)
                if name in entries:
                    self.findings.duplicate(name, node, entries[name], entry)
                entries[name] = entry
                values[name] = below.value
                if opened:
                    self._fill(below, event, depth + 1)
            end = below.end
        self.nodes += len(entries)
        if merges is not None:
            _merge(node, merges)
        last = event.end_mark.index
        node.end = end if last == event.start_mark.index else last

    def _sequence(self, node: Sequence, depth: int) -> None:
        next_event, plain, items, values = self._next, _PLAIN, node.items, node.value
        end = node.start
        while True:
            event = next_event()
            kind = event.__class__
            if kind is ScalarEvent:
                raw = event.value
                start = event.start_mark.index
                end = event.end_mark.index
                if end - start == len(raw):
                    try:
                        below: Node = Scalar(plain[raw], raw, start, end, True)
                    except NotJson:
                        below = self._scalar(event)
                else:
                    below = self._scalar(event)
                items.append(below)
                values.append(below.value)
            elif kind is SequenceEndEvent:
                break
            elif kind is AliasEvent:
                below = self._alias(event, depth)
                items.append(below)
                values.append(below.value)
            else:
                below = self._opened(event)
                items.append(below)
                values.append(below.value)
                self._fill(below, event, depth + 1)
            end = below.end
        self.nodes += len(items)
        last = event.end_mark.index
        node.end = end if last == event.start_mark.index else last

    def _opened(self, event: Any) -> Mapping | Sequence:
        start = end = event.start_mark.index
        mapping = event.__class__ is MappingStartEvent
        if event.tag is not None and event.tag != "!":
            refusal = collection_refusal(event.tag, "map" if mapping else "seq")
            if refusal:
                self.findings.tag(refusal, start, event.end_mark.index)
        if event.anchor is not None or event.tag is not None:
            found = _PROPERTIES.match(self._content, start)
            start = found.end() if found else start
        return Mapping({}, {}, start, -1) if mapping else Sequence([], [], start, -1)

    def _node(self, event: Any, depth: int) -> Node:
        """A whole node, in the places that are not worth a loop of their own."""
        if event.__class__ is ScalarEvent:
            return self._scalar(event)
        if event.__class__ is AliasEvent:
            return self._alias(event, depth)
        node = self._opened(event)
        self._fill(node, event, depth + 1)
        return node

    def _scalar(self, event: Any) -> Scalar:
        raw, tag = event.value, event.tag
        start = begin = event.start_mark.index
        end = event.end_mark.index
        plain, quoted = event.implicit
        value: Json = raw
        if event.anchor is not None:
            found = _PROPERTIES.match(self._content, start, end)
            begin = found.end() if found else start
        if plain:
            try:
                value = plain_value(raw)
            except NotJson as error:
                self.findings.tag(str(error), begin, end, raw)
        elif not quoted:
            try:
                value = tagged_value(tag, raw)
            except NotJson as error:
                self.findings.tag(str(error), start, end)
        if event.style == "|" or event.style == ">":
            end = _block_end(self._content, begin, end)
        node = Scalar(value, raw, begin, end, plain and tag is None)
        if event.anchor is not None:
            known = self._name(event.anchor, node, start)
            known.size = 1
        return node

    def _key(self, event: Any, start: int, end: int) -> tuple[int, str, bool]:
        """A key that is quoted, named by an anchor, tagged or over several lines: its start, its text, is it a merge."""
        raw, tag = event.value, event.tag
        merge = raw == "<<" and event.implicit[0]
        if tag is not None and tag != "!":
            if tag == CORE + "merge":
                merge = True
            else:
                try:
                    tagged_value(tag, raw)
                except NotJson as error:
                    self.findings.tag(str(error), start, end)
        if event.anchor is not None:
            node = self._scalar(event)
            start = node.start
        return start, raw, merge

    def _odd_key(self, event: Any, depth: int) -> tuple[int, int, str | None, bool]:
        """A key that is an alias (its text counts) or a collection (no text: it is left out)."""
        start = event.start_mark.index
        node = self._node(event, depth)
        if isinstance(node, Scalar):
            return node.start, node.end, node.raw, False
        what = "a mapping" if isinstance(node, Mapping) else "a list"
        self.findings.odd_key(what, start, node.end)
        return start, node.end, None, False

    def _alias(self, event: Any, depth: int) -> Node:
        """A node in the place of the alias that shares its value, and what is below, with the node that it repeats."""
        start, end = event.start_mark.index, event.end_mark.index
        name = event.anchor
        nothing = Scalar(None, "", start, end, plain=False)
        known = self._anchors.get(name)
        if known is None:
            self.findings.undefined_alias(name, self._anchors, start, end)
            return nothing
        if not known.size:
            self.findings.recursive_alias(name, known.start, start, end)
            return nothing
        if depth + known.height > NESTING_LIMIT:
            self.findings.nesting(start, NESTING_LIMIT)
            return nothing
        self._last_alias = (start, end)
        if self._overflowed or self.nodes + known.size > ALIASES_LIMIT:
            self._overflow()
            return nothing
        self.nodes += known.size - 1
        self._deepest = max(self._deepest, depth + known.height)
        node = known.node
        if isinstance(node, Scalar):
            return Scalar(node.value, node.raw, start, end, plain=False)
        if isinstance(node, Mapping):
            return Mapping(node.value, node.entries, start, end)
        return Sequence(node.value, node.items, start, end)

    def _overflow(self) -> None:
        if not self._overflowed:
            self._overflowed = True
            self.findings.aliases(*self._last_alias, ALIASES_LIMIT)

    def _name(self, anchor: str, node: Node, start: int) -> _Anchor:
        known = self._anchors.get(anchor)
        place = start if self._content.startswith("&", start) else self._content.find("&", start)
        if known is not None:
            self.findings.anchor_twice(anchor, known.start, place)
        self._anchors[anchor] = named = _Anchor(node, place)
        return named

    def _merged(self, below: Node, start: int, end: int) -> list[Mapping]:
        """The mappings that the value of a ``<<`` names, in the order in which PyYAML lets them follow."""
        parts = below.items[::-1] if isinstance(below, Sequence) else [below]
        found = [each for each in parts if isinstance(each, Mapping)]
        if len(found) < len(parts) and not self._overflowed:
            self.findings.merge_of_other(start, end)
        return found


def _nothing() -> None:
    return None


def _merge(node: Mapping, merges: list[Mapping]) -> None:
    """Put what is taken over before the mapping's own keys, as PyYAML orders them; own values win."""
    entries, values = dict(node.entries), dict(node.value)
    node.entries.clear()
    node.value.clear()
    for each in merges:
        node.entries.update(each.entries)
        node.value.update(each.value)
    node.entries.update(entries)
    node.value.update(values)


def _block_end(content: str, start: int, end: int) -> int:
    """The end of a block text without the blank lines that follow (they are part of it after ``|+``)."""
    header = content[start:end].partition("\n")[0]
    if "+" in header.partition("#")[0]:
        return end
    tail = _BLOCK_TAIL.search(content, start, end)
    return tail.start() if tail else end
