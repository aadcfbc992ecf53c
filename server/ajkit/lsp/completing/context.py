"""Where a cursor stands, read from the text around it and the tree that was saved of the rest."""

from __future__ import annotations

import re
from bisect import bisect_left
from dataclasses import replace
from typing import TYPE_CHECKING, Literal

from ajkit.lsp.completing.flow import flow_at
from ajkit.lsp.completing.levels import column_of, is_block, levels
from ajkit.lsp.completing.places import Context, Others, Slot
from ajkit.shared.template.indents import Indents
from ajkit.shared.template.lines import read_line
from ajkit.shared.template.standing import believable, standing
from ajkit.shared.template.tree import Mapping, Sequence, node_at

if TYPE_CHECKING:
    from collections.abc import Container

    from ajkit.lsp.completing.flow import Flow
    from ajkit.lsp.completing.levels import Level
    from ajkit.shared.template.lines import Line
    from ajkit.shared.template.tree import Document, Node
    from ajkit.shared.where import KeyPath

_VARIABLE = re.compile(r"\$(?P<brace>\{?)(?P<name>[A-Za-z_][A-Za-z0-9_]*)?$")
_NAME = re.compile(r"[A-Za-z0-9_]*")
_COLON = re.compile(r"[ \t]*:(?=[ \t]|$)")
_WORD = re.compile(r"(?:[^\s#:]|:(?!\s|\Z))*")
_PROPERTIES = re.compile(r"(?:[&!]\S*[ \t]+)*")
_MARKER = re.compile(r"---|\.\.\.|%")
_QUOTED = {'"': re.compile(r'"(?:[^"\\]|\\.)*"'), "'": re.compile(r"'(?:[^']|'')*'")}


def context_at(document: Document, offset: int) -> Context:
    """What is at an offset of a document; without slots and variable where nothing can be proposed."""
    return _Finder(document, offset).find()


