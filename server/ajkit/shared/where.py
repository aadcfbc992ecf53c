"""Where a thing is, who set it and what it overrode: Text, Span, KeyPath, Origin, Trail."""

from __future__ import annotations

import re
from bisect import bisect_right
from dataclasses import field
from enum import Enum
from typing import TYPE_CHECKING, NamedTuple

from ajkit.shared.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

Json = None | bool | int | float | str | list["Json"] | dict[str, "Json"]
"""A value of a merged config. Values are shared between results: never change one in place."""

KeyPath = tuple[str | int, ...]
"""The way to a value: ``("jobs", 0, "sku")``; the shape of pydantic's ``loc`` and jsonschema's ``absolute_path``."""

_BARE_KEY = re.compile(r"[A-Za-z_$][A-Za-z0-9_$-]*")
_STEP = re.compile(r'\.?(?P<bare>[^.\[\]"]+)|\[(?P<index>[0-9]{1,9})\]|\.?\[?"(?P<quoted>(?:[^"\\]|\\.)*)"\]?')


def format_keypath(path: KeyPath) -> str:
    """Write a key path as people do: ``jobs[0].sku``, ``labels["a.b/c"]``; the root is the empty text."""
    out: list[str] = []
    for step in path:
        if isinstance(step, int):
            out.append(f"[{step}]")
        elif _BARE_KEY.fullmatch(step):
            out.append(f".{step}" if out else step)
        else:
            quoted = step.replace("\\", "\\\\").replace('"', '\\"')
            out.append(f'["{quoted}"]')
    return "".join(out)


def parse_keypath(text: str) -> KeyPath:
    """Read what `format_keypath` writes.

    Raises:
        ValueError: the text is not a key path; the message says where it stops making sense.
    """
    steps: list[str | int] = []
    at = 0
    while at < len(text):
        found = _STEP.match(text, at)
        if not found or (found["bare"] and at and text[at] != "."):
            raise ValueError(f"not a key path: {text!r} (cannot read {text[at:]!r}; write it like jobs[0].sku)")
        if found["index"] is not None:
            steps.append(int(found["index"]))
        elif found["quoted"] is not None:
            steps.append(re.sub(r"\\(.)", r"\1", found["quoted"]))
        else:
            steps.append(found["bare"])
        at = found.end()
    return tuple(steps)


class Position(NamedTuple):
    """A zero-based line and column; columns count code points (the editor's UTF-16 is made in `ajkit.lsp.convert`)."""

    line: int
    column: int


class Text:
    """One snapshot of a file: its path, its content and the line table that positions are counted by.

    Lines end with LF, CRLF or a lone CR and with nothing else (not U+2028, NEL or form feed), as editors count them.
    """

    __slots__ = ("_starts", "content", "path")

    def __init__(self, path: str, content: str) -> None:
        self.path = path
        self.content = content
        self._starts: list[int] | None = None

    @property
    def starts(self) -> list[int]:
        """The offset of the first character of every line."""
        if self._starts is None:
            ends = re.finditer(r"\r\n|\r|\n" if "\r" in self.content else "\n", self.content)
            self._starts = [0, *[found.end() for found in ends]]
        return self._starts

    @property
    def newline(self) -> str:
        """The line end that the text uses: its first one, LF where it has none."""
        found = re.search(r"\r\n|\r|\n", self.content)
        return found.group() if found else "\n"

    def position(self, offset: int) -> Position:
        """The line and column of an offset (clamped to the text)."""
        offset = max(0, min(offset, len(self.content)))
        line = bisect_right(self.starts, offset) - 1
        return Position(line, offset - self.starts[line])

    def offset(self, line: int, column: int) -> int:
        """The offset of a line and column; a column past the end of its line is the end of that line."""
        if line < 0:
            return 0
        if line >= len(self.starts):
            return len(self.content)
        start = self.starts[line]
        return min(start + max(0, column), start + len(self.line(line)))

    def line(self, number: int) -> str:
        """The characters of a line, without its line end."""
        starts = self.starts
        end = starts[number + 1] if number + 1 < len(starts) else len(self.content)
        return self.content[starts[number] : end].rstrip("\r\n")

    def __repr__(self) -> str:
        return f"Text({self.path!r}, {len(self.content)} characters)"


