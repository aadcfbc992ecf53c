"""What differs between two merged configs, key path by key path."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from click import style

from ajkit.cli.origins import said
from ajkit.cli.terminal import one_line
from ajkit.cli.trails import brief
from ajkit.shared.where import MISSING, Missing, format_keypath

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ajkit.shared.template.resolve import Resolved
    from ajkit.shared.where import Json, KeyPath

ABSENT = "not set"


@dataclass(frozen=True, slots=True)
class Change:
    """A value that differs: before and after, `MISSING` where it is not set."""

    path: KeyPath
    before: Json | Missing
    after: Json | Missing


def changes(before: Json | Missing, after: Json | Missing, path: KeyPath = ()) -> Iterator[Change]:
    """The differences, as deep as they go: mappings key by key, lists with mappings item by item, other lists whole."""
    if isinstance(before, dict) and isinstance(after, dict):
        for key in {**before, **after}:
            yield from changes(before.get(key, MISSING), after.get(key, MISSING), (*path, key))
    elif isinstance(before, list) and isinstance(after, list) and _has_mapping(before) and _has_mapping(after):
        for index in range(max(len(before), len(after))):
            one = before[index] if index < len(before) else MISSING
            other = after[index] if index < len(after) else MISSING
            yield from changes(one, other, (*path, index))
    elif _differs(before, after):
        yield Change(path, before, after)


def _has_mapping(items: list[Json]) -> bool:
    return any(isinstance(each, dict) for each in items)


def _differs(one: Json | Missing, other: Json | Missing) -> bool:
    """Whether two values differ; ``1`` and ``true`` do."""
    if isinstance(one, Missing) or isinstance(other, Missing):
        return one is not other
    return json.dumps(one, sort_keys=True) != json.dumps(other, sort_keys=True)


def changes_text(found: list[Change], before: Resolved, after: Resolved, folder: str) -> str:
    """Changes for people, each with the place that made it so; of lists the lines that came and went."""
    lines = []
    for each in found:
        name = style(format_keypath(each.path), bold=True)
        if isinstance(each.before, list) and isinstance(each.after, list):
            lines.append(f"  {name}:")
            lines += [f"    {line}" for line in _list_lines(each, before, after, folder)]
        else:
            at = style(_place(each, before, after, folder), fg="cyan")
            lines.append(f"  {name}: {_shown(each.before)} → {_shown(each.after)}  {at}")
    return "".join(f"{line}\n" for line in lines)


def _shown(value: Json | Missing) -> str:
    return ABSENT if isinstance(value, Missing) else brief(value)


def _place(change: Change, before: Resolved, after: Resolved, folder: str) -> str:
    """Who made the change: what sets the value now, else what set it before."""
    found = after.winner(change.path) or before.winner(change.path)
    return one_line(said(found, folder)) if found else ""


def _list_lines(change: Change, before: Resolved, after: Resolved, folder: str) -> Iterator[str]:
    """The items that went and came, each with the place that wrote it."""
    from difflib import SequenceMatcher

    assert isinstance(change.before, list)
    assert isinstance(change.after, list)
    old, new = [brief(each) for each in change.before], [brief(each) for each in change.after]

    def lines(sign: str, texts: list[str], start: int, end: int, resolved: Resolved) -> Iterator[str]:
        for index in range(start, end):
            winner = resolved.winner((*change.path, index))
            at = style(one_line(said(winner, folder)), fg="cyan") if winner else ""
            yield f"{style(f'{sign} {texts[index]}', fg='red' if sign == '-' else 'green')}  {at}"

    for kind, start, end, to_start, to_end in SequenceMatcher(None, old, new, autojunk=False).get_opcodes():
        if kind != "equal":
            yield from lines("-", old, start, end, before)
            yield from lines("+", new, to_start, to_end, after)


def changes_data(found: list[Change], before: Resolved, after: Resolved, folder: str) -> list[Json]:
    """Changes for machines: key path, kind, the values that are set, and the place that made it so."""
    data: list[Json] = []
    for each in found:
        entry: dict[str, Json] = {"keypath": format_keypath(each.path)}
        if isinstance(each.before, Missing):
            entry["change"] = "set"
        else:
            entry["change"] = "unset" if isinstance(each.after, Missing) else "changed"
            entry["before"] = each.before
        if not isinstance(each.after, Missing):
            entry["after"] = each.after
        entry["at"] = _place(each, before, after, folder)
        data.append(entry)
    return data
