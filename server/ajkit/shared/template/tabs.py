"""Tabs where YAML wants spaces: which lines are indented with them, and how wide they were meant to be."""

from __future__ import annotations

import re
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
_AFTER_DASH = re.compile(r" *(?:[-?] +)*[-?](?=\t)")
_ENOUGH = 2_000  # lines that are looked at to tell how wide a tab was meant to be, and that are mended


def tab_mends(text: Text, fault: Fault, indents: Indents) -> list[Mend]:
    """What mends the tabs of a text whose parser stumbled at one of them; empty where it did not.

    The first of the mends carries the message, and the fix for all of them.
    """
    number = text.position(fault.at).line
    lead = indents.content(number)[: indents.indent(number)]
    if "\t" in lead:
        return _indentation(text, indents, number)
    if not indents.text.content.startswith("\t", fault.at):
        return []
    found = {number: _spaces(indents, fault.at)}
    for other in islice(_in_block(indents), _ENOUGH):
        if other != number and (dash := _AFTER_DASH.match(indents.content(other))):
            found[other] = _spaces(indents, text.starts[other] + dash.end())
    return _reported(text, [*found.items()])


def _spaces(indents: Indents, start: int) -> Patch:
    """The tabs from an offset on as so many spaces."""
    end = start
    while indents.text.content.startswith("\t", end):
        end += 1
    return Patch(start, end, " " * (end - start))


def _indentation(text: Text, indents: Indents, stumbled: int) -> list[Mend]:
    # The parser lets many a tab pass in blank lines, block text and brackets: there only the one it stumbled at counts,
    # and the blank lines with it, each of which would stop it anew.
    blank = not indents.content(stumbled).strip()
    lines = sorted(
        {stumbled, *islice(_tabbed(indents, blank=blank), _ENOUGH)}, key=lambda each: (each != stumbled, each)
    )
    width = min(_WIDTHS, key=lambda each: _misfits(indents, each))
    found = []
    for number in lines:
        start, indent = text.starts[number], indents.indent(number)
        spaces = indents.content(number)[:indent].expandtabs(width)
        found.append((number, Patch(start, start + indent, spaces)))
    return _reported(text, found)


def _tabbed(indents: Indents, *, blank: bool) -> Iterator[int]:
    """The lines in block context that are indented with tabs; `blank` ones only if asked for."""
    for number in _in_block(indents):
        content = indents.content(number)
        if "\t" in content[: indents.indent(number)] and (blank or content.strip()):
            yield number


def _in_block(indents: Indents) -> Iterator[int]:
    """The lines in block context."""
    for number, place in walk(indents.text):
        if number < len(indents.text.starts) and not place.in_block_text and not place.opened:
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
