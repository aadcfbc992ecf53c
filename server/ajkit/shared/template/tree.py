"""The located tree of one YAML document: plain values beside the places where they were written."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ajkit.shared.where import Missing, Span, at

if TYPE_CHECKING:
    from ajkit.shared.problem import Problem
    from ajkit.shared.template.unplaced import Unplaced
    from ajkit.shared.where import Json, KeyPath, Text


NESTING_LIMIT = 100
"""How many containers may stand in one another."""


class Scalar:
    """A scalar: its JSON value, its text as written (after YAML quoting), its place.

    `plain` is true for an unquoted, untagged, non-block scalar; an empty value is plain with `raw` ``""``.
    Offsets are code points into the document's text and include the quotes.
    """

    __slots__ = ("end", "plain", "raw", "start", "value")

    def __init__(self, value: Json, raw: str, start: int, end: int, plain: bool) -> None:
        self.value = value
        self.raw = raw
        self.start = start
        self.end = end
        self.plain = plain


class Entry:
    """One key of a mapping, with the place of the key, and the node under it."""

    __slots__ = ("end", "node", "start")

    def __init__(self, start: int, end: int, node: Node) -> None:
        self.start = start
        self.end = end
        self.node = node


class Mapping:
    """A mapping: its plain value and its entries by key text, in first-appearance order (``<<`` already applied)."""

    __slots__ = ("end", "entries", "start", "value")

    def __init__(self, value: dict[str, Json], entries: dict[str, Entry], start: int, end: int) -> None:
        self.value = value
        self.entries = entries
        self.start = start
        self.end = end


class Sequence:
    """A sequence: its plain value and its items."""

    __slots__ = ("end", "items", "start", "value")

    def __init__(self, value: list[Json], items: list[Node], start: int, end: int) -> None:
        self.value = value
        self.items = items
        self.start = start
        self.end = end


Node = Scalar | Mapping | Sequence
"""An alias is a node too, in the place of the ``*name``: it shares its value, and what is below, with what it repeats.

What ``<<`` takes over are the very entries of the mapping that it names, in the place where they were written.
"""


class Document:
    """A parsed file: its text, its tree (None when there is nothing or nothing could be saved) and its problems.

    `value` is the plain value of the tree. Of an ordinary text that alone was read: where things stand is worked out
    when somebody asks, as nearly all files of a workspace are right and nobody asks anything.

    `broken` lists the zero-based lines that recovery had to set aside; `nodes` counts nodes after aliases; `parses`
    says how often the parser ran; `whole` is false where it gave up before the end of the text.
    """

    __slots__ = ("__weakref__", "_root", "_unplaced", "broken", "nodes", "parses", "problems", "text", "value", "whole")

    def __init__(
        self,
        text: Text,
        root: Node | None,
        problems: tuple[Problem, ...] = (),
        broken: tuple[int, ...] = (),
        nodes: int = 0,
        parses: int = 1,
        *,
        whole: bool = True,
    ) -> None:
        self.text = text
        self.value: Json = None if root is None else root.value
        self.problems = problems
        self.broken = broken
        self.nodes = nodes
        self.parses = parses
        self.whole = whole
        self._root = root
        self._unplaced: Unplaced | None = None

    @classmethod
    def of_values(cls, value: Json, nodes: int, unplaced: Unplaced) -> Document:
        """The document of a text without problems that was read for its values."""
        document = cls(unplaced.text, None, nodes=nodes)
        document.value = value
        document._unplaced = unplaced
        return document

    @property
    def root(self) -> Node | None:
        """The tree."""
        if self._unplaced is not None:
            self._root, self._unplaced = self._unplaced.tree(), None
        return self._root

    def written(self, path: KeyPath) -> tuple[Node, Entry | None] | None:
        """The node at a key path, with the entry it stands under; None where nothing is. It makes no tree if it can."""
        if isinstance(at(self.value, path), Missing):
            return None
        if self._unplaced is not None and (found := self._unplaced.node(path)):
            return found
        return node_at(self.root, path) if self.root is not None else None

    def keep(self) -> None:
        """Let go of what makes the first question for a place cheap: for those that stay in memory unasked."""
        if self._unplaced is not None:
            self._unplaced.events = []

    def span(self, node: Node | Entry) -> Span:
        """The span of a node, or of an entry's key."""
        return Span(self.text, node.start, node.end)


def node_at(root: Node, path: KeyPath) -> tuple[Node, Entry | None] | None:
    """The node at a key path of one written tree, with the entry it stands under (None for list items and the root)."""
    node: Node = root
    entry: Entry | None = None
    for step in path:
        if isinstance(node, Mapping) and isinstance(step, str) and step in node.entries:
            entry = node.entries[step]
            node = entry.node
        elif isinstance(node, Sequence) and isinstance(step, int) and step < len(node.items):
            entry = None
            node = node.items[step]
        else:
            return None
    return node, entry
