"""How a YAML text is laid out: the columns of its blocks, its indentation, and edits that put whole lines between."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ajkit.shared.problem import Edit
from ajkit.shared.records import dataclass
from ajkit.shared.template.ties import own_entries
from ajkit.shared.template.tree import Mapping, Scalar
from ajkit.shared.where import Span

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ajkit.shared.template.tree import Node, Sequence
    from ajkit.shared.where import Text

REST_OF_LINE = re.compile(r"(?:[ \t]+#[^\r\n\x85\u2028\u2029]*|[ \t]*)(?=[\r\n]|\Z)")
"""What may follow a value on its line."""

_LEAD = re.compile(r"\ufeff?( *(?:- +)*)")
_NESTED = re.compile(
    r"(?:^|(?<=\r))( *)[\w\"'][^\r\n]*:[ \t]*(?:#[^\r\n]*)?(?:\r\n|\r|\n)(?=( *)(?:(-)[ \r\n]|[\w\"']))", re.MULTILINE
)
_LOOKED_AT = 20_000
_WIDEST = 8


@dataclass(frozen=True, slots=True)
class Style:
    """How far a text indents: what stands under a key, and the dashes of a list under its key."""

    step: int = 2
    dash: int = 2


def style_of(text: Text) -> Style:
    """The indentation that a text uses, told by the first places where it does."""
    step = dash = None
    for found in _NESTED.finditer(text.content, 0, _LOOKED_AT):
        width = len(found[2]) - len(found[1])
        if found[3] and dash is None and 0 <= width <= _WIDEST:
            dash = width
        elif not found[3] and step is None and 0 < width <= _WIDEST:
            step = width
        if step is not None and dash is not None:
            break
    return Style(step or 2, (step or 2) if dash is None else dash)


def column(text: Text, offset: int) -> int | None:
    """The column of what stands at an offset, where only blanks and dashes stand before it on its line."""
    found = _LEAD.fullmatch(text.content, text.starts[text.position(offset).line], offset)
    return len(found[1]) if found else None


def block_column(text: Text, mapping: Mapping) -> int | None:
    """The column of the keys of a block mapping."""
    starts = [each.start for each in own_entries(mapping)] or [mapping.start]
    return next((found for each in starts if (found := column(text, each)) is not None), None)


def dash_column(text: Text, sequence: Sequence) -> int | None:
    """The column of the dashes of a block list."""
    return column(text, sequence.start) if text.content.startswith("-", sequence.start) else None


def last_scalar(content: str, node: Node) -> Scalar | None:
    """The scalar that a node ends with; None where it ends with something else."""
    end = node.end
    while not isinstance(node, Scalar):
        if content.startswith(("*", "{", "["), node.start):
            return None
        below = [each.node for each in own_entries(node)] if isinstance(node, Mapping) else node.items
        if not below:
            return None
        node = below[-1]
    return node if node.end == end else None


def lines_after(text: Text, end: int, last: Node, indent: int, lines: Iterable[str]) -> Edit | None:
    """The edit that puts lines below what ends at `end` with the node `last`; None where they would change it."""
    content = text.content
    body = _body(text, indent, lines)
    tail = last_scalar(content, last)
    if tail is not None and not tail.plain and content.startswith(("|", ">"), tail.start):
        if content.endswith(("\n", "\r"), 0, end):
            deeper = re.compile(rf" {{{indent + 1},}}#").match(content, end)
            return None if deeper else Edit(Span(text, end, end), body + text.newline)
        if end == len(content):
            return None  # the line end that has to come first would become part of the text
    rest = REST_OF_LINE.match(content, end)
    if rest is None:
        return None
    offset = after_comments(content, rest.end(), indent)
    return Edit(Span(text, offset, offset), text.newline + body + at_end(text, offset))


def lines_before(text: Text, start: int, lines: Iterable[str]) -> Edit | None:
    """The edit that puts lines in front of a key, in its column."""
    indent = column(text, start)
    if indent is None:
        return None
    return Edit(Span(text, start, start), f"{_body(text, indent, lines)[indent:]}{text.newline}{' ' * indent}")


def lines_below(text: Text, node: Node, indent: int, lines: Iterable[str], *, beside: bool) -> Edit | None:
    """The edit that puts lines in the place of an empty value, below its key or (`beside`) beside its dash."""
    content = text.content
    start = node.start
    while start and content[start - 1] in " \t":
        start -= 1
    rest = REST_OF_LINE.match(content, node.end)
    if rest is None or not content.endswith(":-"[beside], 0, start):
        return None
    end = after_comments(content, rest.end(), indent - 1)
    body = _body(text, indent, lines) + at_end(text, end)
    comments = content[rest.start() : end].strip()
    if beside and not comments:
        return Edit(Span(text, start, end), f" {body[indent:]}")
    kept = content[rest.start() : end] if rest.group().strip() else content[rest.end() : end]
    return Edit(Span(text, start, end), f"{kept}{text.newline}{body}")


def after_comments(content: str, offset: int, indent: int) -> int:
    """The end of the comments on the lines below that stand deeper than a column: they belong to what is above them."""
    below = rf"(?:(?:[ \t]*(?:\r\n|\r|\n))+ {{{indent + 1},}}#[^\r\n\x85\u2028\u2029]*(?=[\r\n]|\Z))*"
    found = re.compile(below).match(content, offset)
    return found.end() if found else offset


def at_end(text: Text, offset: int) -> str:
    """The line end that what is written at an offset needs, which is none but at the end of the text."""
    return text.newline if offset == len(text.content) else ""


def _body(text: Text, indent: int, lines: Iterable[str]) -> str:
    return text.newline.join(" " * indent + line if line else "" for line in lines)
