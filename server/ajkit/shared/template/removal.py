"""The edit that takes a key with its value, or an item, out of a file: from lines of its own or between brackets."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ajkit.shared.problem import Edit
from ajkit.shared.template.layout import REST_OF_LINE, after_comments
from ajkit.shared.template.ties import is_own, names_used_outside, own_entries, written_road
from ajkit.shared.template.tree import Mapping, Scalar
from ajkit.shared.where import Span

if TYPE_CHECKING:
    from ajkit.shared.template.tree import Document, Entry, Sequence
    from ajkit.shared.where import KeyPath, Text

_BLANK_LINES = re.compile(r"(?:[ \t]*(?:\r\n|\r|\n))*")
_KEEPS = re.compile(r"[|>][1-9]?\+")
_INDENT_AND_DASHES = re.compile(r"[ \t]*(?:-[ \t]+)*")
_DASH = re.compile(r"[ \t]*-[ \t]+")
_COMMA_AFTER = re.compile(r"\s*,[ \t]*")
_COMMA_BEFORE = re.compile(r",\s*\Z")


def removal_at(document: Document, path: KeyPath) -> Edit | None:
    """The edit that removes the key at a path from the root of the document, and the parents that nothing is left in.

    Nothing stays behind that would be read as null, which clears what is inherited: of a list that goes on, the item
    becomes ``{}``. The keys of the document itself stay. None where the key is shared with other places, or where no
    plain cut leaves good YAML.
    """
    road = written_road(document, path[:-1])
    holder = road[-1][0] if road else None
    entry = holder.entries.get(str(path[-1])) if isinstance(holder, Mapping) else None
    if road is None or entry is None or not isinstance(holder, Mapping) or not is_own(holder, entry):
        return None
    if names_used_outside(document, entry.start, entry.node.end):
        return None
    road.append((entry.node, entry))
    for depth in range(len(path), 1, -1):
        holder, (node, entry) = road[depth - 1][0], road[depth]
        if depth > 2 and not isinstance(holder, Scalar) and len(holder.value) == 1:
            continue
        if entry is not None and isinstance(holder, Mapping):
            return removal(document.text, holder, entry)
        end = document.text.newline if document.text.content.endswith(("\n", "\r"), node.start, node.end) else ""
        return Edit(Span(document.text, node.start, node.end), "{}" + end)
    return None


def removal(text: Text, mapping: Mapping, entry: Entry) -> Edit | None:
    """The edit that removes `entry`, which was written in `mapping`; None where no plain cut leaves good YAML."""
    content = text.content
    if not is_own(mapping, entry):
        return None
    if content.startswith("{", mapping.start):
        return _between_brackets(text, mapping.start, entry.start, max(entry.end, entry.node.end))
    line = max(content.rfind(each, 0, entry.start) for each in "\r\n") + 1
    before = content[line : entry.start]
    end = max(entry.end, entry.node.end)
    if content.endswith(("\n", "\r"), entry.end, end):  # a block text that keeps its blank lines
        rest_end = end
    else:
        rest = REST_OF_LINE.match(content, end)
        if rest is None:
            return None
        rest_end = _next_line(content, after_comments(content, rest.end(), entry.start - line))
    if not before.strip(" \t"):
        # Blank lines must not fall to a block text above that keeps those behind it.
        keeps = content.find("+", 0, line) >= 0 and _KEEPS.search(content, 0, line)
        blank = _BLANK_LINES.match(content, rest_end) if keeps else None
        rest_end = blank.end() if blank else rest_end
        return Edit(Span(text, line, rest_end), "")
    following = next((each.start for each in own_entries(mapping) if each.start > entry.start), None)
    if following is None or not _INDENT_AND_DASHES.fullmatch(before):
        return None
    return Edit(Span(text, entry.start, following), "")


def item_removal(document: Document, sequence: Sequence, index: int) -> Edit | None:
    """The edit that takes one item out of a list that keeps others; None where no plain cut leaves good YAML."""
    text, item = document.text, sequence.items[index]
    content = text.content
    if len(sequence.items) == 1 or names_used_outside(document, item.start, item.end):
        return None
    if content.startswith("[", sequence.start):
        return _between_brackets(text, sequence.start, item.start, item.end)
    line = max(content.rfind(each, 0, item.start) for each in "\r\n") + 1
    if not _DASH.fullmatch(content, line, item.start):
        return None
    if content.endswith(("\n", "\r"), item.start, item.end):  # a block text
        return Edit(Span(text, line, item.end), "")
    rest = REST_OF_LINE.match(content, item.end)
    return Edit(Span(text, line, _next_line(content, rest.end())), "") if rest else None


def _next_line(content: str, offset: int) -> int:
    """The beginning of the next line, from the end of one."""
    return offset + (2 if content.startswith("\r\n", offset) else 1 if offset < len(content) else 0)


def _between_brackets(text: Text, begin: int, start: int, end: int) -> Edit:
    """The edit that takes out what stands from `start` to `end` in a flow collection, with a comma beside it."""
    before = _COMMA_BEFORE.search(text.content, begin, start)
    if before:
        return Edit(Span(text, before.start(), end), "")
    after = _COMMA_AFTER.match(text.content, end)
    return Edit(Span(text, start, after.end() if after else end), "")
