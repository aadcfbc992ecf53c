"""What a cursor may stand at: the word that is being typed, and the places that it may become a key or a value of."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Container

    from ajkit.shared.template.tree import Entry
    from ajkit.shared.where import KeyPath


@dataclass(frozen=True, slots=True)
class Slot:
    """A place for a key or a value.

    Attributes:
        sort: whether a key of the mapping at `path` goes there, or the value at `path`.
        path: from the root of the document.
        taken: the keys that the mapping has already.
        lead: what has to be written in front: a list marker, a blank after a colon or a dash.
        column: where a key or value written there begins, after its lead.
        indent: how far its line is indented then.
        shift: blanks to put in front of the line, or (negative) to take away, so that it is indented that far.
        ways: whether it stands on a line of its own (after a dash too), behind its key, or inside brackets.
        trail: what has to be written behind: a comma, where another item follows.
        below: the column that what is below it is indented to already, where something is.
    """

    sort: Literal["key", "value"]
    path: KeyPath
    taken: Container[str] = ()
    lead: str = ""
    column: int = 0
    indent: int = 0
    shift: int = 0
    ways: Literal["line", "behind", "flow"] = "line"
    trail: str = ""
    below: int | None = None


@dataclass(frozen=True, slots=True)
class Context:
    """What is at a cursor.

    Attributes:
        start, end: the offsets of the word that an accepted item replaces.
        typed: what of it stands before the cursor.
        colon: whether a colon follows it.
        slots: what it may become.
        variable: the name of a shell variable that is being typed, as offsets, and what closes it (``}``).
        text_path: the value that the text around a variable is.
        followed: the column of what the next line holds, and whether that is a list item; -1 at the end.
    """

    start: int
    end: int
    typed: str
    colon: bool = False
    slots: tuple[Slot, ...] = ()
    variable: tuple[int, int, str] | None = None
    text_path: KeyPath = ()
    followed: tuple[int, bool] = (-1, False)


@dataclass(frozen=True, slots=True)
class Others:
    """The keys of a mapping that do not begin between two offsets."""

    entries: dict[str, Entry]
    start: int
    end: int

    def __contains__(self, key: object) -> bool:
        entry = self.entries.get(key) if isinstance(key, str) else None
        return entry is not None and not self.start <= entry.start <= self.end
