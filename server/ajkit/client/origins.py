"""Where the fields of a planned job came from, in words that travel with it to people who have no templates."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

from ajkit.shared.contract import ORIGIN_TEXT, ORIGINS, FieldOrigins
from ajkit.shared.job.render import fields_of
from ajkit.shared.where import KeyPath, format_keypath, walk

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ajkit.shared.job.plan import Plan
    from ajkit.shared.job.spec import JobSpec
    from ajkit.shared.job.trails import FieldSource

WHOLE = frozenset({"sources", "template", "extra", "version"})
"""Fields whose parts say nothing of interest, one by one."""


def origins_of(plan: Plan) -> list[FieldOrigins]:
    """The origins of every field of a plan's JobSpec that has a value, secrets masked, paths from the project folder.

    Raises:
        Refused: the plan has no JobSpec.
    """
    spec = plan.require()
    found = []
    for path in _paths(spec):
        field = format_keypath(path)
        trail = plan.trail(field)
        if trail is not None:
            made = " and ".join(_said(each, plan.resolved.project) for each in trail.sources)
            over = [_cut(_said(each, plan.resolved.project)) for each in trail.over]
            note = f" ({trail.note})" if trail.note else ""
            found.append(FieldOrigins(field=_cut(field), made=_cut(f"{made}{note}"), over=over[:ORIGINS]))
    return found[:ORIGINS]


def _paths(spec: JobSpec) -> Iterator[KeyPath]:
    """The fields that have a value; of mappings each value, of lists the whole."""
    for name, value in fields_of(spec).items():
        if value in (None, {}, []):
            continue
        if name in WHOLE or not isinstance(value, dict):
            yield (name,)
            continue
        for path, below in walk(value, (name,)):
            inside_list = any(isinstance(step, int) for step in path)
            if below not in (None, {}, []) and not inside_list and not isinstance(below, dict):
                yield path


def _said(source: FieldSource, project: str) -> str:
    """A source in words; files as seen from the project folder."""
    origin = source.origin
    if origin is None:
        return source.words.replace(f"{project}/", "")
    if origin.span is None or not origin.span.path.startswith("/"):
        return f"{source.words} at {origin.label}"
    return f"{source.words} at {os.path.relpath(origin.span.path, project)}:{origin.span.first.line + 1}"


def _cut(text: str) -> str:
    return text if len(text) <= ORIGIN_TEXT else f"{text[: ORIGIN_TEXT - 1]}…"
