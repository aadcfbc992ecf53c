"""The history of a value in words, secrets masked: who set it, by which rule, along which road, what it overrode."""

from __future__ import annotations

import json
from dataclasses import replace
from typing import TYPE_CHECKING

from click import style

from ajkit.cli.origins import on_disk, said
from ajkit.cli.terminal import columns, one_line, visible
from ajkit.shared.template.secrets import masked
from ajkit.shared.where import Rule, format_keypath, parse_keypath

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ajkit.shared.job.trails import FieldSource, FieldTrail
    from ajkit.shared.template.resolve import Resolved
    from ajkit.shared.where import Json, Origin, Trail

VALUE_ROOM = 60
LISTED = 40
_MERGED = (Rule.UNION, Rule.CONCAT, Rule.POSITION)


def trail_text(trail: Trail, resolved: Resolved, folder: str) -> str:
    """The history of a value of the merged config, for people."""
    trail = _without_secrets(trail)
    head = f"{style(format_keypath(trail.path), bold=True)}{_whole(trail.value)}\n"
    rows = [["rule", trail.rule.value]]
    if trail.rule in _MERGED and len(trail.contributors) > 1:
        rows += _listed("from", trail.contributors, folder, values=False)
    else:
        rows += _listed("set by", [trail.winner], folder, values=False)
    if trail.overrode:
        rows += _listed("overrode", trail.overrode, folder, values=True)
    if not trail.overrode and trail.rule is Rule.ONLY:
        del rows[0]
    below = _below(trail, resolved, folder)
    return head + _indented(columns(rows)) + (_indented(columns(below)) if below else "")


def field_text(field: FieldTrail, folder: str) -> str:
    """The history of a field of the JobSpec, for people: what it was made of, and over what that went."""
    made = " and ".join(_source(each, folder) for each in field.sources)
    over = "".join(f", over {_source(each, folder)}" for each in field.over)
    note = f" ({field.note})" if field.note else ""
    return f"{style(field.field, bold=True)}{_whole(field.value)}\n  {visible(made + over + note)}\n"


def _source(source: FieldSource, folder: str) -> str:
    return source.words if source.origin is None else f"{source.words} at {said(source.origin, folder)}"


def trail_data(trail: Trail, folder: str) -> dict[str, Json]:
    """The history of a value, for machines."""
    trail = _without_secrets(trail)
    return {
        "keypath": format_keypath(trail.path),
        "value": trail.value,
        "rule": trail.rule.value,
        "winner": _origin_data(trail.winner, folder),
        "overrode": [_origin_data(each, folder) for each in trail.overrode],
        "contributors": [_origin_data(each, folder) for each in trail.contributors],
    }


def field_data(field: FieldTrail, folder: str) -> dict[str, Json]:
    """The history of a field of the JobSpec, for machines."""
    name = str(parse_keypath(field.field)[-1])

    def listed(sources: Iterable[FieldSource]) -> list[Json]:
        return [
            {"words": each.words, "origin": _origin_data(_hidden(each.origin, name), folder) if each.origin else None}
            for each in sources
        ]

    return {
        "field": field.field,
        "value": field.value,
        "sources": listed(field.sources),
        "over": listed(field.over),
        "note": field.note,
    }


def _without_secrets(trail: Trail) -> Trail:
    name = str(trail.path[-1])
    return replace(
        trail,
        value=masked(trail.value, name),
        winner=_hidden(trail.winner, name),
        overrode=tuple(_hidden(each, name) for each in trail.overrode),
        contributors=tuple(_hidden(each, name) for each in trail.contributors),
    )


def _hidden(origin: Origin, name: str) -> Origin:
    written = None if origin.written is None else str(masked(origin.written, name))
    return replace(origin, value=masked(origin.value, name), written=written)


def brief(value: Json) -> str:
    """A value in one short line."""
    match value:
        case dict():
            return f"a mapping of {_count(len(value), 'key')}" if value else "{}"
        case list():
            return f"a list of {_count(len(value), 'item')}" if value else "[]"
        case _:
            text = one_line(json.dumps(value, ensure_ascii=False))
            return text if len(text) <= VALUE_ROOM else f"{text[: VALUE_ROOM - 1]}…"


def _whole(value: Json) -> str:
    """A value after the name it has: a scalar whole, of a container its size."""
    if isinstance(value, dict | list):
        return f": {brief(value)}"
    return f" = {one_line(json.dumps(value, ensure_ascii=False))}"


def _count(number: int, word: str) -> str:
    return f"{number} {word}{'' if number == 1 else 's'}"


def _listed(word: str, origins: Iterable[Origin], folder: str, *, values: bool) -> list[list[str]]:
    rows = []
    for origin in origins:
        shown = [brief(origin.value)] if values else []
        roads = f" (one of {origin.roads} roads)" if origin.roads > 1 else ""
        road = f"through {' → '.join(map(one_line, origin.road))}{roads}" if origin.road else ""
        cells = [*shown, style(one_line(said(origin, folder)), fg="cyan"), road]
        rows.append([word, "  ".join(each for each in cells if each)])
        word = ""
    return rows


def _below(trail: Trail, resolved: Resolved, folder: str) -> list[list[str]]:
    """What a mapping or list holds, each with the place that set it."""
    if isinstance(trail.value, dict):
        steps: list[str | int] = list(trail.value)
    elif isinstance(trail.value, list):
        steps = list(range(len(trail.value)))
    else:
        return []
    rows = []
    for step in steps[:LISTED]:
        below = resolved.trail((*trail.path, step))
        if below is not None:
            name = format_keypath((step,))
            rows.append(
                [name, brief(masked(below.value, str(step))), style(one_line(said(below.winner, folder)), fg="cyan")]
            )
    if len(steps) > LISTED:
        rows.append(["…", f"{len(steps) - LISTED} more", ""])
    return rows


def _indented(text: str) -> str:
    return "".join(f"  {line}\n" for line in text.splitlines())


def _origin_data(origin: Origin, folder: str) -> dict[str, Json]:
    span = on_disk(origin)
    return {
        "at": said(origin, folder),
        "line": span.first.line + 1 if span else None,
        "value": origin.value,
        "written": origin.written,
        "road": list(origin.road),
        "roads": origin.roads,
    }
