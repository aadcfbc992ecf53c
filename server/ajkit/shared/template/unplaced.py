"""A text that was read for its values alone, and where they stand: one place at a time, or the whole tree."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from yaml.events import MappingEndEvent, MappingStartEvent, ScalarEvent, SequenceEndEvent, SequenceStartEvent

from ajkit.shared.template.tree import Entry
from ajkit.shared.template.values import ROOT

if TYPE_CHECKING:
    from ajkit.shared.template.compose import Composer
    from ajkit.shared.template.tree import Node
    from ajkit.shared.where import KeyPath, Text


ASKED = 10
"""So many places are looked for one by one, along all that stands above them; who asks on gets the tree."""


class Unplaced:
    """An ordinary text whose values are known and whose tree is not made; its `events` may be let go of."""

    __slots__ = ("_asked", "_composer", "_pure", "events", "text")

    def __init__(self, text: Text, events: list[Any], *, pure: bool) -> None:
        self.text = text
        self.events = events
        self._asked = 0
        self._composer: Composer | None = None
        self._pure = pure

    def tree(self) -> Node | None:
        """The tree."""
        if not self.events:
            from ajkit.shared.template.attempt import attempt  # noqa: PLC0415 - who shows a config asks for no places

            return attempt(self.text, pure=self._pure).composer.root
        composer = self._new_composer()
        composer.run(iter(self.events).__next__)
        return composer.root

    def node(self, path: KeyPath) -> tuple[Node, Entry | None] | None:
        """What `node_at` says of the tree, without making more of it than that node; None where the tree is better."""
        events, at = self.events, ROOT
        self._asked += 1
        if not events or self._asked > ASKED:
            return None
        key: Any = None
        for step in path:
            found = _key(events, at, step) if isinstance(step, str) else _item(events, at, step)
            if found is None:
                return None
            key = events[found] if isinstance(step, str) else None
            at = found if key is None else found + 1
        self._composer = self._composer or self._new_composer()
        node = self._composer.part(events[at], iter(islice(events, at + 1, None)).__next__, len(path))
        return node, None if key is None else Entry(key.start_mark.index, key.end_mark.index, node)

    def _new_composer(self) -> Composer:
        from ajkit.shared.template.compose import Composer  # noqa: PLC0415 - as above

        return Composer(self.text)


def _key(events: list[Any], at: int, name: str) -> int | None:
    """Where the event of a key of the mapping that opens at `at` is."""
    if events[at].__class__ is not MappingStartEvent:
        return None
    at += 1
    while events[at].__class__ is not MappingEndEvent:
        if events[at].value == name:
            return at
        at = _behind(events, at + 1)
    return None


def _item(events: list[Any], at: int, index: int) -> int | None:
    """Where the first event of an item of the list that opens at `at` is."""
    if events[at].__class__ is not SequenceStartEvent:
        return None
    at += 1
    while events[at].__class__ is not SequenceEndEvent:
        if index == 0:
            return at
        index -= 1
        at = _behind(events, at)
    return None


def _behind(events: list[Any], at: int) -> int:
    """What follows the node whose first event is at `at`."""
    depth = 0
    while True:
        kind = events[at].__class__
        at += 1
        if kind is MappingStartEvent or kind is SequenceStartEvent:
            depth += 1
        elif kind is not ScalarEvent:
            depth -= 1
        if not depth:
            return at
