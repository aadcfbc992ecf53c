"""Definition and declaration: a base name leads to its file, a key to what it shadows, a script to itself."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any

from ajkit.lsp.locations import locations
from ajkit.lsp.mentions import mentioned_path
from ajkit.lsp.spans import beginning, unquoted
from ajkit.shared.template.names import base_path, dotted_file
from ajkit.shared.template.query import base_at, spot_at
from ajkit.shared.where import Span

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ajkit.lsp.capabilities import Client
    from ajkit.lsp.session import Session
    from ajkit.lsp.view import View
    from ajkit.shared.template.query import Spot
    from ajkit.shared.template.source import BaseRef


def definition(session: Session, client: Client, params: dict[str, Any]) -> list[dict[str, Any]] | None:
    """`textDocument/definition`: a base name to its file, a key to what it shadows, a script to itself."""
    found = session.at(params)
    if found is None:
        return None
    view, offset = found
    ref = base_at(view.file, offset)
    if ref is not None:
        return locations(session, client, _name_part(view, ref, offset), _base_targets(session, view, ref, offset))
    spot = spot_at(view.file, offset)
    if spot is None or not spot.in_config:
        return None
    source = view.file.document.span(spot.entry if spot.on_key and spot.entry else spot.node)
    path = mentioned_path(view, spot, offset)
    if path is not None:
        return locations(session, client, source, [beginning(path)])
    return locations(session, client, source, shadowed(view, spot))


def declaration(session: Session, client: Client, params: dict[str, Any]) -> list[dict[str, Any]] | None:
    """`textDocument/declaration`: the root that set a key first."""
    found = session.at(params)
    if found is None:
        return None
    view, offset = found
    spot = spot_at(view.file, offset)
    if spot is None or not spot.in_config:
        return definition(session, client, params)
    trail = view.resolved.trail(spot.config_path)
    if trail is None:
        return None
    first = trail.overrode[-1] if trail.overrode else (trail.contributors or (trail.winner,))[0]
    place = first.key or first.span
    source = view.file.document.span(spot.entry if spot.on_key and spot.entry else spot.node)
    return locations(session, client, source, [place] if place else [])


def shadowed(view: View, spot: Spot) -> list[Span]:
    """What a written key shadows, nearest first; where it shadows nothing, the places that make up its value."""
    trail = view.resolved.trail(spot.config_path)
    if trail is None:
        return []
    own = (spot.node.start, spot.node.end)
    others = [
        origin.key or origin.span
        for origin in (*trail.overrode, *trail.contributors[::-1], trail.winner)
        if origin.span and not (origin.span.path == view.path and (origin.span.start, origin.span.end) == own)
    ]
    return list(dict.fromkeys(others))


def _base_targets(session: Session, view: View, ref: BaseRef, offset: int) -> Iterable[Span]:
    """The file of a base name; with the cursor on an earlier segment of a dotted name, the files of that folder.

    The file of the name itself comes first: some editors go to the first place without asking.
    """
    folder = posixpath.dirname(view.file.real)
    home = view.home
    steps = ref.name.split(".")
    segment = _segment(ref, offset)
    path = base_path(ref.name, folder, home)
    if home and segment < len(steps) - 1:
        inside = posixpath.join(home, *steps[: segment + 1])
        files = [posixpath.join(inside, each) for each in session.files.names(inside) if each.endswith(".yaml")]
        return [beginning(each) for each in sorted(files, key=lambda each: each != path)]
    if path is None or session.files.kind(path) != "file":
        other = dotted_file(session.files, ref.name, folder, home) if "." in ref.name else None
        return [beginning(other)] if other else []
    return [beginning(session.engine.shown(path, home))]


def _segment(ref: BaseRef, offset: int) -> int:
    written = ref.span.written
    return written[: max(0, offset - ref.span.start)].count(".")


def _name_part(view: View, ref: BaseRef, offset: int) -> Span:
    """The part of a base name that a link underlines: without quotes, up to the segment the cursor is in."""
    span = unquoted(ref.span)
    if "." not in ref.name or not view.home:
        return span
    cut = span.written.find(".", max(0, offset - span.start))
    return span if cut < 0 else Span(span.text, span.start, span.start + cut)
