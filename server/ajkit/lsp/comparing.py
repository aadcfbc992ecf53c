"""Two readings of a template compared: what differs in what it comes to, as data and as lines for a person."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ajkit.disk import DiskFiles
from ajkit.lsp.failure import RequestFailed
from ajkit.lsp.telling import origin_data
from ajkit.lsp.threads import in_thread
from ajkit.revision import Git, RestoredFiles
from ajkit.shared.problem import UsageError
from ajkit.shared.template.brief import brief
from ajkit.shared.template.changes import GONE, item_changes
from ajkit.shared.template.secrets import masked
from ajkit.shared.where import Missing, format_keypath

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ajkit.engine import Engine
    from ajkit.lsp.session import Session
    from ajkit.shared.template.changes import Change
    from ajkit.shared.template.resolve import Resolved
    from ajkit.shared.where import Json, Origin

LISTED = 100
"""How many changes of one template are told."""
ABSENT = "not set"


async def engine_before(session: Session, folder: str, revision: str | None) -> Engine:
    """An engine that sees the files as they are on disk, without open buffers, or as they were at a git revision.

    Raises:
        RequestFailed: there is no such revision.
    """
    below = session.files.below
    # One that is shared would take the files for looked at: changes from outside would not be noticed any more.
    fresh = DiskFiles() if isinstance(below, DiskFiles) else below
    if revision is None:
        return session.engine_over(fresh)

    def changed() -> dict[str, bytes | None]:
        return Git.around(folder, session.surroundings.environ).changed(revision)

    try:
        return session.engine_over(RestoredFiles(await in_thread(changed), fresh))
    except UsageError as error:
        raise RequestFailed(str(error)) from error


def changes_data(session: Session, found: list[Change], before: Resolved, after: Resolved) -> dict[str, Any]:
    """Changes as data: each with its values, secrets masked, and who made it so; `more` are those left out."""
    listed = [_change_data(session, each, before, after) for each in found[:LISTED]]
    return {"changes": listed, "more": len(found) - len(listed)}


def _change_data(session: Session, change: Change, before: Resolved, after: Resolved) -> dict[str, Any]:
    name = str(change.path[-1]) if change.path else ""
    told: dict[str, Any] = {"keypath": format_keypath(change.path)}
    if isinstance(change.before, Missing):
        told["change"] = "set"
    else:
        told["change"] = "unset" if isinstance(change.after, Missing) else "changed"
        told["before"] = masked(change.before, name)
    if not isinstance(change.after, Missing):
        told["after"] = masked(change.after, name)
    maker = _maker(change, before, after)
    return told | {"origin": origin_data(session, maker, name) if maker else None}


def _maker(change: Change, before: Resolved, after: Resolved) -> Origin | None:
    """Who made a change: what sets the value now, else what set it before."""
    return after.winner(change.path) or before.winner(change.path)


def changes_lines(found: list[Change], before: Resolved, after: Resolved) -> Iterator[str]:
    """Changes as lines of text, each with the place that made it so; of lists the items that went and came."""
    for each in found[:LISTED]:
        name = str(each.path[-1]) if each.path else ""
        keypath = format_keypath(each.path)
        if isinstance(each.before, list) and isinstance(each.after, list):
            yield f"{keypath}:"
            for sign, index, value in item_changes(each):
                winner = (before if sign == GONE else after).winner((*each.path, index))
                yield f"  {sign} {brief(masked(value, name))}{_place(winner)}"
        else:
            one, other = (_shown(value, name) for value in (each.before, each.after))
            yield f"{keypath}: {one} → {other}{_place(_maker(each, before, after))}"
    if len(found) > LISTED:
        yield f"and {len(found) - LISTED} more"


def _shown(value: Json | Missing, name: str) -> str:
    return ABSENT if isinstance(value, Missing) else brief(masked(value, name))


def _place(origin: Origin | None) -> str:
    return f"  ({str(origin).rpartition('/')[2]})" if origin else ""
