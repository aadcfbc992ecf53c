"""Inside brackets: which item or key of which list or mapping a cursor stands at."""

from __future__ import annotations

import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ajkit.shared.where import KeyPath

_QUOTED = re.compile(r'"(?:[^"\\]|\\.)*(?P<double>"?)|\'(?:[^\']|\'\')*(?P<single>\'?)')
_PLAIN = re.compile(r"(?:[^\s,\[\]{}:#]|:(?![\s,\[\]{}]|\Z)|(?<=\S)#|[ \t]+(?=[^\s,\[\]{}:#]))+")
_WORD = re.compile(r"[^\s,\[\]{}:#]*")
_COMMENT = re.compile(r"#[^\n\r]*")
_GAP = re.compile(r"(?:\s+(?:#[^\n\r]*)?)*")
_AHEAD = 4_000
"""How many characters behind a cursor are read to see which keys follow."""


@dataclass(frozen=True, slots=True)
class Flow:
    """A cursor inside brackets.

    `path` leads from the outermost bracket to the mapping (`on_key`) or value; `taken` are the mapping's keys; `start`
    and `end` are the offsets of the word at the cursor; `more` says that another item follows without a comma.
    """

    path: KeyPath
    on_key: bool
    taken: frozenset[str]
    start: int
    end: int
    more: bool


@dataclass(slots=True)
class _Frame:
    """One open bracket: its keys so far, and the key or number of the item that is being read."""

    char: str
    index: int = 0
    key: str | None = None
    word: str | None = None
    keys: list[str] = field(default_factory=list)


def flow_at(content: str, first: int, cursor: int) -> Flow | None:
    """Where a cursor stands inside the bracket at `first`; None behind it, in a comment, or where no key is known."""
    reader = _Reader(content, cursor)
    start = reader.read(first)
    if start is None or not reader.stack:
        return None
    *outer, frame = reader.stack
    if frame.word is not None:
        return None  # behind a whole item: a comma comes first
    path: list[str | int] = []
    for each in outer:
        step = each.index if each.char == "[" else each.key
        if step is None:
            return None
        path.append(step)
    if frame.char == "[":
        path.append(frame.index)
    elif frame.key is not None:
        path.append(frame.key)
    on_key = frame.char == "{" and frame.key is None
    end = _word_end(content, start, cursor)
    ahead = _ahead(content, frame.char, end)
    following = _GAP.match(content, end)
    next_at = following.end() if following else end
    more = content[next_at : next_at + 1] not in {"", ",", "]", "}", ":"}
    if not ahead.closed and content.find("\n", end, next_at) >= 0:
        more = False
    return Flow(tuple(path), on_key, frozenset((*frame.keys, *ahead.keys)), start, end, more)


def _word_end(content: str, start: int, cursor: int) -> int:
    quoted = _QUOTED.match(content, start)
    if quoted and (quoted["double"] or quoted["single"]) and quoted.end() >= cursor:
        return quoted.end()
    found = _WORD.match(content, cursor)
    return found.end() if found else cursor


@dataclass(frozen=True, slots=True)
class _Ahead:
    """What follows in the same bracket: the keys, and whether it is closed at all."""

    keys: list[str]
    closed: bool


def _ahead(content: str, char: str, at: int) -> _Ahead:
    """What follows; the keys of this line alone where the bracket is never closed."""
    line = content.find("\n", at)
    frame = _Frame(char)
    for limit in (at + _AHEAD, line if line >= 0 else len(content)):
        reader = _Reader(content, limit)
        frame = _Frame(char)
        reader.stack = [frame]
        reader.go_on(at)
        if not reader.stack:
            return _Ahead(frame.keys, closed=True)
    return _Ahead(frame.keys, closed=False)


class _Reader:
    """Reads tokens up to a limit; `stack` holds what is open then."""

    def __init__(self, content: str, limit: int) -> None:
        self._content = content
        self._limit = min(limit, len(content))
        self.stack: list[_Frame] = []

    def read(self, first: int) -> int | None:
        """Read from an opening bracket; where the word at the limit begins, None inside a comment or behind the end."""
        self.stack = [_Frame(self._content[first])]
        return self.go_on(first + 1)

    def go_on(self, at: int) -> int | None:
        """Read on inside what is open."""
        content, limit = self._content, self._limit
        while at < limit and self.stack:
            char = content[at]
            if char in "\"'" or char not in " \t\r\n,:[]{}#":
                pattern = _QUOTED if char in "\"'" else _PLAIN
                found = pattern.match(content, at)
                end = found.end() if found else at + 1
                if end >= limit and not self._is_closed(found, limit):
                    return at
                self.stack[-1].word = content[at:end]
                at = end
            elif char == "#" and content[at - 1] in " \t\r\n":
                comment = _COMMENT.match(content, at)
                at = comment.end() if comment else at + 1
                if at >= limit:
                    return None
            else:
                self._punctuation(char)
                at += 1
        return at if self.stack else None

    @staticmethod
    def _is_closed(found: re.Match[str] | None, limit: int) -> bool:
        """Whether a quoted word ends before the limit, which then stands behind it."""
        return found is not None and found.re is _QUOTED and found.end() < limit

    def _punctuation(self, char: str) -> None:
        frame = self.stack[-1]
        if char in "[{":
            self.stack.append(_Frame(char))
        elif char in "]}":
            self.stack.pop()
            if self.stack:
                self.stack[-1].word = ""
        elif char == ",":
            frame.index += 1
            frame.key = frame.word = None
        elif char == ":" and frame.word is not None:
            frame.key = frame.word.strip("\"'")
            frame.keys.append(frame.key)
            frame.word = None
