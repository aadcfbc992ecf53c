"""What is wrong with a document that the parser can read: the problems, with the place that explains them and fixes."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from ajkit.shared.problem import Edit, Fix, Problem, Related, problem
from ajkit.shared.template.names import did_you_mean, near
from ajkit.shared.where import Span

if TYPE_CHECKING:
    from collections.abc import Collection, Iterable

    from ajkit.shared.template.tree import Entry, Mapping
    from ajkit.shared.where import Text

EACH_CODE_LIMIT = 100
"""How many problems of one code a file reports; the last one says how many more there are."""

_TAG = re.compile(r"(?:&[^\s,\[\]{}]*\s+)?(![^\s,\[\]{}]*)")
_REST_OF_LINE = re.compile(r"[^\r\n]*")


class Findings:
    """Collects what a composer meets; `problems` turns it into the user's words."""

    def __init__(self, text: Text) -> None:
        self._text = text
        self._found: list[Problem] = []
        self._twice: list[tuple[str, Mapping, Entry, Entry]] = []
        self._undefined: list[tuple[str, list[str], int, int]] = []
        self._counts: dict[str, int] = {}

    @property
    def duplicates(self) -> int:
        """How many keys their mapping already had."""
        return self._counts.get("yaml.duplicate-key", 0)

    def problems(self, lost: Collection[str] = ()) -> list[Problem]:
        """Everything that was found, in no particular order, but for aliases of the anchors that recovery `lost`."""
        if not self._counts:
            return []
        undefined = [self._undefined_alias(*each) for each in self._undefined if each[0] not in lost]
        found = [*self._found, *undefined, *(self._duplicate(*each) for each in self._twice)]
        last = {each.code: index for index, each in enumerate(found)}
        for code, count in self._counts.items():
            if count > EACH_CODE_LIMIT and code in last:
                each = found[last[code]]
                more = f"{each.message} (and {count - EACH_CODE_LIMIT:,} more in this file)"
                found[last[code]] = replace(each, message=more)
        return found

    def duplicate(self, name: str, mapping: Mapping, first: Entry, later: Entry) -> None:
        """A key that its mapping already has; the nodes of the entries need not be complete yet."""
        if self._room("yaml.duplicate-key"):
            self._twice.append((name, mapping, first, later))

    def odd_key(self, what: str, start: int, end: int) -> None:
        """A key that is no scalar; `what` is ``a list`` or ``a mapping``."""
        self._add(
            "yaml.key", f"a key is text, and this one is {what}: put it in quotes if it is meant as text", start, end
        )

    def tag(self, message: str, start: int, end: int, quotable: str | None = None) -> None:
        """A value that JSON has not; `quotable` is its plain text, where quotes around it make it text."""
        written = _TAG.match(self._text.content, start, end)
        fixes = []
        if written:
            start, end = written.span(1)
            span = Span(self._text, start, min(end + 1, len(self._text.content)))
            blank = span.written[-1:] if not span.written[-1:].isspace() else ""
            fixes.append(Fix(f"Remove the tag {written[1]}", (Edit(span, blank),)))
        elif quotable is not None and '"' not in quotable and "\\" not in quotable:
            fixes.append(Fix("Put quotes around it", (Edit(Span(self._text, start, end), f'"{quotable}"'),)))
        self._add("yaml.tag", message, start, end, fixes=fixes)

    def undefined_alias(self, name: str, known: Iterable[str], start: int, end: int) -> None:
        """An alias of an anchor that the file does not have above it."""
        if self._room("yaml.syntax"):
            self._undefined.append((name, near(name, known), start, end))

    def _undefined_alias(self, name: str, words: list[str], start: int, end: int) -> Problem:
        hint = did_you_mean(words) or f": write `&{name}` before the value it repeats, above this line and in this file"
        span = Span(self._text, start, end)
        fixes = [Fix(f"Change to *{word}", (Edit(span, f"*{word}"),)) for word in words]
        message = f"`*{name}` repeats the value of `&{name}`, which is not there{hint}"
        return problem("yaml.syntax", message, span, fixes=fixes)

    def recursive_alias(self, name: str, anchor: int, start: int, end: int) -> None:
        """An alias inside the value that its anchor names."""
        self._add(
            "yaml.recursive-alias",
            f"`*{name}` stands inside the value of `&{name}`, which would then never end: write the value out instead",
            start,
            end,
            [self._related(anchor, anchor + 1 + len(name), f"`&{name}` is here")],
        )

    def anchor_twice(self, name: str, first: int, start: int) -> None:
        """An anchor name that is already taken."""
        self._add(
            "yaml.syntax",
            f"the anchor `&{name}` is already in use in this file: give this one another name",
            start,
            start + 1 + len(name),
            [self._related(first, first + 1 + len(name), "the first is here")],
        )

    def merge_of_other(self, start: int, end: int) -> None:
        """A ``<<`` whose value is no mapping."""
        message = (
            "`<<` takes over the keys of a mapping: its value is an alias of one (`<<: *name`), or a list of those"
        )
        self._add("yaml.syntax", message, start, end)

    def second_document(self, start: int) -> None:
        """The beginning of a second document."""
        content = self._text.content
        line = _REST_OF_LINE.match(content, start)
        end = start + 3 if content.startswith("---", start) or line is None else line.end()
        message = "a second document begins here, and a template is one: make two files of it, or delete this line"
        self._add("yaml.documents", message, start, end)

    def nesting(self, start: int, limit: int) -> None:
        """A container (or the alias of one) deeper than the limit."""
        message = f"nested more than {limit} levels deep: nothing below this place is read"
        self._add("limit.nesting", message, start, start + 1)

    def aliases(self, start: int, end: int, limit: int) -> None:
        """The alias that made the document too large."""
        message = (
            f"with every alias written out this file holds more than {limit:,} values: use fewer aliases of aliases"
        )
        self._add("limit.aliases", message, start, end)

    def nodes(self, start: int, limit: int) -> None:
        """A file too large without any alias."""
        message = f"this file holds more than {limit:,} values: nothing below this place is read"
        self._add("limit.nodes", message, start, start + 1)

    def _duplicate(self, name: str, mapping: Mapping, first: Entry, later: Entry) -> Problem:
        from ajkit.shared.template.removal import removal  # noqa: PLC0415 - few files have a key twice

        text = self._text
        lines = [text.position(each.start).line + 1 for each in (first, later)]
        same = lines[0] == lines[1]
        fixes = []
        for entry, title in ((later, "Remove this one"), (first, "Remove the first one")):
            edit = removal(text, mapping, entry)
            if edit is not None:
                fixes.append(Fix(title, (edit,)))
        where = "on this line" if same else f"on line {lines[0]}"
        return problem(
            "yaml.duplicate-key",
            f"`{name}` is set twice in this mapping, first {where}: remove one of them (until then this one counts)",
            Span(text, later.start, later.end),
            related=[Related(Span(text, first.start, first.end), f"`{name}` is set here first")],
            fixes=fixes,
        )

    def _related(self, start: int, end: int, message: str) -> Related:
        return Related(Span(self._text, start, end), message)

    def _room(self, code: str) -> bool:
        count = self._counts[code] = self._counts.get(code, 0) + 1
        return count <= EACH_CODE_LIMIT

    def _add(
        self,
        code: str,
        message: str,
        start: int,
        end: int,
        related: Iterable[Related] = (),
        fixes: Iterable[Fix] = (),
    ) -> None:
        if self._room(code):
            end = min(end, len(self._text.content))
            self._found.append(problem(code, message, Span(self._text, start, end), related=related, fixes=fixes))
