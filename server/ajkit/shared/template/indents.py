"""Indentation: the neighbours of a line, and the columns at which a line could go on with what is open above it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ajkit.shared.template.lines import Line, read_line

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ajkit.shared.where import Text

_NEAR = 200  # lines that are looked at for neighbours and what is like them
_FAR = 2_000  # lines that are looked at for the beginning of what is open


class Indents:
    """Answers about the lines of one text; blank lines and comments are nobody's neighbour."""

    def __init__(self, text: Text) -> None:
        self.text = text
        self._lines: dict[int, Line] = {}

    def content(self, number: int) -> str:
        """The characters of a line."""
        return self.text.line(number)

    def line(self, number: int) -> Line:
        """A line, read as if it stood in block context."""
        found = self._lines.get(number)
        if found is None:
            found = self._lines[number] = read_line(self.text.line(number))
        return found

    def indent(self, number: int) -> int:
        """The column of the first character of a line."""
        content = self.text.line(number)
        return len(content) - len(content.lstrip(" \t"))

    def above(self, number: int) -> int | None:
        """The nearest line above that says something."""
        return next(self._walk(number, -1), None)

    def below(self, number: int) -> int | None:
        """The nearest line below that says something."""
        return next(self._walk(number, 1), None)

    def is_item(self, number: int | None) -> bool:
        """Whether a line is a list item."""
        return number is not None and self.text.line(number).lstrip(" ").startswith("-") and self.line(number).dashed

    def is_parent(self, number: int) -> bool:
        """Whether lines below may belong to this one: a key or a dash without a value, or the first key of an item."""
        line = self.line(number)
        if not line.word:
            return line.key is not None or line.dashed
        below = self.below(number)
        return line.dashed and line.key is not None and below is not None and self.indent(below) > line.indent

    def deeper(self, number: int) -> range:
        """The lines below that are indented deeper than this one, up to a closing bracket below its first letter."""
        indent = self.indent(number)
        last = number
        for each in self._walk(number, 1):
            column = self.indent(each)
            closes = column == indent and self.content(each)[column] in "]}"
            if column <= indent and not closes:
                break
            last = each
        return range(number + 1, last + 1)

    def below_alike(self, number: int) -> int:
        """How many lines, this one included, go on at its indentation before one that is indented less."""
        indent = self.indent(number)
        count = 1
        for each in self._walk(number, 1):
            column = self.indent(each)
            if column < indent:
                break
            count += column == indent
        return count

    def above_alike(self, number: int) -> list[int]:
        """The lines directly above that stand in the column of the nearest one, from the top."""
        found: list[int] = []
        column = -1
        for each in self._walk(number, -1):
            line = self.line(each)
            column = line.body if column < 0 else column
            if line.body == column:
                found.append(each)
            if line.indent < column:
                break
        return found[::-1]

    def levels(self, number: int) -> list[int]:
        """Other indentations that this line could have, the likeliest first."""
        above = self.above(number)
        if above is None:
            return []
        line, before = self.line(number), self.line(above)
        below = self.below(number)
        under = self.indent(below) if below is not None else 0
        found = self._open(above, items=line.dashed)
        if self.is_parent(above) and not before.word:
            found |= {before.body + 2} | ({under} if under > before.body else set())
        if line.dashed and line.key:
            wanted = under - (line.body - line.indent)  # so that its first key stands above the next one
        elif self.is_parent(number) and (under > line.indent or (under == line.indent and not line.dashed)):
            item = self.is_item(below)
            found = {each for each in found if each < under or (each == under and item)}
            wanted = under - 2
        else:
            wanted = next((self.indent(each) for each in self._begun(number) if self.indent(each) in found), 0)
        found.discard(line.indent)
        nearest = sorted(found, key=lambda each: (abs(each - line.indent), each != wanted, each))
        if line.dashed and wanted in found:
            return [wanted, *(each for each in nearest if each != wanted)]
        return nearest

    def _begun(self, number: int) -> Iterator[int]:
        """The lines below that begin a key or an item, rather than going on with a text."""
        return (each for each in self._walk(number, 1) if self.line(each).key or self.line(each).dashed)

    def _open(self, number: int, *, items: bool) -> set[int]:
        """The columns at which a key (or also an item) can go on with what is open after a line."""
        line = self.line(number)
        found = {line.indent, line.body} if items else {line.body}
        least = line.indent
        for each in self._walk(number, -1, _FAR):
            if least == 0:
                break
            if self.indent(each) < least:
                line = self.line(each)
                if items or not line.dashed:
                    found.add(line.indent)
                if line.body <= least:
                    found.add(line.body)
                least = line.indent
        return found

    def _walk(self, number: int, step: int, farthest: int = _NEAR) -> Iterator[int]:
        """The lines above (-1) or below (1) that say something, the nearest first."""
        last = min(len(self.text.starts), number + farthest + 1) if step > 0 else max(-1, number - farthest - 1)
        for each in range(number + step, last, step):
            stripped = self.text.line(each).lstrip(" \t")
            if stripped and not stripped.startswith("#"):
                yield each
