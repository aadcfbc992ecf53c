"""Diamonds: an ancestor reached through two bases of one file that doubles list items or undoes a sibling's value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ajkit.shared.problem import Problem, Related, problem
from ajkit.shared.template.faults import short
from ajkit.shared.template.merge import merge_mappings, rule_of
from ajkit.shared.template.merged import Clash, Inherited, Together, Written
from ajkit.shared.where import Missing, Rule, at, format_keypath

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from collections.abc import Set as AbstractSet

    from ajkit.shared.template.merged import Merged, Part
    from ajkit.shared.template.source import TemplateFile
    from ajkit.shared.where import Json, KeyPath

_COMPARED = 50
"""With how many bases before it a base is compared: a file with more of them would take too long."""
_NAMED = 4
"""How many key paths one message names."""
_CONTAINERS = (dict, list)


def diamonds(file: TemplateFile, bases: list[Inherited], own: Written | None) -> Iterator[Problem]:
    """One warning per base name that brings an ancestor in again with effect, on the later name."""
    reached: set[str] = set()
    earlier: dict[int, Inherited] = {}
    for base in bases:
        reals = base.merged.reals()
        if not reached.isdisjoint(reals):
            pairs = (_pair(file, each, base, own) for each in earlier.values())
            if found := next(filter(None, pairs), None):
                yield found
        if len(earlier) < _COMPARED:
            earlier.setdefault(id(base.merged), base)
        reached |= reals


def overlaid(file: TemplateFile, parts: Sequence[Part]) -> Iterator[Problem]:
    """One warning per base laid over a file's own config that brings in with effect what the file extends already."""
    bases: list[Inherited] = []
    own = False
    for index, part in enumerate(parts):
        if isinstance(part, Inherited):
            reals = part.merged.reals()
            first = next((each for each in bases if not reals.isdisjoint(each.merged.reals())), None) if own else None
            if first is not None:
                reached = frozenset().union(*(each.merged.reals() for each in bases))
                clash = _clash(reached, merge_mappings([each.value for each in parts[:index]]), part.merged)
                later = [each.value for each in parts[index + 1 :] if isinstance(each, Together)]
                yield from _told(file, first, part, clash, later, whose="")
            bases.append(part)
        own = own or isinstance(part, Written)


def _pair(file: TemplateFile, first: Inherited, second: Inherited, own: Written | None) -> Problem | None:
    meeting = first.merged.meeting(second.merged)
    if meeting.clash is None:
        meeting.clash = _clash(first.merged.reals(), first.merged.value, second.merged)
    later = [own.value] if own else []
    return next(_told(file, first, second, meeting.clash, later, whose=f" of `{first.ref.name}`"), None)


def _told(
    file: TemplateFile, first: Inherited, second: Inherited, clash: Clash, later: Sequence[Json], *, whose: str
) -> Iterator[Problem]:
    """The warning, unless what is set later makes up for all of it."""
    undone = [path for path in clash.undone if all(isinstance(at(each, path), Missing) for each in later)]
    doubled = [path for path in clash.doubled if all(isinstance(at(each, path), Missing | list) for each in later)]
    if not doubled and not undone:
        return
    home = _home_like(file.path, clash.shared[0])
    names = " and ".join(short(each, home) for each in clash.shared[:2])
    effects = []
    if undone:
        effects.append(f"undoes {_listed(undone)}{whose}")
    if doubled:
        effects.append(f"doubles the items of {_listed(doubled)}")
    yield problem(
        "merge.diamond",
        f"`{second.ref.name}` brings in {names} again, after `{first.ref.name}`: that {' and '.join(effects)}",
        second.ref.span,
        related=[Related(first.ref.span, f"`{first.ref.name}` brought it in first")],
    )


def _clash(reached: AbstractSet[str], value: Json, second: Merged) -> Clash:
    """What a base does to the value before it, which was made from the files `reached`."""
    shared = [each for each in second.below() if each.file.real in reached]
    within = {base.file.real for each in shared for base in each.below() if base is not each}
    tops = [each for each in shared if each.file.real not in within]
    doubled = (path for each in tops for path in _doubled(each.value, value, second.value, ()))
    undone = (path for each in tops for path in _undone(each.value, value, second.value, ()))
    return Clash(tuple([each.file.path for each in tops]), tuple(dict.fromkeys(doubled)), tuple(dict.fromkeys(undone)))


def _home_like(one: str, other: str) -> str | None:
    """The longest folder that holds both files: messages then show short paths."""
    folders = one.split("/")
    same = next((i for i, (a, b) in enumerate(zip(folders, other.split("/"), strict=False)) if a != b), 0)
    return "/".join(folders[:same]) or None


def _listed(paths: Sequence[KeyPath]) -> str:
    shown = ", ".join(f"`{format_keypath(each)}`" for each in paths[:_NAMED])
    return shown if len(paths) <= _NAMED else f"{shown} and {len(paths) - _NAMED} more"


def _doubled(ancestor: Json, first: Json, second: Json, path: KeyPath) -> Iterator[KeyPath]:
    """Key paths of non-empty lists of the ancestor that both bases hand on and that will be concatenated."""
    if isinstance(ancestor, dict) and isinstance(first, dict) and isinstance(second, dict):
        for key, below in ancestor.items():
            if type(below) in _CONTAINERS and key in first and key in second:
                yield from _doubled(below, first[key], second[key], (*path, key))
    elif isinstance(ancestor, list) and ancestor and isinstance(first, list) and isinstance(second, list):
        if rule_of([first, second]) is Rule.CONCAT:
            if _starts_alike(ancestor, first) and _starts_alike(ancestor, second):
                yield path
        else:
            for index, below in enumerate(ancestor):
                if index < len(first) and index < len(second):
                    yield from _doubled(below, first[index], second[index], (*path, index))


def _starts_alike(ancestor: list[Json], handed_on: list[Json]) -> bool:
    """Whether a list still holds what the ancestor put into it."""
    return not set(map(repr, ancestor)).isdisjoint(map(repr, handed_on))


def _undone(ancestor: Json, first: Json, second: Json, path: KeyPath) -> Iterator[KeyPath]:
    """Key paths where the first base changed the ancestor's value and the second one brings the old value back."""
    if isinstance(ancestor, dict) and isinstance(second, dict):
        if isinstance(first, dict):
            for key, below in ancestor.items():
                # What both hand on as it is, is one object.
                if key in first and key in second and first[key] is not second[key]:
                    yield from _undone(below, first[key], second[key], (*path, key))
    elif isinstance(ancestor, list) and isinstance(second, list):
        if isinstance(first, list) and rule_of([first, second]) is Rule.POSITION:
            for index, below in enumerate(ancestor):
                if index < len(first) and index < len(second):
                    yield from _undone(below, first[index], second[index], (*path, index))
    elif _same(ancestor, second) and not _same(first, second):
        yield path


def _same(one: Json, other: Json) -> bool:
    return type(one) is type(other) and one == other