class _Finder:
    """Reads the line of the cursor, and of the tree what that line stands in."""

    def __init__(self, document: Document, offset: int) -> None:
        self._document = document
        self._text = document.text
        self._offset = offset
        self._number, self._column = self._text.position(offset)
        self._begin = self._text.starts[self._number]
        self._content = self._text.line(self._number)
        self._head = self._content[: self._column]

    def find(self) -> Context:
        nothing = Context(self._offset, self._offset, "")
        if _MARKER.match(self._content):
            return nothing
        line = read_line(self._content)
        found = levels(self._document, self._number)
        text = self._text_around(found, line)
        if text is not None:
            return self._with_variable(replace(nothing, text_path=text))
        opened = self._opened()
        if opened is not None:
            return self._in_flow(opened)
        head = read_line(self._head)
        if head.opened and head.opened[0][0] in "[{":
            return self._in_flow(self._begin + head.opened[0][1])
        if not head.opened and self._column > head.comment:
            return nothing
        return self._with_variable(self._in_block(found, line, head))

    def _opened(self) -> int | None:
        """The offset of the bracket or quote that was opened above and holds this line."""
        place = standing(self._text, self._document.root, self._number)
        if not place.opened or not believable(self._text, place, self._number):
            return None
        char, first = place.opened[0]
        if char in "\"'" and self._text.position(first).line in self._document.broken:
            return None
        return first

    # -- block context ----------------------------------------------------------------------------------------------

    def _in_block(self, found: list[Level], line: Line, head: Line) -> Context:
        if "?" in self._content[line.indent : line.body] or (not line.blank and self._column < line.indent):
            return Context(self._offset, self._offset, "")
        if head.key is not None:
            return self._in_value(found, line, head)
        return self._in_word(found, line)

    def _text_around(self, found: list[Level], line: Line) -> KeyPath | None:
        """The path of the text of several lines that the cursor is in."""
        last = found[-1]
        if last.sort != "text":
            return None
        column = self._column if not self._content.strip() else line.indent
        inside = column > last.under or (not self._content.strip() and last.inside)
        return last.path if inside and last.path[:1] != ("base",) else None

    def _in_word(self, found: list[Level], line: Line) -> Context:
        """In a key, in a bare word that may become one, or where there is no word yet."""
        nothing = Context(self._offset, self._offset, "")
        if line.body >= line.end:
            if line.dashed and self._column <= line.indent + self._content[line.indent : line.body].rindex("-"):
                return nothing
            start, end, colon = self._offset, self._offset, False
        elif self._column < line.body:
            return nothing
        elif line.key is not None:
            start, end, colon = self._begin + line.key[0], self._begin + line.key[1], True
            if not start <= self._offset <= end:
                return nothing
        else:
            start = self._begin + line.body
            end, colon = self._word_end(start)
        if line.dashed:
            slots = self._after_dash(found, line)
        else:
            slots = self._on_line(found, self._column if line.blank else line.body)
        typed = self._text.content[start : self._offset]
        return Context(start, end, typed, colon, tuple(slots), followed=self._followed())

    def _followed(self) -> tuple[int, bool]:
        indents = Indents(self._text)
        below = indents.below(self._number)
        return (indents.indent(below), indents.is_item(below)) if below is not None else (-1, False)

    def _word_end(self, start: int) -> tuple[int, bool]:
        """Where the word at the cursor ends, and whether a colon follows."""
        content = self._text.content
        quoted = _QUOTED.get(content[start : start + 1])
        found = quoted.match(content, start, self._begin + len(self._content)) if quoted else None
        whole = found is not None and found.end() >= self._offset
        end = found.end() if found is not None and whole else _end(_WORD.match(content, self._offset))
        return end, _COLON.match(content, end, self._begin + len(self._content)) is not None

    def _after_dash(self, found: list[Level], line: Line) -> list[Slot]:
        """What may follow the dash of this line."""
        path = self._item_path(found, line)
        if path is None:
            return []
        lead = " " if self._head.endswith("-") else ""
        column = min(line.body, self._column + len(lead)) if line.body >= line.end else line.body
        own = self._own(path)
        return [Slot("value", path, self._taken(own), lead, column, line.indent)]

    def _item_path(self, found: list[Level], line: Line) -> KeyPath | None:
        """The path of the list item that the dashes of this line begin."""
        dashes = [line.indent + at.start() for at in re.finditer("-", self._content[line.indent : line.body])]
        outer = next((each for each in reversed(found) if _takes_dash(each, dashes[0])), None)
        if outer is None:
            return None
        path: KeyPath = (*outer.path, self._index(outer.node))
        for _ in dashes[1:]:
            path = (*path, 0)
        return path

    def _own(self, path: KeyPath) -> Node | None:
        """The node that the tree has for an item that begins on this line."""
        root = self._document.root
        found = node_at(root, path) if root is not None else None
        if found is None:
            return None
        node = found[0]
        number = self._text.position(node.start).line
        # The item of a later line, when this one was set aside.
        dashed = number > self._number and read_line(self._text.line(number)).dashed
        return None if node.start < self._begin or dashed else node

    def _taken(self, node: Node | None) -> Container[str]:
        """The keys of a mapping, without the one that stands on this line."""
        if not isinstance(node, Mapping):
            return ()
        return Others(node.entries, self._begin, self._begin + len(self._content))

    def _on_line(self, found: list[Level], column: int) -> list[Slot]:
        """What a word that begins at a column of this line may become."""
        first = max((index for index, each in enumerate(found) if each.inside), default=0)
        here = found[first:]
        count = sum(1 for each in here if _least(each) <= column)
        at = max(count - 1, 0)
        if count and count < len(here) and here[at].sort == "mapping" and here[at].column < column:
            at += 1  # between the columns of a key and of what is below it: the latter is meant
        if here[at].sort in {"closed", "text"}:
            if not at or here[at].inside:
                return []
            at -= 1
        slots = self._slots(here[at], column)
        if here[at].sort == "sequence" and at and here[at - 1].column == column:
            slots += self._slots(here[at - 1], column)
        if (
            here[at].column == column
            and here[at].sort == "mapping"
            and at + 1 < len(here)
            and here[at + 1].sort == "open"
        ):
            slots.append(Slot("value", (*here[at + 1].path, 0), lead="- ", column=column + 2, indent=column))
        return slots

    def _slots(self, level: Level, column: int) -> list[Slot]:
        """What a word may become that belongs to a container; it is moved to the container's column."""
        target = max(column, level.under + 1) if level.sort == "open" else level.column
        shift = target - column
        if isinstance(level.node, Sequence):
            path = (*level.path, self._index(level.node))
            return [Slot("value", path, lead="- ", column=target + 2, indent=target, shift=shift)]
        taken = self._taken(level.node)
        sort: Literal["key", "value"] = "key" if level.sort == "mapping" else "value"
        return [Slot(sort, level.path, taken, column=target, indent=target, shift=shift)]

    def _index(self, node: Node | None) -> int:
        """How many items of a list begin above this line."""
        return bisect_left(node.items, self._begin, key=lambda each: each.start) if isinstance(node, Sequence) else 0

    def _in_value(self, found: list[Level], line: Line, head: Line) -> Context:
        """Behind a key and its colon."""
        assert head.key is not None
        path = self._key_path(found, line, head.key)
        value = _PROPERTIES.match(self._head, head.value)
        start = self._begin + (value.end() if value else head.value)
        first = self._text.content[start : min(start + 1, self._offset)]
        if path is None or (first and first in "[{*"):
            return Context(self._offset, self._offset, "")
        end = max(self._word_end(start)[0], self._begin + line.end)
        own = self._own_entry(path)
        below = column_of(self._text, own.start) if own is not None and is_block(self._text, own) else None
        lead = " " if self._head.endswith(":") else ""
        slot = Slot("value", path, self._taken(own), lead, head.key[0], line.indent, ways="behind", below=below)
        return Context(start, end, self._text.content[start : self._offset], slots=(slot,), text_path=path)

    def _own_entry(self, path: KeyPath) -> Node | None:
        """The node below the key of this line, where it begins on a later line."""
        root = self._document.root
        found = node_at(root, path) if root is not None else None
        return found[0] if found and found[0].start > self._begin + len(self._content) else None

    def _key_path(self, found: list[Level], line: Line, key_at: tuple[int, int]) -> KeyPath | None:
        """The path of the value of the key that stands on this line."""
        if line.dashed:
            outer = self._item_path(found, line)
        else:
            slots = self._on_line(found, line.body)
            outer = next((each.path for each in slots if not each.shift and not each.lead), None)
        if outer is None:
            return None
        return (*outer, _key_text(self._content[key_at[0] : key_at[1]]))

    # -- inside brackets --------------------------------------------------------------------------------------------

    def _in_flow(self, first: int) -> Context:
        """Inside brackets or quotes that were opened at an offset."""
        nothing = Context(self._offset, self._offset, "")
        outer = _Finder(self._document, first).value_path()
        if outer is None:
            return nothing
        if self._text.content[first] in "\"'":
            return self._with_variable(replace(nothing, text_path=outer))
        flow = flow_at(self._text.content, first, self._offset)
        if flow is None:
            return nothing
        return self._with_variable(self._flow_context(flow, outer))

    def value_path(self) -> KeyPath | None:
        """The path of a value that begins at this offset."""
        line = read_line(self._content)
        found = levels(self._document, self._number)
        if line.key is not None and self._column > line.key[0]:
            return self._key_path(found, line, line.key)
        if line.dashed:
            return self._item_path(found, line)
        slots = self._on_line(found, line.body)
        return next((each.path for each in slots if each.sort == "value" and not each.lead), None)

    def _flow_context(self, flow: Flow, outer: KeyPath) -> Context:
        content = self._text.content
        path = (*outer, *flow.path)
        if flow.start < self._begin:
            return Context(self._offset, self._offset, "", text_path=path)
        end = min(flow.end, self._begin + len(self._content))
        colon = _COLON.match(content, end, self._begin + len(self._content)) is not None
        typed = content[flow.start : self._offset]
        lead = " " if not typed and content[flow.start - 1] in ",:" else ""
        trail = "," if flow.more and not colon else ""
        slot = Slot("key" if flow.on_key else "value", path, flow.taken, lead, ways="flow", trail=trail)
        return Context(flow.start, end, typed, colon, (slot,), text_path=path)

    # -- variables --------------------------------------------------------------------------------------------------

    def _with_variable(self, context: Context) -> Context:
        """The same, with the shell variable that is being typed."""
        found = _VARIABLE.search(self._head)
        path = context.text_path or next((each.path for each in context.slots if each.sort == "value"), ())
        if found is None or not path:
            return context
        start = self._offset - len(found["name"] or "")
        end = _end(_NAME.match(self._text.content, self._offset))
        closing = "}" if found["brace"] and self._text.content[end : end + 1] != "}" else ""
        return replace(context, variable=(start, end, closing), text_path=path)


def _end(found: re.Match[str] | None) -> int:
    assert found is not None
    return found.end()


def _least(level: Level) -> int:
    """The least column of what belongs to a level."""
    return level.column if level.sort in {"mapping", "sequence"} else level.under + 1


def _takes_dash(level: Level, column: int) -> bool:
    """Whether a list item whose dash stands at a column belongs to a level."""
    if not level.path:
        return False
    if level.sort == "sequence":
        return level.column == column
    # The dash of a list below a key may stand in the column of the key, that of a list in a list may not.
    return level.sort == "open" and (
        level.under < column or (level.under == column and isinstance(level.path[-1], str))
    )


def _key_text(written: str) -> str:
    """A key as written, without its quotes."""
    if written[:1] in {'"', "'"} and written[-1:] == written[:1] and len(written) > 1:
        return written[1:-1]
    return written
