"""The edits that write values at key paths into a YAML text, in the style of what stands there already."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ajkit.shared.problem import Edit
from ajkit.shared.records import dataclass
from ajkit.shared.template import layout
from ajkit.shared.template.branches import Branch, branched, inline, items_inline, lines_of, put
from ajkit.shared.template.ties import is_own, own_entries, tied
from ajkit.shared.template.tree import Mapping, Scalar, Sequence
from ajkit.shared.where import Span

if TYPE_CHECKING:
    from collections.abc import Mapping as MappingOf

    from ajkit.shared.template.branches import Snippet, Spelt
    from ajkit.shared.template.tree import Document, Entry, Node
    from ajkit.shared.where import Json, KeyPath

_COMMA_AT_END = re.compile(r",?[ \t]*(?=[\r\n])")
_FRAME = re.compile(r"^(?:---|\.\.\.|%)", re.MULTILINE)


@dataclass(frozen=True, slots=True)
class _Place:
    """Where the way to a value ends in a written tree: the node there, and how many steps of the way led to it.

    `entry` is the one it stands under, `indent` the column of that entry's key (or of the dash of a list item), None
    where it is not known; `bracketed` says that it stands inside brackets.
    """

    node: Node
    depth: int
    entry: Entry | None
    indent: int | None
    bracketed: bool


def insertion(document: Document, path: KeyPath, value: Json | Snippet) -> Edit | None:
    """The edit that writes one value; see `insertions`."""
    edits = insertions(document, {path: value})
    return edits[0] if edits else None


def insertions(document: Document, values: MappingOf[KeyPath, Json | Snippet]) -> tuple[Edit, ...] | None:
    """The edits that write values at key paths, which begin at the root of the document (``("config", "target")``).

    Parents that are absent, null or empty are made, items of lists before the one that is meant become ``{}``; a value
    that stands there is replaced when it is a scalar or empty. Nothing else changes. None where that cannot be had: a
    parent is of another kind, or is shared through an anchor, an alias or `<<`, or the form is one that people do not
    write by hand.
    """
    if document.root is None:
        edit = _into_nothing(document, values)
        return (edit,) if edit else None
    writer = _Writer(document)
    edits: list[Edit | None] = []
    found: dict[int, tuple[_Place, Branch]] = {}
    for path, value in values.items():
        place = _place(document, path)
        if place is None:
            return None
        if place.depth == len(path):
            edits.append(writer.replace(place, branched(value)))
        else:
            put(found.setdefault(id(place.node), (place, Branch()))[1], path[place.depth :], value)
    edits += [writer.add(place, branch) for place, branch in found.values()]
    sound = [each for each in edits if each is not None and not _among_broken(document, each)]
    return tuple(sound) if len(sound) == len(edits) else None


def _place(document: Document, path: KeyPath) -> _Place | None:
    """Where the way ends; None where it leads through what is tied to another place or is no container."""
    text, node = document.text, document.root
    assert node is not None
    bracketed, entry, indent, since = False, None, None, 0
    for depth, step in enumerate(path):
        if tied(document, node, since):
            return None
        here = _Place(node, depth, entry, indent, bracketed)
        inside = bracketed or text.content.startswith(("{", "["), node.start)
        if isinstance(node, Mapping) and isinstance(step, str):
            below = node.entries.get(step)
            if below is None:
                return here
            if not is_own(node, below):
                return here if depth == len(path) - 1 else None
            if not inside:
                indent = layout.block_column(text, node)
            entry, since, node = below, below.end, below.node
        elif isinstance(node, Sequence) and isinstance(step, int):
            if step >= len(node.items):
                return here
            if not inside:
                indent = layout.dash_column(text, node)
            since = node.items[step - 1].end if step else node.start
            entry, node = None, node.items[step]
        else:
            return here if _is_empty(node) else None
        bracketed = inside
    return None if tied(document, node, since) else _Place(node, len(path), entry, indent, bracketed)


def _is_empty(node: Node) -> bool:
    """Whether nothing is lost when something is written in a node's place: null, ``{}``, ``[]``."""
    return node.value is None and node.plain if isinstance(node, Scalar) else not node.value


def _among_broken(document: Document, edit: Edit) -> bool:
    """Whether an edit touches lines that recovery had to set aside, so that nobody knows what it would do."""
    lines = range(edit.span.first.line, edit.span.last.line + 2)
    return any(each in lines for each in document.broken)


def _into_nothing(document: Document, values: MappingOf[KeyPath, Json | Snippet]) -> Edit | None:
    """Into a file that has only comments, or nothing at all."""
    text = document.text
    if any(each.is_error for each in document.problems) or _FRAME.search(text.content):
        return None
    branch = Branch()
    for path, value in values.items():
        put(branch, path, value)
    end = len(text.content)
    first = text.newline if text.content and not text.content.endswith(("\n", "\r")) else ""
    body = text.newline.join(lines_of(branch, layout.style_of(text)))
    return Edit(Span(text, end, end), f"{first}{body}{text.newline}")


