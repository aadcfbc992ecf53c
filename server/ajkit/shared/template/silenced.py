"""Problems silenced where they stand, by a comment `# aj: ignore[code]` on the line or above it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ajkit.shared.template.comments import ignores

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ajkit.shared.problem import Problem
    from ajkit.shared.where import Text


def unsilenced(problems: Iterable[Problem]) -> Iterator[Problem]:
    """The problems that no comment silences; errors are never silenced."""
    known: dict[int, tuple[Text, dict[int, frozenset[str]]]] = {}
    for each in problems:
        if not each.is_error and each.span is not None:
            text = each.span.text
            if id(text) not in known:
                known[id(text)] = (text, ignores(text) if "ignore[" in text.content else {})
            silenced = known[id(text)][1]
            if silenced and each.code in silenced.get(each.span.first.line, ()):
                continue
        yield each