@dataclass(frozen=True, slots=True)
class Span:
    """A stretch of one file, as code point offsets ``start`` (inclusive) to ``end`` (exclusive) of its text."""

    text: Text = field(compare=False)
    start: int
    end: int
    path: str = field(init=False)

    def __post_init__(self) -> None:
        object.__setattr__(self, "path", self.text.path)

    @property
    def first(self) -> Position:
        """Where it begins."""
        return self.text.position(self.start)

    @property
    def last(self) -> Position:
        """Where it ends (exclusive)."""
        return self.text.position(self.end)

    @property
    def written(self) -> str:
        """The characters it covers, as they stand in the file."""
        return self.text.content[self.start : self.end]

    def __str__(self) -> str:
        line, column = self.first
        return f"{self.path}:{line + 1}:{column + 1}"


class Rule(Enum):
    """How the values present at one key became one (the table of `docs/merge.md`)."""

    ONLY = "only value"
    LAST = "last value wins"
    UNION = "mappings merged key by key"
    CONCAT = "lists concatenated"
    POSITION = "lists merged by position"
    SET = "set by index on the command line"


@dataclass(frozen=True, slots=True)
class Origin:
    """One written value: the file and place that set it, its value, and the road of base names that led there.

    `label` is the path of the file, or the option of the command line (``--set jobs[0].sku=G1``). `key` is the place of
    its key, where it has one. `road` is the shortest road from the leaf: ``("team", "org.root")``; `roads` counts all.
    """

    label: str
    span: Span | None
    key: Span | None
    value: Json
    written: str | None
    road: tuple[str, ...] = ()
    roads: int = 1

    def __str__(self) -> str:
        if self.span is None or self.span.path != self.label:
            return self.label
        return f"{self.label}:{self.span.first.line + 1}"


@dataclass(frozen=True, slots=True)
class Trail:
    """The history of the value at one key path.

    `winner` set the effective value (for merged mappings and lists: the last file that contributed); `overrode` holds
    what it replaced, nearest first; `contributors` every written part of a merged mapping or list, first to last.
    """

    path: KeyPath
    value: Json
    rule: Rule
    winner: Origin
    overrode: tuple[Origin, ...] = ()
    contributors: tuple[Origin, ...] = ()


def walk(value: Json, path: KeyPath = ()) -> Iterator[tuple[KeyPath, Json]]:
    """Every value below and including `value`, with its key path, parents first."""
    yield path, value
    if isinstance(value, dict):
        for key, below in value.items():
            yield from walk(below, (*path, key))
    elif isinstance(value, list):
        for index, below in enumerate(value):
            yield from walk(below, (*path, index))


class Missing:
    """The type of `MISSING`: no value at all, which is not the same as null."""

    def __repr__(self) -> str:
        return "MISSING"


MISSING = Missing()


def at(value: Json, path: Sequence[str | int]) -> Json | Missing:
    """The value at a key path, or `MISSING`."""
    for step in path:
        if isinstance(value, dict) and isinstance(step, str):
            if step not in value:
                return MISSING
            value = value[step]
        elif isinstance(value, list) and isinstance(step, int) and 0 <= step < len(value):
            value = value[step]
        else:
            return MISSING
    return value


def value_at(value: Json, path: Sequence[str | int]) -> Json:
    """The value at a key path; None also where there is none: in a template null means "not set"."""
    found = at(value, path)
    return None if isinstance(found, Missing) else found


def pruned(value: Json) -> Json:
    """The value without the null entries of its mappings, at any depth: in a template null means "not set"."""
    if isinstance(value, dict):
        return {key: pruned(below) for key, below in value.items() if below is not None}
    if isinstance(value, list):
        return [pruned(below) for below in value]
    return value
