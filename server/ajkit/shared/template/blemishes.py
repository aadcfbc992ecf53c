"""What is taken out of a text before anything else is tried: characters no YAML may hold, and unfinished merges."""

from __future__ import annotations

import re
import unicodedata
from itertools import islice
from typing import TYPE_CHECKING

from yaml.reader import Reader

from ajkit.shared.problem import Edit, Fix, Problem, Related, problem
from ajkit.shared.records import dataclass
from ajkit.shared.where import Span, Text

if TYPE_CHECKING:
    from collections.abc import Iterator

EACH_LIMIT = 50
"""How many such characters, and how many conflicts, are reported one by one."""

_CLEANED = 10_000  # characters that are taken out; where there are more, this is no text
_UNREADABLE = Reader.NON_PRINTABLE
_MARKER = re.compile(r"^(?:<{7}|\|{7}|={7}|>{7})(?=[ \r\n]|\Z)", re.MULTILINE)
_NOT_LINE_END = re.compile(r"[^\r\n]")
_NAMES = {"\0": "a NUL character", "\f": "a form feed", "\x1b": "an escape character", "\x7f": "a delete character"}


@dataclass(slots=True)
class _Conflict:
    """The lines of one conflict; the end is missing while it is being resolved."""

    ours: int
    base: int | None = None
    theirs: int | None = None
    end: int | None = None


@dataclass(frozen=True, slots=True)
class Cleaned:
    """A text of the same length and lines without its blemishes, the problems they are, and the lines set aside."""

    text: Text
    problems: list[Problem]
    lines: frozenset[int]


def clean(text: Text) -> Cleaned:
    """Put blanks in the place of characters that YAML refuses and of conflict markers with all sides but the first."""
    problems = list(_unreadable(text))
    content = _UNREADABLE.sub(" ", text.content, _CLEANED)
    aside: list[range] = []
    parts: list[str] = []
    at = 0
    for number, conflict in enumerate(_conflicts(text)):
        if number < EACH_LIMIT:
            problems.append(_conflict_problem(text, conflict))
        for lines in _not_ours(conflict):
            aside.append(lines)
            start, end = text.starts[lines[0]], text.starts[lines[-1]] + len(text.line(lines[-1]))
            parts += content[at:start], _NOT_LINE_END.sub(" ", content[start:end])
            at = end
    content = "".join((*parts, content[at:]))
    broken = frozenset(number for lines in aside for number in lines)
    return Cleaned(Text(text.path, content) if problems else text, problems, broken)


def _unreadable(text: Text) -> Iterator[Problem]:
    found = list(islice(_UNREADABLE.finditer(text.content), EACH_LIMIT + 1))
    for index, each in enumerate(found[:EACH_LIMIT]):
        char = each[0]
        span = Span(text, each.start(), each.end())
        more = " (and more such characters below)" if index == EACH_LIMIT - 1 and len(found) > EACH_LIMIT else ""
        yield problem(
            "yaml.syntax",
            f"{_name(char)} (U+{ord(char):04X}) stands here, which YAML does not allow: remove it{more}",
            span,
            fixes=[Fix("Remove it", (Edit(span, ""),), preferred=True)],
        )


def _name(char: str) -> str:
    if "\ud800" <= char <= "\udfff":
        return "half of a character"
    return _NAMES.get(char) or (
        "a control character" if unicodedata.category(char) == "Cc" else "an unassigned character"
    )


def _conflicts(text: Text) -> list[_Conflict]:
    """The conflicts of a text; markers that belong to none are left to the parser."""
    if "\n<<<<<<<" not in "\n" + text.content.replace("\r", "\n"):
        return []
    found: list[_Conflict] = []
    for marker in _MARKER.finditer(text.content):
        line = text.position(marker.start()).line
        if text.starts[line] != marker.start():
            continue
        sign = marker[0][0]
        now = found[-1] if found and found[-1].end is None else None
        if sign == "<":
            found.append(_Conflict(line))
        elif now is None:
            continue
        elif sign == "|" and now.theirs is None:
            now.base = line
        elif sign == "=" and now.theirs is None:
            now.theirs = line
        elif sign == ">":
            now.end = line
    return found


def _not_ours(conflict: _Conflict) -> Iterator[range]:
    """The runs of lines to set aside; of a conflict without an end only what is certain to be a marker."""
    yield range(conflict.ours, conflict.ours + 1)
    rest = conflict.base if conflict.base is not None else conflict.theirs
    if conflict.end is not None:
        yield range(rest if rest is not None else conflict.end, conflict.end + 1)
    else:
        for line in (conflict.base, conflict.theirs):
            if line is not None:
                yield range(line, line + 1)


def _conflict_problem(text: Text, conflict: _Conflict) -> Problem:
    def whole(line: int) -> Span:
        return Span(text, text.starts[line], text.starts[line] + len(text.line(line)))

    related = [
        Related(whole(line), words)
        for line, words in (
            (conflict.base, "what both sides began with"),
            (conflict.theirs, "the other side"),
            (conflict.end, "the conflict ends here"),
        )
        if line is not None
    ]
    fixes = []
    if conflict.theirs is not None and conflict.end is not None:
        ours = text.line(conflict.ours)[8:].strip() or "the first side"
        theirs = text.line(conflict.end)[8:].strip() or "the second side"
        first_end = conflict.base if conflict.base is not None else conflict.theirs
        fixes = [
            Fix(f"Keep {ours}", (_cut(text, conflict.ours, conflict.ours), _cut(text, first_end, conflict.end))),
            Fix(f"Keep {theirs}", (_cut(text, conflict.ours, conflict.theirs), _cut(text, conflict.end, conflict.end))),
        ]
    message = (
        "an unfinished merge: keep one of the two sides and delete the marker lines (until then the first side counts)"
    )
    return problem("yaml.conflict-marker", message, whole(conflict.ours), related=related, fixes=fixes)


def _cut(text: Text, first: int, last: int) -> Edit:
    """The edit that removes whole lines."""
    end = text.starts[last + 1] if last + 1 < len(text.starts) else len(text.content)
    return Edit(Span(text, text.starts[first], end), "")
