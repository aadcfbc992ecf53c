"""What is to be written below one place of a YAML file, spelt as block lines or on one line."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ajkit.shared.records import dataclass
from ajkit.shared.template import spelling

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ajkit.shared.template.layout import Style
    from ajkit.shared.where import Json, KeyPath


@dataclass(frozen=True, slots=True)
class Snippet:
    """A value as it is spelt elsewhere: the lines of its key and itself from column 0, and the value on one line.

    The latter may be something to call for it, as it is seldom needed.
    """

    lines: tuple[str, ...]
    words: str | Callable[[], str]

    @property
    def inline(self) -> str:
        """The value on one line."""
        return self.words if isinstance(self.words, str) else self.words()


class Branch(dict[str | int, "Spelt"]):
    """What is to be written below one place: keys, or indexes of a list."""

    @property
    def listed(self) -> bool:
        """Whether it is a list."""
        return any(isinstance(each, int) for each in self)


Spelt = bool | int | float | str | Snippet | Branch | None
"""What is written at one place, with every container a branch."""


def put(branch: Branch, rest: KeyPath, value: Json | Snippet) -> None:
    """Hang a value into a branch."""
    for step in rest[:-1]:
        below = branch.get(step)
        if not isinstance(below, Branch):
            below = branch[step] = Branch()
        branch = below
    branch[rest[-1]] = branched(value)


def branched(value: Json | Snippet) -> Spelt:
    """A value with its containers as branches; empty ones stay what they are."""
    if isinstance(value, dict) and value:
        return Branch({key: branched(below) for key, below in value.items()})
    if isinstance(value, list) and value:
        return Branch({index: branched(below) for index, below in enumerate(value)})
    return Snippet((), spelling.flow(value)) if isinstance(value, dict | list) else value


def lines_of(branch: Branch, style: Style, first: int = 0) -> list[str]:
    """The lines of a branch from column 0; of a list, the items from index `first` on."""
    if not branch.listed:
        return [line for key, below in branch.items() for line in _entry(str(key), below, style)]
    return [line for below in _items(branch, first) for line in _item(below, style)]


def _items(branch: Branch, first: int) -> Iterator[Spelt]:
    for index in range(first, 1 + max(each for each in branch if isinstance(each, int))):
        yield branch.get(index, Snippet((), "{}"))


def _entry(key: str, value: Spelt, style: Style) -> list[str]:
    if isinstance(value, Snippet) and value.lines:
        return list(value.lines)
    head = spelling.head(key)
    if isinstance(value, Branch):
        return [*head.split("\n"), *_indented(lines_of(value, style), style.dash if value.listed else style.step)]
    return _behind(head, value, style)


def _item(value: Spelt, style: Style) -> list[str]:
    if isinstance(value, Branch):
        first, *others = lines_of(value, style)
        return [f"- {first}", *_indented(others, 2)]
    return _behind("-", value, style)


def _behind(head: str, value: spelling.Scalar | Snippet, style: Style) -> list[str]:
    """A value behind its key or dash."""
    literal = spelling.literal(value) if isinstance(value, str) and "\n" in value else None
    if literal:
        return [*f"{head} {literal[0]}".split("\n"), *_indented(literal[1:], style.step)]
    words = value.inline if isinstance(value, Snippet) else spelling.scalar(value)
    return f"{head} {words}".split("\n")


def inline(value: Spelt) -> str:
    """A value on one line, for use inside brackets as well."""
    if isinstance(value, Snippet):
        return value.inline
    if not isinstance(value, Branch):
        return spelling.flow(value)
    if value.listed:
        return "[" + ", ".join(items_inline(value, 0)) + "]"
    return "{" + ", ".join(f"{spelling.flow_key(str(key))} {inline(below)}" for key, below in value.items()) + "}"


def items_inline(branch: Branch, first: int) -> list[str]:
    """The items of a list from index `first` on, each on one line, for use inside brackets as well."""
    return [inline(each) for each in _items(branch, first)]


def _indented(lines: list[str], by: int) -> list[str]:
    return [" " * by + line if line else "" for line in lines]
