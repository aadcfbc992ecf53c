"""What comments say to aj: `# aj: template` on the first line, `# aj: ignore[code]` on a line or above it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ajkit.shared.where import Text

_MODELINE = re.compile(r"\ufeff?#[^\S\r\n]*aj:[^\S\r\n]*template[^\S\r\n]*(?:[\r\n]|\Z)")
_IGNORE = re.compile(r"#\s*aj:\s*ignore\[(?P<codes>[^\]\r\n]*)\]")


def modeline(text: Text) -> bool:
    """Whether the first line says that the file is a template, wherever it lies."""
    return _MODELINE.match(text.content) is not None


def ignores(text: Text) -> dict[int, frozenset[str]]:
    """The codes that comments silence, by zero-based line.

    A comment behind something silences its own line; one that stands alone silences the next line that is neither blank
    nor a comment, and itself. What only looks like a comment, inside quotes or a block text, silences nothing.
    """
    found: dict[int, frozenset[str]] = {}
    if not _IGNORE.search(text.content):
        return found
    from ajkit.shared.template.standing import walk  # noqa: PLC0415 - few files have such a comment

    waiting: frozenset[str] = frozenset()
    for number, standing in walk(text):
        content = text.line(number) if number < len(text.starts) else ""
        comment = len(content) if standing.in_block_text else _comment(content, standing.opened)
        said = {code.strip() for each in _IGNORE.finditer(content, comment) for code in each["codes"].split(",")}
        codes = frozenset(said - {""})
        if not content[:comment].strip():
            waiting |= codes
        else:
            codes |= waiting
            waiting = frozenset()
        if codes:
            found[number] = codes
    return found


def _comment(content: str, opened: list[tuple[str, int]]) -> int:
    """The column where the comment of a line begins; its length where it has none."""
    from ajkit.shared.template.lines import COMMENT, QUOTES, read_flow, read_line  # noqa: PLC0415 - as above

    if opened:
        at, still = read_flow(content, opened)
    else:
        line = read_line(content)
        at, still = line.comment, line.opened
    if still and still[-1][0] in QUOTES:
        return len(content)
    found = COMMENT.search(content, at)
    return found.start() if found else len(content)
