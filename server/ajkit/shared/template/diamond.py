"""Diamonds: an ancestor reached through two bases of one file that doubles list items or undoes a sibling's value."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ajkit.shared.problem import Problem, Related, problem
from ajkit.shared.template.faults import short
from ajkit.shared.template.merge import rule_of
from ajkit.shared.where import MISSING, Missing, Rule, at, format_keypath

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ajkit.shared.template.merged import Inherited, Merged, Written
    from ajkit.shared.template.source import TemplateFile
    from ajkit.shared.where import Json, KeyPath

_NAMED = 4
"""How many key paths one message names."""


def diamonds(file: TemplateFile, bases: list[Inherited], own: Written | None) -> Iterator[Problem]:
    """One warning per base name that brings an ancestor in again with effect, on the later name."""
    reach = [_reach(each.merged) for each in bases]
    for later in range(1, len(bases)):
        for earlier in range(later):
            found = _pair(file, bases[earlier], bases[later], reach[earlier], reach[later], own)
            if found:
                yield found
                break


def _reach(merged: Merged) -> dict[str, Merged]:
    return {each.file.real: each for each in merged.below()}


def _pair(
    file: TemplateFile,
    first: Inherited,
    second: Inherited,
    reach: dict[str, Merged],
    again: dict[str, Merged],
    own: Written | None,
) -> Problem | None:
    shared = [real for real in again if real in reach]
    if not shared:
        return None
    below_shared = {each.file.real for real in shared for base in again[real].bases() for each in base.below()}
    doubled: list[str] = []
    undone: list[str] = []
    for real in shared:
        if real in below_shared:
            continue
        ancestor = again[real]
        for path in _doubled(ancestor.value, first.value, second.value, ()):
            if format_keypath(path) not in doubled:
                doubled.append(format_keypath(path))
        undone += [
            format_keypath(path)
            for path in _undone(ancestor.value, first.value, second.value, ())
            if own is None or isinstance(at(own.value, path), Missing)
        ]
    if not doubled and not undone:
        return None
    tops = [again[real] for real in shared if real not in below_shared]
    home = _home_like(file, tops[0])
    names = " and ".join(short(each.file.path, home) for each in tops[:2])
    effects = []
    if undone:
        effects.append(f"undoes {_listed(undone)} of `{first.ref.name}`")
    if doubled:
        effects.append(f"doubles the items of {_listed(doubled)}")
    return problem(
        "merge.diamond",
        f"`{second.ref.name}` brings in {names} again, after `{first.ref.name}`: that {' and '.join(effects)}",
        second.ref.span,
        related=[Related(first.ref.span, f"`{first.ref.name}` brought it in first")],
    )


def _home_like(file: TemplateFile, ancestor: Merged) -> str | None:
    """The longest folder that holds both files: messages then show short paths."""
    one, two = file.path.split("/"), ancestor.file.path.split("/")
    same = next((i for i, (a, b) in enumerate(zip(one, two, strict=False)) if a != b), 0)
    return "/".join(one[:same]) or None


def _listed(paths: list[str]) -> str:
    shown = ", ".join(f"`{each}`" for each in paths[:_NAMED])
    return shown if len(paths) <= _NAMED else f"{shown} and {len(paths) - _NAMED} more"


def _doubled(ancestor: Json, first: Json, second: Json, path: KeyPath) -> Iterator[KeyPath]:
    """Key paths of non-empty lists of the ancestor that both bases hand on and that will be concatenated."""
    if isinstance(ancestor, dict) and isinstance(first, dict) and isinstance(second, dict):
        for key, below in ancestor.items():
            if key in first and key in second:
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
    return any(item in handed_on for item in ancestor)


def _undone(ancestor: Json, first: Json, second: Json, path: KeyPath) -> Iterator[KeyPath]:
    """Key paths where the first base changed the ancestor's value and the second one brings the old value back."""
    if isinstance(ancestor, dict) and isinstance(second, dict):
        for key, below in ancestor.items():
            if key in second:
                changed = first.get(key, MISSING) if isinstance(first, dict) else MISSING
                if not isinstance(changed, Missing):
                    yield from _undone(below, changed, second[key], (*path, key))
    elif isinstance(ancestor, list) and isinstance(second, list):
        if isinstance(first, list) and rule_of([first, second]) is Rule.POSITION:
            for index, below in enumerate(ancestor):
                if index < len(first) and index < len(second):
                    yield from _undone(below, first[index], second[index], (*path, index))
    elif _same(ancestor, second) and not _same(first, second):
        yield path


def _same(one: Json, other: Json) -> bool:
    return type(one) is type(other) and one == other
