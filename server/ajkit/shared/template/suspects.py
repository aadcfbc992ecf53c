"""Which lines may be to blame for what the parser stumbled over, the likeliest first."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ajkit.shared.template.complaints import Kind
from ajkit.shared.template.standing import believable, standing
from ajkit.shared.template.tree import Mapping as MappingNode
from ajkit.shared.template.tree import Scalar

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ajkit.shared.template.attempt import Attempt, Fault
    from ajkit.shared.template.indents import Indents
    from ajkit.shared.template.tree import Node
    from ajkit.shared.where import Text


def suspects(text: Text, result: Attempt, fault: Fault, indents: Indents, mended: Mapping[int, str]) -> list[int]:
    """Lines to mend, the likeliest first; `mended` are lines that are read differently already."""
    at = text.position(fault.at).line
    began = text.position(fault.began).line
    above = indents.above(at)
    root = result.composer.root
    swallowed = swallower(text, root, fault)
    order: list[int | None]
    if swallowed is not None:
        order = [swallowed, at]
    elif fault.kind in {Kind.COLON, Kind.QUOTE}:
        order = [began, at, above]
    elif fault.kind is Kind.FLOW:
        place = standing(text, root, at, mended)
        outermost = text.position(place.opened[0][1]).line if place.opened else began
        if indents.line(at).blank or not believable(text, place, at):
            order = [outermost, began, above, at]
        else:
            order = [began, above, outermost, at]
    elif fault.kind is Kind.TOO_DEEP:
        order = _too_deep(at, above, indents)
    elif fault.kind is Kind.MISPLACED:
        order = _not_aligned(at, began, indents)
    else:
        order = [at, above, began]
    return [each for each in dict.fromkeys(order) if each is not None]


def swallower(text: Text, root: Node | None, fault: Fault) -> int | None:
    """The line of a quote that was closed only by the opening quote of a later text, right where the parser gave up."""
    node = root
    while node is not None and not isinstance(node, Scalar):
        if isinstance(node, MappingNode):
            node = next(reversed(node.entries.values())).node if node.entries else None
        else:
            node = node.items[-1] if node.items else None
    if node is None or not text.content.startswith(('"', "'"), node.start):
        return None
    first, last = text.position(node.start).line, text.position(node.end).line
    return first if first < last == text.position(fault.at).line else None


def _too_deep(at: int, above: int | None, indents: Indents) -> list[int | None]:
    """A key that stands deeper than the line above it, which has a value already."""
    if above is None or indents.line(at).tail is not None:
        return [at, above]
    below = indents.below(at)
    if indents.is_parent(at) and below is not None and indents.indent(below) == indents.indent(at):
        return [at, above]
    farther = indents.above(above)
    aligned = farther is not None and indents.line(farther).body == indents.line(at).body
    if indents.line(above).key is None or aligned or indents.below_alike(at) > 1:
        return [above, at]
    return [at, above]


def _not_aligned(at: int, began: int, indents: Indents) -> list[int | None]:
    """A line that stands in no column that is open: the odd one out is the one with the fewer neighbours alike."""
    above = indents.above(at)
    if above is not None and indents.indent(at) > indents.line(above).body:
        return [*_too_deep(at, above, indents), began]
    before = indents.above_alike(at)
    many = indents.below_alike(at) > 1
    if len(before) == 1 and many:
        return [before[0], at, began]
    if many and indents.indent(began) < indents.indent(at) and indents.below_alike(began) == 1:
        return [began, at, above]
    return [at, above, began]
