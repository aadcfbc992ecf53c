"""The containers that are open at a line in block context, read from the tree of the lines around it."""

from __future__ import annotations

from bisect import bisect_left
from dataclasses import dataclass
from itertools import islice
from typing import TYPE_CHECKING, Literal

from ajkit.shared.template.tree import Mapping, Scalar, Sequence

if TYPE_CHECKING:
    from ajkit.shared.template.tree import Document, Node
    from ajkit.shared.where import KeyPath, Text

_WALKED = 1_000
"""The entries of a mapping that are looked at one by one."""

Sort = Literal["mapping", "sequence", "open", "text", "closed"]


@dataclass(frozen=True, slots=True)
class Level:
    """Something that a line can go on with.

    Attributes:
        sort: a mapping or sequence in block style; ``open`` for a key or dash that has no value yet; ``text`` for a
            scalar of several lines; ``closed`` for a value that nothing can be added to.
        path: where it is, from the root of the document.
        column: of its keys or dashes; for other sorts the column of the key or dash that it belongs to.
        under: the column of the key or dash that it belongs to (-1 for the root).
        inside: whether more of it follows below the line, so that only what belongs to it can stand there.
        node: the node, without which nothing is there yet.
    """

    sort: Sort
    path: KeyPath
    column: int
    under: int
    inside: bool = False
    node: Mapping | Sequence | None = None


def levels(document: Document, number: int) -> list[Level]:
    """What is open at the line `number`, outermost first; what the line itself holds does not count."""
    return _Reader(document.text, number).read(document.root)


def column_of(text: Text, offset: int) -> int:
    """The column of an offset."""
    return text.position(offset).column


def is_block(text: Text, node: Node | None) -> bool:
    """Whether a node is a mapping or list in block style."""
    if node is None or isinstance(node, Scalar):
        return False
    return not text.content.startswith(("[", "{", "*"), node.start)


class _Reader:
    """Walks down one tree to one line."""

    def __init__(self, text: Text, number: int) -> None:
        self._text = text
        self._start = text.starts[number]
        self._end = text.starts[number + 1] if number + 1 < len(text.starts) else len(text.content) + 1
        self._found: list[Level] = []

    def read(self, root: Node | None) -> list[Level]:
        node = root
        path: KeyPath = ()
        under = -1
        while True:
            below = self._level(node, path, under)
            if below is None:
                return self._found
            node, path, under = below

    def _level(self, node: Node | None, path: KeyPath, under: int) -> tuple[Node, KeyPath, int] | None:
        """Note what a node is to the line; gives the node inside it that comes last before the line."""
        if node is None or self._is_own(node) or (isinstance(node, Scalar) and node.value is None and not node.raw):
            self._add("open", path, under, under)
            return None
        if not is_block(self._text, node):
            self._add(self._closed(node), path, under, under, inside=node.start >= self._start or node.end > self._end)
            return None
        assert not isinstance(node, Scalar)
        column = column_of(self._text, node.start)
        sort: Sort = "mapping" if isinstance(node, Mapping) else "sequence"
        last, more = self._around(node)
        self._add(sort, path, column, under, inside=more, node=node)
        if last is None:
            return None
        step, inner = last
        return inner, (*path, step), column

    def _is_own(self, node: Node) -> bool:
        """Whether a node is nothing but what the line itself says."""
        if not self._start <= node.start < self._end:
            return False
        return not (is_block(self._text, node) and not isinstance(node, Scalar) and self._around(node)[1])

    def _closed(self, node: Node) -> Sort:
        if not isinstance(node, Scalar) or node.start >= self._start:
            return "closed"
        if self._text.content.startswith(("|", ">"), node.start) and not node.plain:
            return "text"
        return "text" if node.end >= self._start else "closed"

    def _around(self, node: Mapping | Sequence) -> tuple[tuple[str | int, Node] | None, bool]:
        """The last thing of a container that begins above the line, and whether one begins below it."""
        if isinstance(node, Sequence):
            first = bisect_left(node.items, self._start, key=lambda each: each.start)
            before: tuple[str | int, Node] | None = (first - 1, node.items[first - 1]) if first else None
            return before, bool(node.items) and node.items[-1].start >= self._end
        entries = list(node.entries.values())
        # Duplicate keys stand out of order, which only a walk bears; giant mappings are not walked.
        if len(entries) > _WALKED:
            index = bisect_left(entries, self._start, key=lambda each: each.start) - 1
        else:
            index = next((at for at in reversed(range(len(entries))) if entries[at].start < self._start), -1)
        more = any(each.start >= self._end for each in (entries[index + 1 : index + 3] + entries[-1:]))
        # What came in through `<<` stands elsewhere.
        if index < 0 or entries[index].start < node.start:
            return None, more
        return (next(islice(node.entries, index, None)), entries[index].node), more

    def _add(
        self,
        sort: Sort,
        path: KeyPath,
        column: int,
        under: int,
        *,
        inside: bool = False,
        node: Mapping | Sequence | None = None,
    ) -> None:
        self._found.append(Level(sort, path, column, under, inside, node))
