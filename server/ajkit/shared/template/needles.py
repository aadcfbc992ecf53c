"""Words looked for in many texts at once, so that what costs more is asked only of the texts that hold one."""

from __future__ import annotations

from bisect import bisect_right
from itertools import accumulate
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Sequence


class Needles:
    """Words to look for, grouped by what several of them hold: where that is not in a text, none of them is.

    That makes a look at a harmless text cheap, above all where it is one character, which is found many times faster
    than a word.
    """

    __slots__ = ("_groups",)

    def __init__(self, needles: Iterable[str], parts: Sequence[str] = ()) -> None:
        """Group the needles by the first of the parts that they hold, those without any by themselves."""
        groups: dict[str, list[str]] = {}
        for needle in dict.fromkeys(needles):
            groups.setdefault(next((part for part in parts if part in needle), needle), []).append(needle)
        self._groups = tuple((part, tuple(group)) for part, group in groups.items())

    def found(self, text: str) -> Iterator[tuple[int, int]]:
        """Where in a text they begin and end, one needle after the other."""
        for part, group in self._groups:
            if part in text:
                for needle in group:
                    at = text.find(needle)
                    while at >= 0:
                        yield at, at + len(needle)
                        at = text.find(needle, at + 1)


def holders(texts: Sequence[str], places: Sequence[int]) -> list[int]:
    """The indexes of those texts that some places in all of them, joined by line ends, fall into."""
    if not places:
        return []
    starts = list(accumulate((len(each) + 1 for each in texts), initial=0))
    return sorted({bisect_right(starts, at) - 1 for at in places})
