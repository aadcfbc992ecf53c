"""A key with its value as it is spelt in one place, to be written in another."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ajkit.shared.template.branches import Branch, Snippet, inline
from ajkit.shared.template.layout import REST_OF_LINE, column
from ajkit.shared.template.ties import holds_names, own_entries
from ajkit.shared.template.tree import Mapping, Scalar

if TYPE_CHECKING:
    from ajkit.shared.template.branches import Spelt
    from ajkit.shared.template.tree import Document, Entry, Node

_BARE = re.compile(r"[\w./+-]+(?::[\w./+-]+)*")
"""What an unquoted scalar may look like to be copied as it is, also into brackets."""


def snippet_of(document: Document, entry: Entry) -> Snippet | None:
    """An entry as it is spelt, comments too; None where it holds anchors or aliases, or stands in an odd place."""
    text, node = document.text, entry.node
    end = max(entry.end, node.end)
    if holds_names(document, entry.start, end) or (isinstance(node, Mapping) and _takes_over(node)):
        return None
    line = text.starts[text.position(entry.start).line]

    def words() -> str:
        return inline(spelt(node))

    indent = column(text, entry.start)
    if indent is None:
        written = text.content[entry.start : end]
        # Inside brackets the lines of a value are free: only what stands on one can be taken as it is.
        return Snippet((written,) if "\n" not in written and ":" in written else (), words)
    rest = REST_OF_LINE.match(text.content, end)
    written = text.content[line:end] + (rest.group() if rest else "")
    lines = re.split(r"\r\n|\r|\n", written.rstrip("\r\n"))
    lead = re.compile(rf" {{0,{indent}}}")
    return Snippet((lines[0][entry.start - line :], *(lead.sub("", each, count=1) for each in lines[1:])), words)


def _takes_over(mapping: Mapping) -> bool:
    """Whether a mapping has keys from elsewhere."""
    return len(own_entries(mapping)) < len(mapping.entries)


def spelt(node: Node) -> Spelt:
    """A value with its plain scalars as they were written (``on``, ``1.10``) rather than as what they mean."""
    if isinstance(node, Mapping) and node.entries:
        return Branch({key: spelt(entry.node) for key, entry in node.entries.items()})
    if not isinstance(node, Scalar) and node.value:
        assert not isinstance(node, Mapping)
        return Branch({index: spelt(item) for index, item in enumerate(node.items)})
    if isinstance(node, Scalar):
        return Snippet((), node.raw) if node.plain and _BARE.fullmatch(node.raw) else node.value  # type: ignore[return-value]
    return Snippet((), "{}" if isinstance(node, Mapping) else "[]")
