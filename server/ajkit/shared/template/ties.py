"""What is tied to another place of the file: aliases, anchors in use, entries that `<<` brought in, tags."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ajkit.shared.template.tree import Mapping, Sequence

if TYPE_CHECKING:
    from ajkit.shared.template.tree import Document, Entry, Node
    from ajkit.shared.where import KeyPath

_ANCHOR = re.compile(r"&([^\s,\[\]{}]+)(?:\s|#[^\r\n]*)*\Z")
_GIVEN = re.compile(r"&([^\s,\[\]{}]+)")
_MERGE = re.compile(r"<<[\"']?[ \t]*:\s*(?:\*|\[[^{}\[\]]*\])")
_NAMED = re.compile(r"(?:^|(?<=[\s\[{,:-]))[&*][^\s,\[\]{}&*]")


def own_entries(mapping: Mapping) -> list[Entry]:
    """The entries that are written in a mapping itself, not brought in by `<<` or an alias, as they stand."""
    return sorted(
        (each for each in mapping.entries.values() if mapping.start <= each.start < mapping.end),
        key=lambda each: each.start,
    )


def is_own(mapping: Mapping, entry: Entry) -> bool:
    """Whether an entry is written in the mapping itself."""
    return mapping.start <= entry.start < mapping.end


def tied(document: Document, node: Node, since: int) -> bool:
    """Whether a change of a node would change another place too, or its form is not known.

    `since` is an offset between which and the node nothing stands but its anchor and tag.
    """
    content = document.text.content
    if content.startswith(("*", "!"), node.start):
        return True
    if isinstance(node, Mapping) and content.count("<<", node.start, node.end):
        # The entries of a mapping that `<<` takes over right where it is written cannot be told from others.
        merges = sum(1 for _ in _MERGE.finditer(content, node.start, node.end))
        if merges != content.count("<<", node.start, node.end):
            return True
    if content.find("&", since, node.start) < 0:
        return False
    named = _ANCHOR.search(content, since, node.start)
    return named is None or f"*{named[1]}" in content


def holds_names(document: Document, start: int, end: int) -> bool:
    """Whether a stretch seems to hold an anchor or an alias, so that it means nothing in another file."""
    return _NAMED.search(document.text.content, start, end) is not None


def names_used_outside(document: Document, start: int, end: int) -> bool:
    """Whether a stretch gives anchors that are used behind it."""
    content = document.text.content
    if content.find("&", start, end) < 0:
        return False
    return any(f"*{each[1]}" in content[end:] for each in _GIVEN.finditer(content, start, end))


def written_road(document: Document, path: KeyPath) -> list[tuple[Node, Entry | None]] | None:
    """The nodes from the root to the one at a path, each with its entry; None where one is absent or tied to others."""
    node = document.root
    if node is None or tied(document, node, 0):
        return None
    road: list[tuple[Node, Entry | None]] = [(node, None)]
    for step in path:
        entry: Entry | None = None
        since = node.start
        if isinstance(node, Mapping) and isinstance(step, str):
            entry = node.entries.get(step)
            if entry is None or not is_own(node, entry):
                return None
            node, since = entry.node, entry.end
        elif isinstance(node, Sequence) and isinstance(step, int) and step < len(node.items):
            since = node.items[step - 1].end if step else node.start
            node = node.items[step]
        else:
            return None
        if tied(document, node, since):
            return None
        road.append((node, entry))
    return road
