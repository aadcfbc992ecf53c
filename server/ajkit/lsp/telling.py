"""Problems, origins and trails as the plain values of a command's answer; spans stand for ranges."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ajkit.lsp.diagnostics import diagnostic
from ajkit.shared.template.secrets import mask, masked
from ajkit.shared.where import format_keypath

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ajkit.lsp.session import Session
    from ajkit.shared.job.trails import FieldSource, FieldTrail
    from ajkit.shared.problem import Problem
    from ajkit.shared.where import Origin, Trail

VERSION = 1
"""Of every answer; raised when members change their meaning."""


def versioned(**members: Any) -> dict[str, Any]:
    """An answer."""
    return {"version": VERSION, **members}


def problems_data(session: Session, problems: Iterable[Problem]) -> list[dict[str, Any]]:
    """Problems as diagnostics that say their document; both are null for those of the request itself."""
    return [
        {"uri": session.uri_of(each.span.path) if each.span and _in_file(each.span.path) else None}
        | diagnostic(each, session.uri_of, session.page)
        | ({} if each.span and _in_file(each.span.path) else {"range": None})
        for each in problems
    ]


def origin_data(session: Session, origin: Origin, name: str) -> dict[str, Any]:
    """Who wrote a value: the document and range, or the option that set it; secrets masked."""
    span = origin.span
    in_file = span is not None and span.path == origin.label
    return {
        "label": origin.label if in_file else mask(origin.label),
        "uri": session.uri_of(origin.label) if in_file else None,
        "range": (origin.key or span) if in_file else None,
        "value": masked(origin.value, name),
        "road": list(origin.road),
        "roads": origin.roads,
    }


def trail_data(session: Session, trail: Trail) -> dict[str, Any]:
    """The history of a value of the merged config."""
    name = str(trail.path[-1]) if trail.path else ""
    return {
        "keypath": format_keypath(trail.path),
        "value": masked(trail.value, name),
        "rule": trail.rule.value,
        "winner": origin_data(session, trail.winner, name),
        "overrode": [origin_data(session, each, name) for each in trail.overrode],
        "contributors": [origin_data(session, each, name) for each in trail.contributors],
    }


def field_data(session: Session, field: FieldTrail) -> dict[str, Any]:
    """The history of a field of the JobSpec."""
    name = field.field.rpartition(".")[2]

    def told(sources: Iterable[FieldSource]) -> list[dict[str, Any]]:
        return [
            {"words": mask(each.words), "origin": origin_data(session, each.origin, name) if each.origin else None}
            for each in sources
        ]

    return {
        "field": field.field,
        "value": field.value,
        "sources": told(field.sources),
        "over": told(field.over),
        "note": field.note,
        "line": mask(str(field)),
    }


def _in_file(path: str) -> bool:
    return path.startswith(("/", "untitled:"))
