"""The edit that takes one key with its value out of a file, whether it stands on lines of its own or between braces."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ajkit.shared.problem import Edit
from ajkit.shared.where import Span

if TYPE_CHECKING:
    from ajkit.shared.template.tree import Entry, Mapping
    from ajkit.shared.where import Text

_REST_OF_LINE = re.compile(r"[ \t]*(?:#[^\r\n]*)?(?:\r\n|\r|\n|\Z)")
_INDENT_AND_DASHES = re.compile(r"[ \t]*(?:-[ \t]+)*")
_COMMA_AFTER = re.compile(r"\s*,[ \t]*")
_COMMA_BEFORE = re.compile(r",\s*\Z")


def removal(text: Text, mapping: Mapping, entry: Entry) -> Edit | None:
    """The edit that removes `entry`, which was written in `mapping`; None where no plain cut leaves good YAML."""
    content = text.content
    if content.startswith("{", mapping.start):
        return _between_braces(text, mapping, entry)
    line = text.starts[text.position(entry.start).line]
    before = content[line : entry.start]
    rest = _REST_OF_LINE.match(content, max(entry.end, entry.node.end))
    if rest is None:
        rest = _REST_OF_LINE.match(content, entry.end + 1)
    if rest is None:
        return None
    if not before.strip(" \t"):
        return Edit(Span(text, line, rest.end()), "")
    following = min((each.start for each in mapping.entries.values() if each.start > entry.start), default=None)
    if following is None or not _INDENT_AND_DASHES.fullmatch(before):
        return None
    return Edit(Span(text, entry.start, following), "")


def _between_braces(text: Text, mapping: Mapping, entry: Entry) -> Edit | None:
    content = text.content
    end = max(entry.end, entry.node.end)
    before = _COMMA_BEFORE.search(content, mapping.start, entry.start)
    if before:
        return Edit(Span(text, before.start(), end), "")
    after = _COMMA_AFTER.match(content, end)
    return Edit(Span(text, entry.start, after.end() if after else end), "")
