"""Differences of merged configs as people and machines read them, secrets masked."""

from __future__ import annotations

from typing import TYPE_CHECKING

from click import style

from ajkit.cli.origins import said
from ajkit.cli.terminal import one_line
from ajkit.cli.trails import brief
from ajkit.shared.template.changes import GONE, item_changes
from ajkit.shared.template.secrets import masked
from ajkit.shared.where import Missing, format_keypath

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ajkit.shared.template.changes import Change
    from ajkit.shared.template.resolve import Resolved
    from ajkit.shared.where import Json

ABSENT = "not set"


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
            lines.append(f"  {name}: {_shown(each, each.before)} → {_shown(each, each.after)}  {at}")
    return "".join(f"{line}\n" for line in lines)


def _shown(change: Change, value: Json | Missing) -> str:
    return ABSENT if isinstance(value, Missing) else brief(_masked(change, value))


def _masked(change: Change, value: Json) -> Json:
    return masked(value, str(change.path[-1]) if change.path else "")


def _place(change: Change, before: Resolved, after: Resolved, folder: str) -> str:
    """Who made the change: what sets the value now, else what set it before."""
    found = after.winner(change.path) or before.winner(change.path)
    return one_line(said(found, folder)) if found else ""


def _list_lines(change: Change, before: Resolved, after: Resolved, folder: str) -> Iterator[str]:
    """The items that went and came, each with the place that wrote it."""
    for sign, index, value in item_changes(change):
        winner = (before if sign == GONE else after).winner((*change.path, index))
        at = style(one_line(said(winner, folder)), fg="cyan") if winner else ""
        yield f"{style(f'{sign} {brief(_masked(change, value))}', fg='red' if sign == GONE else 'green')}  {at}"


def changes_data(found: list[Change], before: Resolved, after: Resolved, folder: str) -> list[Json]:
    """Changes for machines: key path, kind, the values that are set, and the place that made it so."""
    data: list[Json] = []
    for each in found:
        entry: dict[str, Json] = {"keypath": format_keypath(each.path)}
        if isinstance(each.before, Missing):
            entry["change"] = "set"
        else:
            entry["change"] = "unset" if isinstance(each.after, Missing) else "changed"
            entry["before"] = _masked(each, each.before)
        if not isinstance(each.after, Missing):
            entry["after"] = _masked(each, each.after)
        entry["at"] = _place(each, before, after, folder)
        data.append(entry)
    return data
