"""The YAML parser as a source of events: PyYAML's C one or its pure one, over a text as it is or as it was mended."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Any

from yaml.events import ScalarEvent
from yaml.parser import Parser
from yaml.reader import Reader
from yaml.scanner import Scanner, ScannerError

from ajkit.shared.records import dataclass

try:
    from yaml._yaml import CParser
except ImportError:  # PyYAML was built without libyaml
    CParser = None  # type: ignore[assignment,misc]

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

BOM = "\ufeff"

_BREAKS = frozenset("\r\n\x85\u2028\u2029")
_SURROGATE = re.compile("[\ud800-\udfff]")


def open_events(content: str, *, pure: bool = False) -> Callable[[], Any]:
    """A function that returns the next event of `content` each time it is called, and raises what this raises.

    Raises:
        yaml.YAMLError: the text is not YAML.
        ValueError: the text holds lone surrogates, or bytes in a tag that are no text.
    """
    if content.startswith(BOM):
        # The C parser does not count a leading mark, the pure one does; a line end in its place harms nothing.
        content = "\n" + content[1:]
    if CParser is None or pure:
        return _PureParser(content).next_event
    return CParser(content).get_event


class _PureParser(Reader, Scanner, Parser):
    """PyYAML's pure parser, made to agree with the C one about tabs between words and escapes of half characters."""

    def __init__(self, content: str) -> None:
        Reader.__init__(self, content)
        Scanner.__init__(self)
        Parser.__init__(self)

    def scan_to_next_token(self) -> None:
        super().scan_to_next_token()
        while self.peek() == "\t" and (self.flow_level or not self.allow_simple_key):
            self._skip_blanks()
            super().scan_to_next_token()

    def scan_plain_spaces(self, indent: int, start_mark: Any) -> list[str] | None:
        blanks = self._skip_blanks()
        if self.peek() not in _BREAKS:
            return [blanks] if blanks else []
        folded: list[str] | None = super().scan_plain_spaces(indent, start_mark)
        if folded and self.peek() == "\t":
            if self.column < indent:
                words = "found a tab character that violates indentation"
                raise ScannerError("while scanning a plain scalar", start_mark, words, self.get_mark())
            self._skip_blanks()
        return folded

    def _skip_blanks(self) -> str:
        length = 0
        while self.peek(length) in {" ", "\t"}:
            length += 1
        blanks: str = self.prefix(length)
        self.forward(length)
        return blanks

    def next_event(self) -> Any:
        try:
            event: Any = self.get_event()  # type: ignore[no-untyped-call]
        except (ValueError, OverflowError):
            raise ScannerError(None, None, "found a number that is too large", self.get_mark()) from None
        if event.__class__ is ScalarEvent and _SURROGATE.search(event.value):
            mark: Any = event.start_mark
            raise ScannerError("while parsing a quoted scalar", mark, "found invalid Unicode character escape", mark)
        return event


@dataclass(frozen=True, slots=True, order=True)
class Patch:
    """A change to the text before it is parsed: what stands from `start` to `end` is read as `text`."""

    start: int
    end: int
    text: str


class Mended:
    """A text with patches applied (they may not overlap), and the way back from its offsets to the true ones."""

    def __init__(self, content: str, patches: Iterable[Patch]) -> None:
        parts: list[str] = []
        self._starts: list[int] = []
        self._patches = sorted(patches)
        at = length = 0
        for patch in self._patches:
            parts += (content[at : patch.start], patch.text)
            length += patch.start - at
            self._starts.append(length)
            length += len(patch.text)
            at = patch.end
        parts.append(content[at:])
        self.content = "".join(parts)
        self._moves = any(len(patch.text) != patch.end - patch.start for patch in self._patches)

    def true(self, offset: int) -> int:
        """The offset in the true text of an offset in the mended one."""
        index = bisect_right(self._starts, offset) - 1
        if index < 0 or not self._moves:
            return offset
        patch = self._patches[index]
        inside = offset - self._starts[index]
        if inside < len(patch.text):
            return min(patch.start + inside, patch.end)
        return patch.end + inside - len(patch.text)

    def events(self, *, pure: bool) -> Callable[[], Any]:
        """As `open_events`, with true offsets in the marks of the events."""
        next_event = open_events(self.content, pure=pure)
        if not self._moves:
            return next_event

        first, last = self._starts[0], self._starts[-1] + len(self._patches[-1].text)
        behind = self._patches[-1].end - last

        def next_true() -> Any:
            event = next_event()
            start, end = event.start_mark.index, event.end_mark.index
            if end < first:
                return event
            if start > last:
                event.start_mark, event.end_mark = _Mark(start + behind), _Mark(end + behind)
            else:
                event.start_mark, event.end_mark = _Mark(self.true(start)), _Mark(self.true(end))
            return event

        return next_true


class _Mark:
    __slots__ = ("index",)

    def __init__(self, index: int) -> None:
        self.index = index
