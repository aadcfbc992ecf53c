"""The history of a value in the words of a hover: who won, what that replaced, by which rule, along which road."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ajkit.shared.template.brief import brief
from ajkit.shared.template.secrets import masked
from ajkit.shared.where import Rule

if TYPE_CHECKING:
    from ajkit.lsp.markup import Markup
    from ajkit.shared.where import Origin, Trail

ITEMS = 20
"""How many parts of a merged value are listed."""


def provenance(markup: Markup, trail: Trail) -> None:
    """The winner, what it replaced nearest first, the parts of a merged value, the rule."""
    name = str(trail.path[-1]) if trail.path else ""
    if trail.rule in (Rule.CONCAT, Rule.POSITION, Rule.UNION):
        for each in trail.contributors[:ITEMS]:
            markup.item(f"{_brief(markup, each, name)} — {whence(markup, each)}")
        if len(trail.contributors) > ITEMS:
            markup.item(f"… and {len(trail.contributors) - ITEMS} more")
    else:
        markup.item(f"{_brief(markup, trail.winner, name)} — {whence(markup, trail.winner)}")
    for each in trail.overrode:
        markup.item(f"replaces {_brief(markup, each, name)} — {whence(markup, each)}")
    markup.line(markup.aside(trail.rule.value))


def whence(markup: Markup, origin: Origin) -> str:
    """Where an origin stands, whether that is saved, and the road of base names that leads there."""
    unsaved = " (unsaved)" if origin.span and markup.is_unsaved(origin.span.path) else ""
    road = f" via {' → '.join(origin.road)}" if origin.road else ""
    more = f" (by {origin.roads} roads)" if origin.roads > 1 else ""
    return f"{markup.place(origin)}{unsaved}{road}{more}"


def _brief(markup: Markup, origin: Origin, name: str) -> str:
    return markup.code(brief(masked(origin.value, name)))
