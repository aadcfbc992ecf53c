"""Small questions about spans that several features ask."""

from __future__ import annotations

from ajkit.shared.where import Span, Text


def unquoted(span: Span) -> Span:
    """A scalar's span without its quotes."""
    written = span.written
    if len(written) >= 2 and written[0] == written[-1] and written[0] in "'\"":
        return Span(span.text, span.start + 1, span.end - 1)
    return span


def beginning(path: str) -> Span:
    """The beginning of a file that need not be read."""
    return Span(Text(path, ""), 0, 0)
