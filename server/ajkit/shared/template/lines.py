"""What one line of YAML says by itself: indent, dashes, key, value, comment, the quotes and brackets it opens."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ajkit.shared.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

CLOSERS = {"[": "]", "{": "}", '"': '"', "'": "'"}
OPENERS = {"]": "[", "}": "{"}
QUOTES = "\"'"
COMMENT = re.compile(r"(?:(?<=[ \t])|^)#")

_ANYTHING = ("?", -1)

_LEAD = re.compile(r"(?P<indent>[ \t]*)(?P<dashes>(?:[-?](?:[ \t]+|\Z))*)")
_PROPERTIES = re.compile(r"(?:[&!][^\s,\[\]{}]*(?:[ \t]+|\Z))*")
_QUOTED = {'"': re.compile(r'"(?:[^"\\]|\\.)*(?P<close>"?)'), "'": re.compile(r"'(?:[^']|'')*(?P<close>'?)")}
_UNTIL_CLOSED = {'"': re.compile(r'(?:[^"\\]|\\.)*"'), "'": re.compile(r"(?:[^']|'')*'(?!')")}
_KEY_END = re.compile(r"[ \t]*:(?=[ \t]|\Z)")
_PLAIN_KEY = re.compile(r"(?:[^:#\s]|:(?![\s]|\Z)|(?<=\S)#|[ \t]+(?![ \t#:]|\Z))+?(?=[ \t]*:(?:[ \t]|\Z))")
_BLOCK_HEADER = re.compile(r"[|>][-+0-9]*[ \t]*(?=#|\Z)")
_GROWN_TOGETHER = re.compile(r"[^\s\[{][\[{]|[\]}][^\s\]}]")
_KEY_INSIDE = re.compile(r":[ \t]")
_FLOW_PLAIN = re.compile(r"(?:[^,\[\]{}:#]|:(?![\s,\[\]{}]|\Z)|(?<=\S)#)+")


@dataclass(slots=True)
class Line:
    """One line, without its line end; all places are columns.

    `indent` counts what stands before the first dash or word, `body` is where the word begins after dashes. `key` is
    the place of a key (None without one), `value` where its value begins (or the body, without a key), `end` where its
    last word ends before a comment, `comment` where the comment begins (or the length of the line). `opened` are the
    quotes and brackets that stay open, each with its column, outermost first. `block` says that it ends in ``|`` or
    ``>``; `tail` is where words begin that stand after a closed quote or bracket, or a second ``: `` (else None).
    """

    text: str
    indent: int
    body: int
    key: tuple[int, int] | None
    value: int
    end: int
    comment: int
    opened: list[tuple[str, int]]
    block: bool
    tail: int | None

    @property
    def blank(self) -> bool:
        """Whether there is nothing but blanks or a comment."""
        return self.body >= self.end and self.indent >= self.end

    @property
    def dashed(self) -> bool:
        """Whether it begins a list item."""
        return self.body > self.indent

    @property
    def word(self) -> str:
        """The value, or what stands there without a key."""
        return self.text[self.value : self.end]


def read_line(text: str) -> Line:
    """Read a line that begins in block context (not inside brackets, quotes or a block text)."""
    lead = _LEAD.match(text)
    indent = lead.end("indent") if lead else 0
    body = lead.end() if lead else 0
    comment = len(text)
    if body < len(text) and text[body] == "#" and (body == 0 or text[body - 1] in " \t"):
        comment = body
    line = Line(text, indent, body, None, body, comment, comment, [], block=False, tail=None)
    if comment == body:
        line.end = len(text[:comment].rstrip())
        return line
    start = _skip_properties(text, body)
    after, opened = _read_word(text, start)
    colon = None if opened else _KEY_END.match(text, after)
    if colon:
        line.key = (start, after)
        line.value = _skip_blanks(text, colon.end())
        start = _skip_properties(text, line.value)
        after, opened = _read_value(text, start)
    elif not opened and after > start and text[start] not in "\"'[{":
        after, opened = _read_value(text, start)
    line.opened = opened
    line.block = bool(_BLOCK_HEADER.match(text, start))
    found = COMMENT.match(text, after) if opened else COMMENT.search(text, after)
    line.comment = len(text) if found is None else found.start()
    line.end = len(text[: line.comment].rstrip())
    if not opened and not line.block:
        line.tail = _tail(line, start, after)
    return line


def read_flow(
    text: str, opened: list[tuple[str, int]], at: int = 0, base: int = 0
) -> tuple[int, list[tuple[str, int]]]:
    """Read on inside brackets or quotes: where they (or the words of the text) end, and what is open then.

    `base` is added to the columns of what is opened on the way.
    """
    opened = list(opened)
    if opened and opened[-1][0] in QUOTES:
        closing = _UNTIL_CLOSED[opened[-1][0]].match(text, at)
        if closing is None:
            return len(text), opened
        opened.pop()
        at = closing.end()
    while opened and at < len(text):
        char = text[at]
        if char in " \t,:":
            at += 1
        elif char == "#" and (at == 0 or text[at - 1] in " \t"):
            return at, opened
        elif char in QUOTES:
            quoted = _QUOTED[char].match(text, at)
            if quoted is None or not quoted["close"]:
                return len(text), [*opened, (char, base + at)]
            at = quoted.end()
        elif char in "[{":
            opened.append((char, base + at))
            at += 1
        elif char in "]}":
            opened.pop()
            at += 1
        else:
            plain = _FLOW_PLAIN.match(text, at)
            at = plain.end() if plain else at + 1
    return at, opened


def flow_values(text: str, opening: int) -> Iterator[tuple[int, int]]:
    """Where the values begin and end that stand directly in the bracket at `opening`, whatever they are made of."""
    start = index = opening + 1
    depth = 0
    of_key = False
    while index < len(text):
        char = text[index]
        if char in QUOTES and text[index - 1] in " \t[{,:":
            quoted = _QUOTED[char].match(text, index)
            index = quoted.end() if quoted else len(text)
            continue
        if char in "[{":
            depth += 1
        elif depth and char in "]}":
            depth -= 1
        elif not depth and char in ",]}":
            words = text[start:index]
            yield start + len(words) - len(words.lstrip()), start + len(words.rstrip())
            if char != ",":
                return
            start, of_key = index + 1, False
        elif not depth and not of_key and text[index : index + 2] in {": ", ":\t"}:
            start, of_key = index + 1, True
        index += 1


def grown_together(word: str) -> bool:
    """Whether a value inside brackets is a word with brackets in it, or goes on right behind its closing quote."""
    if word[:1] in {'"', "'"}:
        quoted = _QUOTED[word[0]].match(word)
        return quoted is not None and word[quoted.end() : quoted.end() + 1].strip() != ""
    return _GROWN_TOGETHER.search(word) is not None and not _KEY_INSIDE.search(word)


def lacking(lines: Iterable[str]) -> list[str] | None:
    """The brackets that should stand open before these lines, outermost first, for them to end with nothing open.

    None where no opening brackets would do (a quote or a bracket stays open at the end).
    """
    missing: list[str] = []
    opened = [_ANYTHING]
    for text in lines:
        at, opened = read_flow(text, opened)
        while not opened:
            missing.append(OPENERS[text[at - 1]])
            at, opened = read_flow(text, [_ANYTHING], at)
    return missing[::-1] if opened == [_ANYTHING] else None


def closing(opened: list[tuple[str, int]]) -> str:
    """What closes the open quotes and brackets, in order."""
    return "".join(CLOSERS[char] for char, _ in reversed(opened))


def _read_word(text: str, start: int) -> tuple[int, list[tuple[str, int]]]:
    """Where a key would end that begins at `start`."""
    if text[start : start + 1] in {'"', "'", "[", "{"}:
        return _read_value(text, start)
    plain = _PLAIN_KEY.match(text, start)
    if plain:
        return plain.end(), []
    found = COMMENT.search(text, start)
    return (len(text) if found is None else found.start()), []


def _read_value(text: str, start: int) -> tuple[int, list[tuple[str, int]]]:
    first = text[start : start + 1]
    if first in {'"', "'"}:
        quoted = _QUOTED[first].match(text, start)
        if quoted is None or not quoted["close"]:
            return len(text), [(first, start)]
        return quoted.end(), []
    if first in {"[", "{"}:
        return read_flow(text, [(first, start)], start + 1)
    found = COMMENT.search(text, start)
    return len(text) if found is None else found.start(), []


def _tail(line: Line, start: int, after: int) -> int | None:
    first = line.text[start : start + 1]
    if first in {'"', "'", "[", "{"} and first:
        rest = _skip_blanks(line.text, after)
        return rest if rest < line.end else None
    second = _PLAIN_KEY.match(line.text, start, line.end) if line.key else None
    return second.end() if second else None


def _skip_blanks(text: str, at: int) -> int:
    while at < len(text) and text[at] in " \t":
        at += 1
    return at


def _skip_properties(text: str, at: int) -> int:
    found = _PROPERTIES.match(text, at)
    return found.end() if found else at
