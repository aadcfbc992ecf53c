"""Hover: what a key is worth here, who set it, what that overrode, by which rule, along which road."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ajkit.lsp.markup import Markup
from ajkit.shared.template.brief import brief
from ajkit.shared.template.query import spot_at
from ajkit.shared.where import Rule, format_keypath

if TYPE_CHECKING:
    from ajkit.lsp.capabilities import Client
    from ajkit.lsp.session import Session
    from ajkit.lsp.view import View
    from ajkit.shared.template.query import Spot
    from ajkit.shared.where import Origin


def hover(session: Session, client: Client, params: dict[str, Any]) -> dict[str, Any] | None:
    """`textDocument/hover`."""
    found = session.at(params)
    if found is None:
        return None
    view, offset = found
    spot = spot_at(view.file, offset)
    if spot is None or not spot.in_config:
        return None
    markup = Markup(session.uri_of, markdown=client.markdown)
    _value(markup, view, spot)
    return {"contents": markup.contents(), "range": view.file.document.span(spot.entry or spot.node)}


def _value(markup: Markup, view: View, spot: Spot) -> None:
    trail = view.resolved.trail(spot.config_path)
    if trail is None:
        return
    markup.title(format_keypath(spot.config_path))
    markup.line(f"{markup.code(brief(trail.value))} {_from(markup, trail.winner)}")
    for each in trail.overrode:
        markup.line(f"replaces {markup.code(brief(each.value))} {_from(markup, each)}")
    if trail.rule in (Rule.CONCAT, Rule.POSITION, Rule.UNION):
        for each in trail.contributors:
            markup.line(f"with {markup.code(brief(each.value))} {_from(markup, each)}")
    markup.line(trail.rule.value)


def _from(markup: Markup, origin: Origin) -> str:
    road = f" via {' → '.join(origin.road)}" if origin.road else ""
    return f"— {markup.place(origin)}{road}"
