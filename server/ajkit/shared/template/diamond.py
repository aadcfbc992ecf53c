"""Diamonds: an ancestor reached through two bases of one file that doubles list items or undoes a sibling's value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ajkit.shared.problem import Problem, Related, problem
from ajkit.shared.template.faults import short
from ajkit.shared.template.merge import rule_of
from ajkit.shared.template.merged import Clash
from ajkit.shared.where import Missing, Rule, at, format_keypath

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ajkit.shared.template.merged import Inherited, Merged, Written
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


def _pair(file: TemplateFile, first: Inherited, second: Inherited, own: Written | None) -> Problem | None:
    meeting = first.merged.meeting(second.merged)
    clash = meeting.clash = meeting.clash or _clash(first.merged, second.merged)
    undone = [each for each in clash.undone if own is None or isinstance(at(own.value, each), Missing)]
    if not clash.doubled and not undone:
        return None
    home = _home_like(file.path, clash.shared[0])
    names = " and ".join(short(each, home) for each in clash.shared[:2])
    effects = []
    if undone:
        effects.append(f"undoes {_listed(undone)} of `{first.ref.name}`")
    if clash.doubled:
        effects.append(f"doubles the items of {_listed(clash.doubled)}")
    return problem(
        "merge.diamond",
        f"`{second.ref.name}` brings in {names} again, after `{first.ref.name}`: that {' and '.join(effects)}",
        second.ref.span,
        related=[Related(first.ref.span, f"`{first.ref.name}` brought it in first")],
    )


def _clash(first: Merged, second: Merged) -> Clash:
    """What the two bases do to each other in any file that names them in this order."""
    reached = first.reals()
    shared = [each for each in second.below() if each.file.real in reached]
    within = {base.file.real for each in shared for base in each.below() if base is not each}
    tops = [each for each in shared if each.file.real not in within]
    doubled = (path for each in tops for path in _doubled(each.value, first.value, second.value, ()))
    undone = (path for each in tops for path in _undone(each.value, first.value, second.value, ()))
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
