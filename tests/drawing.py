"""Drawn tests: one text holds a workspace, and comments under its lines say which problems stand where.

    --- .aj/template/leaf.yaml
    base: lo
    #     ^^ base.missing
    config: {}

A line of carets expects a problem of that code on exactly those columns of the last line that is no expectation;
``#@ 0-4 code`` says the columns in numbers (for what begins in column 0, where the ``#`` stands). Every problem must be
expected, and every expectation must be met.
"""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ajkit.shared.files import MemoryFiles

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ajkit.shared.problem import Problem

ROOT = "/w"

_SECTION = re.compile(r"^--- (?P<path>\S.*?)[ \t]*$")
_CARETS = re.compile(r"^(?P<lead>[ \t]*#[ \t]*)(?P<carets>\^+)[ \t]+(?P<codes>[a-z].*)$")
_COLUMNS = re.compile(r"^#@ (?P<start>\d+)-(?P<end>\d+) (?P<codes>[a-z].*)$")


@dataclass(slots=True)
class Drawing:
    """A workspace under `ROOT` and the problems drawn into it; `first` is the path of the first file."""

    files: dict[str, str] = field(default_factory=dict)
    expected: set[str] = field(default_factory=set)

    @property
    def first(self) -> str:
        """The path of the first file drawn."""
        return next(iter(self.files))

    def memory(self) -> MemoryFiles:
        """The workspace as Files."""
        return MemoryFiles(dict(self.files))


def draw(text: str) -> Drawing:
    """Read a drawing."""
    drawing = Drawing()
    path = ""
    line = -1
    lines: list[str] = []

    def finish() -> None:
        if path:
            drawing.files[path] = "\n".join(lines) + ("\n" if lines else "")

    for raw in text.strip("\n").split("\n"):
        if section := _SECTION.match(raw):
            finish()
            path, line, lines = f"{ROOT}/{section['path']}", -1, []
            continue
        if found := _CARETS.match(raw):
            start = len(found["lead"])
            span = (start, start + len(found["carets"]))
        elif found := _COLUMNS.match(raw):
            span = (int(found["start"]), int(found["end"]))
        else:
            line = len(lines)
            lines.append(raw)
            continue
        for code in found["codes"].split():
            drawing.expected.add(_entry(path, line, *span, code))
        lines.append("#" + " " * (len(raw) - 1))
    finish()
    return drawing


def seen(problems: Iterable[Problem]) -> set[str]:
    """Problems as a drawing writes them: ``path:line:start-end code`` (zero-based; the line is the first one)."""
    found = set()
    for each in problems:
        if each.span is None:
            found.add(f"- {each.code}")
            continue
        first, last = each.span.first, each.span.last
        end = last.column if last.line == first.line else len(each.span.text.line(first.line))
        found.add(_entry(each.span.path, first.line, first.column, end, each.code))
    return found


def _entry(path: str, line: int, start: int, end: int, code: str) -> str:
    return f"{path.removeprefix(ROOT + '/')}:{line}:{start}-{end} {code}"
