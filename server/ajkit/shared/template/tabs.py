"""Tabs where YAML wants spaces: which lines are indented with them, and how wide they were meant to be."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING

from ajkit.shared.problem import Edit, Fix
from ajkit.shared.template.events import Patch
from ajkit.shared.template.mends import Mend
from ajkit.shared.template.standing import walk
from ajkit.shared.where import Span

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ajkit.shared.template.attempt import Fault
    from ajkit.shared.template.indents import Indents
    from ajkit.shared.where import Text

_WIDTHS = (2, 4, 8, 1, 3)
_ENOUGH = 2_000  # lines that are looked at to tell how wide a tab was meant to be, and that are mended


def tab_mends(text: Text, fault: Fault, indents: Indents) -> list[Mend]:
    """What mends the tabs of a text whose parser stumbled at one of them; empty where it did not.

    The first of the mends carries the message, and the fix for all of them.
    """
    number = text.position(fault.at).line
    lead = indents.content(number)[: indents.indent(number)]
    if "\t" in lead:
        return _indentation(text, indents)
    if not indents.text.content.startswith("\t", fault.at):
        return []
    end = fault.at
    while indents.text.content.startswith("\t", end):
        end += 1
    return _reported(text, [(number, Patch(fault.at, end, " " * (end - fault.at)))])


def _indentation(text: Text, indents: Indents) -> list[Mend]:
    lines = list(islice(_tabbed(indents), _ENOUGH))
    width = min(_WIDTHS, key=lambda each: _misfits(indents, each))
    found = []
    for number in lines:
        start, indent = text.starts[number], indents.indent(number)
        spaces = indents.content(number)[:indent].expandtabs(width)
        found.append((number, Patch(start, start + indent, spaces)))
    return _reported(text, found)


def _tabbed(indents: Indents) -> Iterator[int]:
    """The lines in block context that are indented with tabs."""
    for number, place in walk(indents.text):
        if number == len(indents.text.starts) or place.in_block_text or place.opened:
            continue
        content = indents.content(number)
        if "\t" in content[: indents.indent(number)] and content.strip():
            yield number


def _misfits(indents: Indents, width: int) -> int:
    """How many lines stand in a column that is not open when a tab is so wide."""
    opened = [0]
    misfits = 0
    parent = False
    for number in range(min(len(indents.text.starts), _ENOUGH)):
        line = indents.line(number)
        if line.blank:
            continue
        column = len(line.text[: line.indent].expandtabs(width))
        while opened[-1] > column:
            opened.pop()
        if opened[-1] < column:
            misfits += not parent
            opened.append(column)
        elif parent and not line.dashed:
            misfits += 1
        if line.dashed:
            opened.append(column + line.body - line.indent)
        parent = not line.word
    return misfits


def _reported(text: Text, found: list[tuple[int, Patch]]) -> list[Mend]:
    edits = tuple(Edit(Span(text, patch.start, patch.end), patch.text) for _, patch in found)
    more = len(found) - 1
    others = f" (and on {more:,} more {'lines' if more > 1 else 'line'})" if more else ""
    title = "Replace the tabs by spaces" if len(found) > 1 else "Replace the tab by spaces"
    return [
        Mend(
            number,
            patch,
            patch.start,
            patch.end,
            "" if index else f"a tab stands here where YAML wants spaces{others}",
            () if index else (Fix(title, edits, preferred=True),),
            code="yaml.tab-indent",
        )
        for index, (number, patch) in enumerate(found)
    ]