class _Writer:
    """Writes into one document."""

    def __init__(self, document: Document) -> None:
        self._text = document.text
        self._content = document.text.content
        self._style = layout.style_of(document.text)

    def replace(self, place: _Place, value: Spelt) -> Edit | None:
        """The edit that puts a value in the place of a scalar or of an empty container."""
        node = place.node
        if not isinstance(node, Scalar) and node.value:
            return None
        if isinstance(value, Branch) and not place.bracketed:
            return self._below(place, value)
        return self._instead(node, inline(value))

    def add(self, place: _Place, branch: Branch) -> Edit | None:
        """The edit that adds a branch to a container, or makes one of what is empty."""
        node = place.node
        if not node.value and not self._takes_over(node):
            return self._instead(node, inline(branch)) if place.bracketed else self._below(place, branch)
        if self._content.startswith(("{", "["), node.start):
            return self._into_brackets(node, branch)
        if place.bracketed:
            return None
        if isinstance(node, Mapping):
            return None if branch.listed else self._into_block(node, branch)
        return self._onto_list(node, branch) if isinstance(node, Sequence) and branch.listed else None

    def _takes_over(self, node: Node) -> bool:
        """Whether an empty mapping is one that only names others with `<<`."""
        return isinstance(node, Mapping) and "<<" in self._content[node.start : node.end]

    def _instead(self, node: Node, words: str) -> Edit | None:
        """A value on one line in the place of another."""
        start, end = node.start, node.end
        if start == end and self._content[start - 1 : start] not in (":", "-", " ", "\t"):
            return None
        lead = " " if self._content[start - 1 : start] in (":", "-") else ""
        tail = self._text.newline if end > start and self._content[end - 1] in "\r\n" else ""
        return Edit(Span(self._text, start, end), f"{lead}{words}{tail}")

    def _below(self, place: _Place, branch: Branch) -> Edit | None:
        """Lines in the place of what is empty, below its key, beside its dash, or as the whole document."""
        lines = lines_of(branch, self._style)
        node = place.node
        if place.depth == 0:
            return self._as_document(node, lines)
        if place.indent is None:
            return None
        beside = place.entry is None
        step = self._style.dash if branch.listed and not beside else self._style.step
        indent = place.indent + (2 if beside else step)
        return layout.lines_below(self._text, node, indent, lines, beside=beside)

    def _as_document(self, node: Node, lines: list[str]) -> Edit | None:
        rest = layout.REST_OF_LINE.match(self._content, node.end)
        if layout.column(self._text, node.start) != 0 or rest is None or rest.group().strip():
            return None
        body = self._text.newline.join(lines) + layout.at_end(self._text, rest.end())
        return Edit(Span(self._text, node.start, node.end), body)

    def _into_block(self, mapping: Mapping, branch: Branch) -> Edit | None:
        lines = lines_of(branch, self._style)
        own = own_entries(mapping)
        if not own:
            return layout.lines_before(self._text, mapping.start, lines)
        indent = layout.block_column(self._text, mapping)
        if indent is None:
            return None
        last = own[-1]
        after = layout.lines_after(self._text, max(last.end, last.node.end), last.node, indent, lines)
        return after or layout.lines_before(self._text, last.start, lines)

    def _onto_list(self, sequence: Sequence, branch: Branch) -> Edit | None:
        indent = layout.dash_column(self._text, sequence)
        if indent is None:
            return None
        lines = lines_of(branch, self._style, len(sequence.items))
        last = sequence.items[-1]
        return layout.lines_after(self._text, last.end, last, indent, lines)

    def _into_brackets(self, node: Node, branch: Branch) -> Edit | None:
        """At the end of what stands inside brackets; on a line of its own where the last one has one."""
        content = self._content
        if isinstance(node, Mapping) and not branch.listed:
            own = own_entries(node)
            last, end = (own[-1].start, max(own[-1].end, own[-1].node.end)) if own else (None, node.start + 1)
            inside = inline(branch)[1:-1]
        elif isinstance(node, Sequence) and branch.listed:
            last, end = node.items[-1].start, node.items[-1].end
            inside = ", ".join(items_inline(branch, len(node.items)))
        else:
            return None
        if last is None:
            return Edit(Span(self._text, end, end), f"{inside}, ")
        line = self._text.starts[self._text.position(last).line]
        lead = content[line:last]
        rest = _COMMA_AT_END.match(content, end)
        between = f"{self._text.newline}{lead}" if rest and not lead.strip() and line > node.start else " "
        # A colon right before a comma would not be read as one.
        comma = " ," if content[end - 1] == ":" else ","
        return Edit(Span(self._text, end, end), f"{comma}{between}{inside}")
