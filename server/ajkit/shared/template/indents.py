"""Indentation: the neighbours of a line, and the columns at which a line could go on with what is open above it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ajkit.shared.template.lines import Line, read_line

if TYPE_CHECKING:
    from ajkit.shared.where import Text

_FARTHEST = 200  # lines that are looked at to find a neighbour


class Indents:
    """Answers about the lines of one text; blank lines and comments are nobody's neighbour."""

    def __init__(self, text: Text) -> None:
        self.text = text

    def content(self, number: int) -> str:
        """The characters of a line."""
        return self.text.line(number)

    def line(self, number: int) -> Line:
        """A line, read as if it stood in block context."""
        return read_line(self.text.line(number))

    def indent(self, number: int) -> int:
        """The column of the first character of a line."""
        content = self.text.line(number)
        return len(content) - len(content.lstrip(" \t"))

    def above(self, number: int) -> int | None:
        """The nearest line above that says something."""
        return self._neighbour(number, -1)

    def below(self, number: int) -> int | None:
        """The nearest line below that says something."""
        return self._neighbour(number, 1)

    def is_item(self, number: int | None) -> bool:
        """Whether a line is a list item."""
        return number is not None and self.text.line(number).lstrip(" ").startswith("-") and self.line(number).dashed

    def deeper(self, number: int) -> range:
        """The lines below that are indented deeper than this one, up to a closing bracket below its first letter."""
        indent = self.indent(number)
        last = number
        for each in range(number + 1, min(len(self.text.starts), number + _FARTHEST)):
            stripped = self.text.line(each).lstrip(" \t")
            if not stripped or stripped.startswith("#"):
                continue
            closes = stripped[0] in "]}" and self.indent(each) == indent
            if self.indent(each) <= indent and not closes:
                break
            last = each
        return range(number + 1, last + 1)

    def below_alike(self, number: int) -> int:
        """How many lines, this one included, go on at its indentation before one that is indented less."""
        indent = self.indent(number)
        count = 0
        each: int | None = number
        while each is not None and self.indent(each) >= indent:
            count += self.indent(each) == indent
            each = self.below(each)
        return count

    def above_alike(self, number: int) -> list[int]:
        """The lines directly above that stand in the column of the nearest one, from the top."""
        found: list[int] = []
        each = self.above(number)
        column = self.line(each).body if each is not None else 0
        while each is not None:
            line = self.line(each)
            if line.body == column:
                found.insert(0, each)
            if line.indent < column:
                break
            each = self.above(each)
        return found

    def is_parent(self, number: int) -> bool:
        """Whether the lines below may belong to this one: a key or a dash without a value, or the first key of an item."""
        line = self.line(number)
        if not line.word:
            return line.key is not None or line.dashed
        below = self.below(number)
        return line.dashed and line.key is not None and below is not None and self.indent(below) > line.indent

    def _begins(self, number: int) -> bool:
        """Whether a line begins a key or an item, rather than going on with a text."""
        line = self.line(number)
        return line.key is not None or line.dashed

    def levels(self, number: int) -> list[int]:
        """Other indentations that this line could have, the likeliest first."""
        above = self.above(number)
        if above is None:
            return []
        line = self.line(number)
        before = self.line(above)
        found = self._open(above)
        below = self.below(number)
        under = self.indent(below) if below is not None else 0
        if self.is_parent(above) and not before.word:
            found += [before.body + 2] + ([under] if under > before.body else [])
        if line.dashed and line.key:
            wanted = under - (line.body - line.indent)
            found.append(wanted if wanted in found else before.body)
        elif self.is_parent(number) and (under > line.indent or (under == line.indent and not line.dashed)):
            item = self.is_item(below)
            found = [each for each in found if each < under or (each == under and item)]
            wanted = under - 2
        else:
            while below is not None and (self.indent(below) not in found or not self._begins(below)):
                below = self.below(below)
            wanted = self.indent(below) if below is not None else 0
        nearest = sorted(
            {each for each in found if each != line.indent}, key=lambda each: (abs(each - line.indent), each)
        )
        if line.dashed and wanted in nearest:
            return [wanted, *(each for each in nearest if each != wanted)]
        return sorted(nearest, key=lambda each: (abs(each - line.indent), each != wanted, each))

    def _open(self, number: int) -> list[int]:
        """The columns at which something is open after a line."""
        line = self.line(number)
        found = {line.indent, line.body}
        least = line.indent
        above: int | None = number
        while least > 0 and (above := self.above(above)) is not None:
            line = self.line(above)
            if line.indent < least:
                found.add(line.indent)
                if line.body <= least:
                    found.add(line.body)
                least = line.indent
        return sorted(found)

    def _neighbour(self, number: int, step: int) -> int | None:
        for each in range(number + step, number + step * _FARTHEST, step):
            if not 0 <= each < len(self.text.starts):
                return None
            stripped = self.text.line(each).lstrip(" \t")
            if stripped and not stripped.startswith("#"):
                return each
        return None
