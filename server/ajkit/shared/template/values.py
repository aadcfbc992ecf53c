"""From the parser's events to plain values alone: what most files are read for, and cheaper than a tree."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any, NamedTuple

from yaml import YAMLError
from yaml.events import (
    DocumentEndEvent,
    DocumentStartEvent,
    MappingEndEvent,
    MappingStartEvent,
    ScalarEvent,
    SequenceEndEvent,
    SequenceStartEvent,
    StreamEndEvent,
)

from ajkit.shared.template.collector import collector_paused
from ajkit.shared.template.events import open_events
from ajkit.shared.template.scalars import PlainValues
from ajkit.shared.template.tree import NESTING_LIMIT

if TYPE_CHECKING:
    from collections.abc import Callable

    from ajkit.shared.where import Json

SIZE_LIMIT = 1_000_000
"""How many characters an ordinary text has at most: one that is longer may hold more nodes than are read."""
ROOT = 2
"""Which of the events of a document opens its root."""

_PLAIN = PlainValues()


class Reading(NamedTuple):
    """The mapping that a text holds, how many nodes that is, and the events it was read from, from first to last."""

    value: dict[str, Json]
    nodes: int
    events: list[Any]


def plain_values(content: str, *, pure: bool = False) -> Reading | None:
    """What an ordinary text holds; None where the text has to be looked at.

    Ordinary is what `ajkit.shared.template.compose` reads without a finding and where every value stands in one place:
    a mapping without anchors, tags, merge keys and keys that come twice. Its values are those of the located tree.
    """
    if len(content) > SIZE_LIMIT:
        return None
    try:
        with collector_paused():
            events = [*iter(open_events(content, pure=pure), None)]
            reader = _Reader(iter(events).__next__)
            return Reading(reader.document(), reader.nodes, events)
    except (_Unusual, YAMLError, ValueError):  # a value that JSON has not is a ValueError too
        return None


class _Unusual(Exception):
    """There is something in the text that plain values cannot tell of."""


class _Reader:
    def __init__(self, next_event: Callable[[], Any]) -> None:
        self.nodes = 1
        self._next = next_event

    def document(self) -> dict[str, Json]:
        self._next()
        self._expect(DocumentStartEvent)
        root = self._mapping(self._expect(MappingStartEvent), 1)
        self._expect(DocumentEndEvent)
        self._expect(StreamEndEvent)
        return root

    def _expect(self, kind: type) -> Any:
        event = self._next()
        if event.__class__ is not kind:
            raise _Unusual
        return event

    def _mapping(self, opening: Any, depth: int) -> dict[str, Json]:
        self._enter(opening, depth)
        next_event, plain = self._next, _PLAIN
        values: dict[str, Json] = {}
        while True:
            event = next_event()
            if event.__class__ is not ScalarEvent:
                if event.__class__ is MappingEndEvent:
                    break
                raise _Unusual
            key = event.value
            if key in values or key == "<<" or event.anchor is not None or event.tag is not None:
                raise _Unusual
            event = next_event()
            if event.__class__ is ScalarEvent and event.anchor is None and event.tag is None:
                values[key] = plain[event.value] if event.implicit[0] else event.value
            else:
                values[key] = self._below(event, depth)
        self.nodes += len(values)
        return values

    def _sequence(self, opening: Any, depth: int) -> list[Json]:
        self._enter(opening, depth)
        next_event, plain = self._next, _PLAIN
        values: list[Json] = []
        while True:
            event = next_event()
            if event.__class__ is ScalarEvent and event.anchor is None and event.tag is None:
                values.append(plain[event.value] if event.implicit[0] else event.value)
            elif event.__class__ is SequenceEndEvent:
                break
            else:
                values.append(self._below(event, depth))
        self.nodes += len(values)
        return values

    def _below(self, event: Any, depth: int) -> Json:
        if event.__class__ is MappingStartEvent:
            return self._mapping(event, depth + 1)
        if event.__class__ is SequenceStartEvent:
            return self._sequence(event, depth + 1)
        raise _Unusual

    @staticmethod
    def _enter(opening: Any, depth: int) -> None:
        if depth > NESTING_LIMIT or opening.anchor is not None or opening.tag is not None:
            raise _Unusual
