"""Ways to mend one broken line so that the rest of its file parses: each with the problem it stands for."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ajkit.shared.problem import Edit, Fix
from ajkit.shared.records import dataclass
from ajkit.shared.template.complaints import Kind
from ajkit.shared.template.events import Patch
from ajkit.shared.template.lines import CLOSERS, QUOTES, Line, closing, flow_values, grown_together, lacking, read_flow
from ajkit.shared.where import Span

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ajkit.shared.template.attempt import Fault
    from ajkit.shared.template.indents import Indents
    from ajkit.shared.template.standing import Standing
    from ajkit.shared.where import Text

_LONGEST = 20_000  # characters; what is wrong with a longer line is not looked into
_FARTHEST = 200  # lines below that are read to see whether they go on inside brackets
_KINDS = {'"': ("quote", "text"), "'": ("quote", "text"), "[": ("bracket", "list"), "{": ("brace", "mapping")}
_NO_VALUE = re.compile(r"[%@`\]}]|[*&](?![\w-]+(?:[\s:]|\Z))|[|>]|-(?:\s|\Z)")
_ESCAPES = re.compile(r'\\(?:x[0-9a-fA-F]{2}|u[0-9a-fA-F]{4}|U[0-9a-fA-F]{8}|[0abt\tnvfre "/\\N_LP]|\Z)|(\\)')
_LAST_WORD = re.compile(r"(?P<others>[^\r\n]*\S)?[ \t]*(?<!\S)(?P<word>[^\s:]+)[ \t]*$")
_HALVES = re.compile(r"\\(?:u|U0000)[dD][89A-Fa-f][0-9A-Fa-f]{2}")
"""Escapes of the halves of a character, as JSON writes them in pairs."""


@dataclass(frozen=True, slots=True)
class Mend:
    """One way to read a broken line: what to parse in its place, and the problem to report where it helps.

    `start` and `end` are where a person would look. Without a message the parser's own complaint is reported. `telling`
    says that the line shows by itself that something is wrong with it.
    """

    line: int
    patch: Patch
    start: int
    end: int
    message: str = ""
    fixes: tuple[Fix, ...] = ()
    telling: bool = False
    code: str = "yaml.syntax"


class Mender:
    """Knows the ways to mend the lines of one text; `indents` reads its lines (without blemishes)."""

    def __init__(self, text: Text, indents: Indents) -> None:
        self._text = text
        self._indents = indents

    def mends(self, number: int, standing: Standing, fault: Fault) -> Iterator[Mend]:
        """The ways to mend a line, the likeliest first; one of them sets it aside whole."""
        content = self._indents.content(number)
        if len(content) > _LONGEST:
            yield self._set_aside(number)
            return
        if fault.kind is Kind.ESCAPE and "\\" in content:
            yield self._escapes(number, content)
        if fault.kind is Kind.FLOW and self._text.position(fault.at).line == number:
            yield from self._crossed(number, fault)
            yield from self._stray_comma(number, fault)
            yield from self._unquoted(number, fault)
        if standing.opened:
            yield from self._continued(number, content, standing)
        elif not standing.in_block_text:
            yield from self._block(number, self._indents.line(number))
        indented = self._indented(number) if content.strip() else []
        alone = not self._indents.is_parent(number)
        yield from indented[:1] if alone else indented
        yield self._set_aside(number)
        if alone:
            yield from indented[1:]

    def _block(self, number: int, line: Line) -> Iterator[Mend]:
        """A line in block context."""
        if line.blank or line.block:
            return
        needed = lacking(self._indents.content(each) for each in self._indents.deeper(number)) or []
        if line.opened:
            yield from self._left_open(number, line, needed)
        elif line.word and (line.tail is not None or _NO_VALUE.match(line.word)):
            if line.key or line.dashed:
                yield from self._odd_value(number, line)
        elif line.key is None and line.word:
            yield from self._half_key(number, line, needed)
        elif needed:
            yield self._insert(number, line.end, " " + "".join(needed), f"`{needed[0]}` is missing here", telling=False)
        below = self._indents.below(number)
        if line.key and line.word and not line.opened and below is not None and self._indents.indent(below) > line.body:
            message = (
                "this key has a value on its line and indented lines below it: only one of the two can be its value"
            )
            yield self._drop_value(number, line, message)

    def _half_key(self, number: int, line: Line, needed: list[str]) -> Iterator[Mend]:
        word = line.word if len(line.word) <= 30 else line.word[:29] + "…"
        if word[0] in QUOTES:
            message = f"{word} is neither a key nor a list item: write a colon and a value after it"
        else:
            message = f"`{word}` is neither a key nor a list item: write `{word}: ` and a value"
        if needed:
            yield self._insert(number, line.end, ": " + "".join(needed), message)
        colon = self._insert(number, line.end, ":", message, "Add a colon")
        above = self._indents.above(number)
        if (
            line.dashed
            or above is None
            or not self._indents.is_item(above)
            or line.indent > self._indents.indent(above)
        ):
            yield colon
            return
        dash = self._insert(number, line.body, "- ", "an item of a list begins with `- `", "Make it a list item")
        yield from (dash, colon) if " " in line.word else (colon, dash)

    def _left_open(self, number: int, line: Line, needed: list[str]) -> Iterator[Mend]:
        """A line that leaves quotes or brackets open; lines below may go on inside some of the brackets."""
        opened = line.opened
        base = self._text.starts[number]
        at = len(line.text) if opened[-1][0] in QUOTES else line.end
        if needed and [char for char, _ in opened[: len(needed)]] == needed and len(opened) > len(needed):
            yield self._close(number, opened[len(needed) :], base, at, then=",")
        below = self._indents.below(number)
        if (
            line.key is None
            and opened[0][0] in QUOTES
            and below is not None
            and self._indents.indent(below) > line.body
        ):
            yield self._close(number, opened, base, at, then=":")
        yield self._close(number, opened, base, at)
        if line.key:
            what = _KINDS[opened[0][0]][0]
            yield self._drop_value(number, line, f"this {what} is never closed")

    def _odd_value(self, number: int, line: Line) -> Iterator[Mend]:
        """A value that is text but cannot be written without quotes."""
        start = self._text.starts[number]
        word = line.word
        first, last = start + line.value, start + line.end
        quoted = _quoted(word[1:-1] if word[0] in QUOTES and word.endswith(word[0]) else word)
        if word[0] in "|>":
            message = (
                f"after `{word[0]}` only a digit, `+` or `-` and a comment may follow: the text begins on the next line"
            )
            yield Mend(number, Patch(first, last, word[0]), first, last, message, telling=True)
        elif line.tail is None:
            message = f"no value can begin with `{word[0]}` like this: put quotes around it"
            if word[0] == "-":
                message = "a list begins on the line below its key, each item with `- `"
            elif word[0] in "]}":
                message = f"`{word[0]}` closes nothing that is open here: remove it"
        elif word[0] in QUOTES:
            message = "there is text after the closing quote: put quotes around the whole value"
        elif word[0] in "[{":
            message = "there is text after the closing bracket: remove it, or put quotes around the whole value"
        else:
            message = "a value with a colon and a blank in it needs quotes around it"
        fixes = (self._fix("Put quotes around the value", first, last, quoted),)
        yield Mend(number, Patch(first, last, quoted), first, last, message, fixes, telling=True)
        yield self._drop_value(number, line, message)

    def _drop_value(self, number: int, line: Line, message: str) -> Mend:
        start = self._text.starts[number]
        first, last = start + line.value, start + line.end
        return Mend(number, Patch(first, last, ""), first, last, message, telling=True)

    def _insert(
        self, number: int, column: int, new: str, message: str, title: str = "", *, telling: bool = True
    ) -> Mend:
        """Put something in at a column; with a title it is offered as a fix too."""
        start = self._text.starts[number]
        line = self._indents.line(number)
        at = start + column
        fixes = (self._fix(title, at, at, new),) if title else ()
        return Mend(
            number, Patch(at, at, new), start + min(line.body, line.end), start + line.end, message, fixes, telling
        )

    def _close(self, number: int, opened: list[tuple[str, int]], base: int, column: int, then: str = "") -> Mend:
        """Close what is open at a column of a line; `base` is the offset that the places of `opened` count from."""
        end = first = self._text.starts[number] + column
        close = closing(opened)
        if close[0] == '"':
            content = self._indents.content(number)[:column]
            first -= (len(content) - len(content.rstrip("\\"))) % 2
        patch = Patch(first, end, (" " if close[0] in "]}" else "") + close + then)
        char, place = opened[0]
        what, ends = _KINDS[char]
        start = base + place
        message = f"this {what} is never closed: put `{CLOSERS[char]}` where the {ends} ends"
        last = max(start + 1, end) if self._text.position(start).line == number else start + 1
        fixes = (self._fix(f"Close the {what}", end, end, close),)
        return Mend(number, patch, start, last, message, fixes, telling=True)

    def _continued(self, number: int, content: str, standing: Standing) -> Iterator[Mend]:
        """A line inside quotes or brackets that were opened above it."""
        text = self._text
        start = text.starts[number]
        opened = standing.opened
        end, after = read_flow(content, opened, base=start)
        if opened[-1][0] in QUOTES:
            if after[: len(opened)] == opened:
                yield self._close(number, opened, 0, len(content))
            return
        column = len(content) if after and after[-1][0] in QUOTES else len(content[:end].rstrip())
        needed = lacking(self._rest(number, text.position(opened[0][1]).line)) or []
        keep = len(needed) if [char for char, _ in after[: len(needed)]] == needed else 0
        if len(after) > keep:
            yield self._close(number, after[keep:], 0, column, then="," if keep else "")
        at = start + column
        fixes = (self._fix("Add a comma", at, at, ","),)
        yield Mend(number, Patch(at, at, " ,"), at, at, "a comma is missing after this item", fixes)
        if keep:
            yield self._close(number, after, 0, column)

    def _rest(self, number: int, opening: int) -> Iterator[str]:
        """The lines below that may go on with what the line `opening` opened: up to a key not right of it."""
        indent = self._indents.indent(opening)
        for each in range(number + 1, min(len(self._text.starts), number + _FARTHEST)):
            content = self._indents.content(each)
            if content.strip() and self._indents.indent(each) <= indent and self._indents.line(each).key:
                return
            yield content

    def _crossed(self, number: int, fault: Fault) -> Iterator[Mend]:
        """A closing bracket where another one should come first: ``{a: [1, 2}``."""
        content = self._indents.text.content
        opening, here = content[fault.began : fault.began + 1], content[fault.at : fault.at + 1]
        closer = CLOSERS.get(opening)
        if opening in {"[", "{"} and here in {"]", "}"} and here != closer and closer:
            what = _KINDS[opening][0]
            message = f"this {what} is not closed before `{here}`: put `{closer}` in front of that"
            fixes = (self._fix(f"Close the {what}", fault.at, fault.at, closer),)
            patch = Patch(fault.at, fault.at, closer)
            yield Mend(number, patch, fault.began, fault.began + 1, message, fixes, telling=True)

    def _stray_comma(self, number: int, fault: Fault) -> Iterator[Mend]:
        """A comma with nothing before it: ``[a, , b]``."""
        at = fault.at
        if self._indents.text.content[at : at + 1] == ",":
            message = "there is nothing before this comma: remove it, or write a value there"
            fixes = (self._fix("Remove the comma", at, at + 1, ""),)
            yield Mend(number, Patch(at, at + 1, " "), at, at + 1, message, fixes, telling=True)

    def _unquoted(self, number: int, fault: Fault) -> Iterator[Mend]:
        """Values directly inside one bracket that are no values without quotes: ``{sku: {nodes}xG8}``, ``{a: b: c}``.

        Where a value goes on with a key, a comma is missing: ``{a: b c: d}``.
        """
        content = self._indents.text.content
        if content[fault.began : fault.began + 1] not in {"[", "{"} or fault.at - fault.began > _LONGEST:
            return
        begins, ends = self._text.starts[number], self._text.starts[number] + len(self._indents.content(number))
        opened = content[fault.began : ends]
        values = ((fault.began + first, fault.began + last) for first, last in flow_values(opened, 0))
        places = [each for each in values if each[0] >= begins]
        here = next(((first, last) for first, last in places if first <= fault.at < last), None)
        if here is None:
            return
        before = _LAST_WORD.match(content, here[0], fault.at) if content[fault.at] == ":" else None
        if before and before["others"]:
            at = before.end("others")
            message = f"a comma is missing before `{before['word']}`"
            fixes = (self._fix("Add a comma", at, at, ","),)
            yield Mend(number, Patch(at, at, ","), before.start("word"), fault.at, message, fixes, telling=True)
        elif before:
            message = "a value with a colon and a blank in it needs quotes around it"
            yield self._in_quotes(number, [here], here, message)
        elif grown_together(content[slice(*here)]):
            message = "inside brackets, a value with brackets or quotes in it needs quotes around it"
            yield self._in_quotes(
                number, [each for each in places if grown_together(content[slice(*each)])], here, message
            )

    def _in_quotes(self, number: int, places: Sequence[tuple[int, int]], here: tuple[int, int], message: str) -> Mend:
        content = self._indents.text.content
        start = at = places[0][0]
        parts: list[str] = []
        for first, last in places:
            parts += (content[at:first], _quoted(content[first:last]))
            at = last
        edits = tuple([Edit(Span(self._text, *each), _quoted(content[slice(*each)])) for each in places])
        fixes = (Fix("Put quotes around the value", edits),)
        return Mend(number, Patch(start, at, "".join(parts)), *here, message, fixes, telling=True)

    def _escapes(self, number: int, content: str) -> Mend:
        """The line with a second backslash before each one that begins no escape."""
        start = self._text.starts[number]
        bad = [each.start() for each in _ESCAPES.finditer(content) if each[1]]
        bad = bad or [each.start() for each in _HALVES.finditer(content)] or [content.index("\\")]
        first, last = bad[0], bad[-1] + 1
        parts = [content[each:following] for each, following in zip(bad, [*bad[1:], last], strict=True)]
        mended = "".join("\\" + part for part in parts)
        char = content[first + 1 : first + 2]
        message = f"`\\{char}` is no escape: within double quotes write `\\\\` for a backslash, or use single quotes"
        if not any(each[1] for each in _ESCAPES.finditer(content)):
            message = ""
        at = start + first
        fixes = (self._fix("Double the backslashes", at, start + last, mended),)
        return Mend(number, Patch(at, start + last, mended), at, at + 2, message, fixes, telling=True)

    def _indented(self, number: int) -> list[Mend]:
        """The line with an indentation that suits its neighbours."""
        start = self._text.starts[number]
        indent = self._indents.indent(number)
        return [
            Mend(
                number,
                Patch(start, start + indent, " " * each),
                start,
                start + indent,
                f"indented by {indent}, which fits nothing around it; {each} would",
                (self._fix(f"Indent by {each}", start, start + indent, " " * each),),
            )
            for each in self._indents.levels(number)[:3]
        ]

    def _set_aside(self, number: int) -> Mend:
        start = self._text.starts[number]
        content = self._indents.content(number)
        end = start + len(content)
        return Mend(number, Patch(start, end, " " * len(content)), min(start + self._indents.indent(number), end), end)

    def _fix(self, title: str, start: int, end: int, new: str) -> Fix:
        return Fix(title, (Edit(Span(self._text, start, end), new),))


def _quoted(word: str) -> str:
    """A text in quotes, double ones where nothing in it needs an escape."""
    return f'"{word}"' if '"' not in word and "\\" not in word else "'" + word.replace("'", "''") + "'"
