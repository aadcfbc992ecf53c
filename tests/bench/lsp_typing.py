"""A person who types into a template: the edits an editor reports, a character each, half-typed lines included."""

from __future__ import annotations

import random
import re
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterator

_VARIABLE = re.compile(r" {10}\w+: ")
_JOB_KEY = re.compile(r" {6}instance_count: ")
_JOB_LINES = ("sla_tier: Premium", "priority: High", "identity: managed")


class Typist:
    """Types new variables and keys of jobs at places drawn from a seed; `line` and `column` are where the cursor is."""

    def __init__(self, text: str, seed: int = 1) -> None:
        self.lines = text.split("\n")
        self.version = 1
        self.line = self.column = 0
        self._pick = random.Random(f"typing {seed}")
        self._keystrokes = self._type()

    def keystroke(self) -> dict[str, Any]:
        """The next edit, as the one content change of a new version."""
        self.version += 1
        return next(self._keystrokes)

    def rewritten(self, count: int) -> dict[str, Any]:
        """The edit that replaces the first character of some variable's name by another."""
        self.version += 1
        number = self._pick.choice([at for at, line in enumerate(self.lines) if _VARIABLE.match(line)])
        line = self.lines[number]
        new = "ABCDEFGHIJ"[count % 10]
        self.lines[number] = line[:10] + new + line[11:]
        return {"range": _range(number, 10, 11), "text": new}

    def somewhere(self) -> dict[str, int]:
        """The position of some key, to ask about."""
        while True:
            number = self._pick.randrange(len(self.lines))
            if found := re.match(r"( *)[\w-]+: .", self.lines[number]):
                return {"line": number, "character": len(found[1]) + 1}

    def cursor(self) -> dict[str, int]:
        """The position of the cursor."""
        return {"line": self.line, "character": self.column}

    def _type(self) -> Iterator[dict[str, Any]]:
        count = 0
        while True:
            count += 1
            if count % 3:
                yield from self._new_line(_VARIABLE, f'TYPED_{count}: "{self._pick.choice(("on", "/mnt/a: b"))}"')
            else:
                yield from self._new_line(_JOB_KEY, self._pick.choice(_JOB_LINES))

    def _new_line(self, beside: re.Pattern[str], written: str) -> Iterator[dict[str, Any]]:
        above = self._pick.choice([number for number, line in enumerate(self.lines) if beside.match(line)])
        indent = re.match(" *", self.lines[above])
        blank = indent[0] if indent else ""
        end = len(self.lines[above])
        self.lines.insert(above + 1, blank)
        self.line, self.column = above + 1, len(blank)
        yield {"range": _range(above, end, end), "text": "\n" + blank}
        for each in written:
            self.lines[self.line] += each
            self.column += 1
            yield {"range": _range(self.line, self.column - 1, self.column - 1), "text": each}


def _range(line: int, start: int, end: int) -> dict[str, dict[str, int]]:
    return {"start": {"line": line, "character": start}, "end": {"line": line, "character": end}}
