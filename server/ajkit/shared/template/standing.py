"""Where a line stands: in block context, inside brackets or quotes opened above it, or inside a block text."""

from __future__ import annotations

from dataclasses import field
from types import MappingProxyType
from typing import TYPE_CHECKING

from ajkit.shared.records import dataclass
from ajkit.shared.template import tree
from ajkit.shared.template.lines import read_flow, read_line

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ajkit.shared.where import Text

_NOTHING: Mapping[int, str] = MappingProxyType({})
_FARTHEST = 2_000  # lines that are read to find out; what is opened farther above is taken for closed


@dataclass(frozen=True, slots=True)
class Standing:
    """What is open where a line begins: quotes and brackets with their offsets, outermost first; a block text."""

    opened: list[tuple[str, int]] = field(default_factory=list)
    in_block_text: bool = False


def standing(text: Text, root: tree.Node | None, number: int, mended: Mapping[int, str] = _NOTHING) -> Standing:
    """Where the line `number` stands, given the tree of what is above it (and perhaps below).

    `mended` are lines that are read differently.
    """
    first = max(_reliable(text, root, number), number - _FARTHEST, 0)
    return next((place for each, place in walk(text, first, mended) if each >= number), Standing())


def believable(text: Text, place: Standing, number: int) -> bool:
    """Whether what is open at a line may have been meant to reach it: no key stands between that ends the value."""
    if not place.opened:
        return True
    opening = text.position(place.opened[0][1]).line
    indent = _indent(text.line(opening))
    between = (text.line(each) for each in range(opening + 1, number + 1))
    return not any(_indent(each) <= indent and read_line(each).key for each in between)


def walk(text: Text, first: int = 0, mended: Mapping[int, str] = _NOTHING) -> Iterator[tuple[int, Standing]]:
    """Every line from `first` (which stands in block context) with where it stands; one more number at the end."""
    opened: list[tuple[str, int]] = []
    block: int | None = None
    for number in range(first, len(text.starts)):
        content = mended[number] if number in mended else text.line(number)
        indent = _indent(content)
        if block is not None and content.strip() and indent <= block:
            block = None
        yield number, Standing(opened, block is not None)
        if block is not None:
            continue
        start = text.starts[number]
        if opened:
            _, opened = read_flow(content, opened, base=start)
            continue
        line = read_line(content)
        opened = [(char, start + at) for char, at in line.opened]
        if line.block:
            block = line.body if line.key and line.body > line.indent else line.indent
    yield len(text.starts), Standing(opened, block is not None)


def _reliable(text: Text, root: tree.Node | None, number: int) -> int:
    """The line, at or above `number`, of the innermost node in block context that begins above it."""
    start = text.starts[number]
    node, found = root, 0
    while (
        node is not None and not isinstance(node, tree.Scalar) and not text.content.startswith(("[", "{"), node.start)
    ):
        if isinstance(node, tree.Mapping):
            entry = next((each for each in reversed(node.entries.values()) if each.start < start), None)
            if entry is None or entry.start < node.start:
                break
            found, node = entry.start, entry.node
        else:
            item = next((each for each in reversed(node.items) if each.start < start), None)
            if item is None or item.start < node.start:
                break
            found, node = item.start, item
    return text.position(found).line


def _indent(content: str) -> int:
    return len(content) - len(content.lstrip(" \t"))
