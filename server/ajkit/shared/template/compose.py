"""From the parser's events to the located tree, in one pass: values, places, anchors, merge keys and budgets."""

from __future__ import annotations

import re
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

from ajkit.shared.template.anchors import Anchors, Size, take_over
from ajkit.shared.template.findings import Findings
from ajkit.shared.template.scalars import CORE, NotJson, PlainValues, collection_refusal, plain_value, tagged_value
from ajkit.shared.template.tree import NESTING_LIMIT, Entry, Mapping, Scalar, Sequence

if TYPE_CHECKING:
    from collections.abc import Callable

    from ajkit.shared.template.tree import Node
    from ajkit.shared.where import Json, Text

_PROPERTIES = re.compile(r"(?:&[^\s,\[\]{}]*(?:\s|#[^\r\n]*)*)?")
_LINE_ENDS = "\r\n\x85\u2028\u2029"

_BLOCKS = frozenset("|>")
_PLAIN = PlainValues()


class Stop(Exception):
    """A budget is used up: the tree ends at the offset `at`, and a finding says why."""

    def __init__(self, at: int) -> None:
        super().__init__()
        self.at = at


class Composer:
    """One run over the events of one text; `root` grows while it runs and is what there is when the parser gives up.

    Containers have `end` -1 while they are open.
    """

    def __init__(self, text: Text) -> None:
        self.root: Node | None = None
        self.findings = Findings(text)
        self.size = Size()
        self._anchors = Anchors(text.content, self.findings, self.size)
        self._content = text.content
        self._next: Callable[[], Any] = _nothing

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
        self.size.nodes = 1
        event = next_event()
        if event.__class__ is ScalarEvent:
            node = self._scalar(event)
            self.root = node if node.raw or not node.plain else None
        elif event.__class__ is AliasEvent:
            self._anchors.repeat(event, 0)  # a document cannot repeat what is above it
        else:
            self.root = self._opened(event)
            self._fill(self.root, event, 1)
        self._anchors.check()
        next_event()
        event = next_event()
        if event.__class__ is not StreamEndEvent:
            self.findings.second_document(event.start_mark.index)

    def part(self, event: Any, next_event: Callable[[], Any], depth: int) -> Node:
        """Read one node, which begins with `event` below so many containers, from the events that follow it."""
        self._next = next_event
        return self._node(event, depth)

    def close(self, end: int) -> None:
        """Give the containers that were open when the parser gave up an end: the last place that was read."""
        node = self.root
        while node is not None and node.end < 0:
            node.end = max(end, node.start)
            below = _below(node)
            self.size.nodes += len(below)
            node = next((each for each in reversed(below) if each.end < 0), None)

    def _fill(self, node: Mapping | Sequence, event: Any, depth: int) -> None:
        """Read what is in a container up to its end."""
        size = self.size
        anchor = self._anchors.name(event.anchor, node, event.start_mark.index) if event.anchor is not None else None
        deepest, nodes = size.deepest, size.nodes
        size.deepest = depth - 1
        if isinstance(node, Mapping):
            self._mapping(node, depth)
        else:
            self._sequence(node, depth)
        if anchor:
            anchor.size = size.nodes - nodes + 1
            anchor.height = size.deepest - depth + 1
        size.deepest = max(deepest, size.deepest)

    def _go_deeper(self, node: Node, depth: int) -> None:
        if depth > NESTING_LIMIT:
            self.findings.nesting(node.start, NESTING_LIMIT)
            raise Stop(node.start)
        self.size.deepest = depth

    # One loop without calls for the plain keys and values that most templates are made of: this is where parsing spends
    # its time.
    def _mapping(self, node: Mapping, depth: int) -> None:  # noqa: C901, PLR0912, PLR0915
        if depth > self.size.deepest:
            self._go_deeper(node, depth)
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
            opened: Mapping | Sequence | None = None
            if kind is ScalarEvent:
                raw = event.value
                first = event.start_mark.index
                last = event.end_mark.index
                if last - first == len(raw):
                    try:
                        below: Node = Scalar(plain[raw], raw, first, last, True)  # noqa: FBT003 - faster
                    except NotJson:
                        below = self._scalar(event)
                else:
                    below = self._scalar(event)
            elif kind is AliasEvent:
                below = self._anchors.repeat(event, depth)
            elif event.anchor is not None or event.tag is not None:
                below = opened = self._opened(event)
            elif kind is MappingStartEvent:
                below = opened = Mapping({}, {}, event.start_mark.index, -1)
            else:
                below = opened = Sequence([], [], event.start_mark.index, -1)

            if merge or name is None:
                if opened is not None:
                    self._fill(opened, event, depth + 1)
                if merge:
                    merges = [*(merges or ()), *self._anchors.taken_over(below, start)]
            else:
                entry = Entry(start, end, below)
                if name in entries:
                    self.findings.duplicate(name, node, entries[name], entry)
                entries[name] = entry
                values[name] = below.value
                if opened is None:
                    pass
                elif event.anchor is not None:
                    self._fill(opened, event, depth + 1)
                elif isinstance(opened, Mapping):
                    self._mapping(opened, depth + 1)
                else:
                    self._sequence(opened, depth + 1)
            end = below.end
        self.size.nodes += len(entries)
        if merges is not None:
            take_over(node, merges)
        last = event.end_mark.index
        node.end = end if last == event.start_mark.index else last

    def _sequence(self, node: Sequence, depth: int) -> None:
        if depth > self.size.deepest:
            self._go_deeper(node, depth)
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
                        below: Node = Scalar(plain[raw], raw, start, end, True)  # noqa: FBT003
                    except NotJson:
                        below = self._scalar(event)
                else:
                    below = self._scalar(event)
                items.append(below)
                values.append(below.value)
            elif kind is SequenceEndEvent:
                break
            elif kind is AliasEvent:
                below = self._anchors.repeat(event, depth)
                items.append(below)
                values.append(below.value)
            elif event.anchor is not None or event.tag is not None:
                below = self._opened(event)
                items.append(below)
                values.append(below.value)
                self._fill(below, event, depth + 1)
            elif kind is MappingStartEvent:
                below = mapping = Mapping({}, {}, event.start_mark.index, -1)
                items.append(below)
                values.append(mapping.value)
                self._mapping(mapping, depth + 1)
            else:
                below = sequence = Sequence([], [], event.start_mark.index, -1)
                items.append(below)
                values.append(sequence.value)
                self._sequence(sequence, depth + 1)
            end = below.end
        self.size.nodes += len(items)
        last = event.end_mark.index
        node.end = end if last == event.start_mark.index else last

    def _opened(self, event: Any) -> Mapping | Sequence:
        start = event.start_mark.index
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
            return self._anchors.repeat(event, depth)
        node = self._opened(event)
        self._fill(node, event, depth + 1)
        return node

    def _scalar(self, event: Any) -> Scalar:
        raw, tag = event.value, event.tag
        start = begin = event.start_mark.index
        end = event.end_mark.index
        plain, quoted = event.implicit
        if quoted and event.anchor is None and event.style not in _BLOCKS:
            return Scalar(raw, raw, start, end, plain=False)
        value: Json = raw
        if event.anchor is not None:
            found = _PROPERTIES.match(self._content, start, end)
            begin = found.end() if found else start
        if plain:
            try:
                value = plain_value(raw)
            except NotJson as error:
                self.findings.tag(str(error), begin, end, raw)
        elif not quoted and tag == "!":
            value = raw or None  # the parsers disagree about an empty value with this tag
        elif not quoted:
            try:
                value = tagged_value(tag, raw)
            except NotJson as error:
                self.findings.tag(str(error), start, end)
        if event.style in _BLOCKS:
            end = _block_end(self._content, begin, end)
        node = Scalar(value, raw, begin, end, plain and tag is None)
        if event.anchor is not None:
            self._anchors.name(event.anchor, node, start).size = 1
        return node

    def _key(self, event: Any, start: int, end: int) -> tuple[int, str, bool]:
        """A key with quotes, an anchor, a tag or several lines: its start, its text, and whether it is ``<<``."""
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


def _below(node: Node) -> list[Node]:
    if isinstance(node, Mapping):
        return [each.node for each in node.entries.values()]
    return node.items if isinstance(node, Sequence) else []


def _nothing() -> None:
    return None


def _block_end(content: str, start: int, end: int) -> int:
    """The end of a block text without the blank lines that follow (they are part of it after ``|+``)."""
    text = content[start:end]
    if "+" in text.partition("\n")[0].partition("#")[0]:
        return end
    kept = len(text.rstrip(" \t" + _LINE_ENDS))
    line_end = min((at for each in _LINE_ENDS if (at := text.find(each, kept)) >= 0), default=len(text))
    return start + line_end
