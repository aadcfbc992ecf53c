"""Small questions about spans that several features ask."""

from __future__ import annotations

from ajkit.shared.problem import Edit
from ajkit.shared.template import spelling
from ajkit.shared.where import Span, Text


def unquoted(span: Span) -> Span:
    """A scalar's span without its quotes."""
    written = span.written
    if len(written) >= 2 and written[0] == written[-1] and written[0] in "'\"":
        return Span(span.text, span.start + 1, span.end - 1)
    return span


def renamed(span: Span, new: str) -> Edit:
    """The edit that writes another name: inside the quotes of before where that can be, else with some where needed."""
    inside = unquoted(span)
    if inside is not span and new.isprintable() and not any(each in new for each in "'\"\\"):
        return Edit(inside, new)
    return Edit(span, spelling.flow(new))


def beginning(path: str) -> Span:
    """The beginning of a file that need not be read."""
    return Span(Text(path, ""), 0, 0)
