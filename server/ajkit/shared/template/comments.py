"""What comments say to aj: `# aj: template` on the first line, `# aj: ignore[code]` on a line or above it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ajkit.shared.where import Text

_MODELINE = re.compile(r"\ufeff?#[^\S\r\n]*aj:[^\S\r\n]*template[^\S\r\n]*(?:[\r\n]|\Z)")
_IGNORE = re.compile(r"(?:^|(?<=\s))#\s*aj:\s*ignore\[(?P<codes>[^\]]*)\]")


def modeline(text: Text) -> bool:
    """Whether the first line says that the file is a template, wherever it lies."""
    return _MODELINE.match(text.content) is not None


def ignores(text: Text) -> dict[int, frozenset[str]]:
    """The codes that comments silence, by zero-based line.

    A comment behind something silences its own line; one that stands alone silences the next line that is neither blank
    nor a comment, and itself.
    """
    found: dict[int, frozenset[str]] = {}
    waiting: frozenset[str] = frozenset()
    for number in range(len(text.starts)):
        line = text.line(number)
        comment = _IGNORE.search(line)
        codes = frozenset(each.strip() for each in comment["codes"].split(",")) if comment else frozenset()
        alone = line.lstrip().startswith("#")
        if alone or not line.strip():
            waiting |= codes
        else:
            codes |= waiting
            waiting = frozenset()
        if codes:
            found[number] = codes
    return found
