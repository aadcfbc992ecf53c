"""The family as an SVG picture that fits a light and a dark page."""

from __future__ import annotations

from typing import TYPE_CHECKING
from xml.sax.saxutils import escape

from ajkit.cli.pictures.layout import lay_out
from ajkit.cli.terminal import one_line, width

if TYPE_CHECKING:
    from ajkit.shared.template.pictures.family import Family

LETTER, BOX, ROW, GAP, PAD, MARGIN = 7.5, 30, 44, 64, 14, 16
STOP = 12
"""The height that an edge takes where it passes a column."""

STYLE = """\
  <style>
    .box { fill: #ffffff; stroke: #8c959f; }
    .leaf { fill: #ddf4ff; stroke: #0969da; stroke-width: 1.5; }
    .edge { fill: none; stroke: #8c959f; stroke-width: 1.2; }
    .cycle { stroke: #cf222e; stroke-dasharray: 4 3; }
    .tip { fill: #8c959f; }
    text { fill: #1f2328; font: 12.5px ui-monospace, SFMono-Regular, Menlo, Consolas, monospace; }
    @media (prefers-color-scheme: dark) {
      .box { fill: #161b22; stroke: #6e7681; }
      .leaf { fill: #0c2d6b; stroke: #58a6ff; }
      .edge { stroke: #6e7681; }
      .cycle { stroke: #ff7b72; }
      .tip { fill: #6e7681; }
      text { fill: #e6edf3; }
    }
  </style>
"""

TIP = """\
  <defs>
    <marker id="tip" viewBox="0 0 8 8" refX="8" refY="4" markerWidth="7" markerHeight="7" orient="auto">
      <path class="tip" d="M0 0 8 4 0 8Z"/>
    </marker>
  </defs>
"""


def svg_text(family: Family) -> str:
    """The whole picture; templates left, their deepest bases right. Hovering a box shows its path."""
    layout = lay_out(family)
    spot: dict[str, tuple[float, float, float]] = {}
    x = float(MARGIN)
    tallest = max((_height(column) for column in layout.columns), default=0.0)
    for column in layout.columns:
        wide = max((_width(slot) for slot in column), default=0.0)
        y = MARGIN + (tallest - _height(column)) / 2
        for slot in column:
            step = _step(slot)
            spot[slot] = (x, y + step / 2, wide if slot.startswith("\0") else _width(slot))
            y += step
        x += wide + GAP
    total, high = max(x - GAP + MARGIN, 2 * MARGIN), tallest + 2 * MARGIN
    size = f'width="{total:g}" height="{high:g}" viewBox="0 0 {total:g} {high:g}"'
    parts = [
        f'<svg xmlns="http://www.w3.org/2000/svg" {size} role="img">\n',
        "  <title>Who extends whom</title>\n",
        STYLE,
        TIP,
    ]
    for edge, route in sorted(layout.routes.items()):
        kind = "edge cycle" if edge in layout.backward else "edge"
        parts.append(f'  <path class="{kind}" marker-end="url(#tip)" d="{_path([spot[each] for each in route])}"/>\n')
    for member in family.members.values():
        left, middle, wide = spot[member.name]
        kind = "box leaf" if member.leaf else "box"
        parts.append(
            f'  <g><title>{_clean(member.path)}</title><rect class="{kind}" x="{left:g}" y="{middle - BOX / 2:g}" '
            f'width="{wide:g}" height="{BOX}" rx="6"/>'
            f'<text x="{left + PAD:g}" y="{middle + 4.5:g}">{_clean(member.name)}</text></g>\n'
        )
    parts.append("</svg>\n")
    return "".join(parts)


def _width(slot: str) -> float:
    return 0.0 if slot.startswith("\0") else width(one_line(slot)) * LETTER + 2 * PAD


def _step(slot: str) -> int:
    return STOP if slot.startswith("\0") else ROW


def _height(column: list[str]) -> float:
    return float(sum(_step(slot) for slot in column))


def _path(spots: list[tuple[float, float, float]]) -> str:
    """A smooth line from the right side of the first box, straight through each stop, to the left side of the last."""
    (left, middle, wide), *stops, (end_x, end_y, _) = spots
    x, y = left + wide, middle
    steps = [f"M{x:g} {y:g}"]
    if end_x <= left:
        # Back to an earlier column: a bow below both boxes.
        low = max(y, end_y) + ROW / 2
        return f"M{left:g} {y:g}C{left - GAP:g} {low:g} {end_x - GAP / 2:g} {low:g} {end_x:g} {end_y:g}"
    for stop_x, stop_y, stop_wide in stops:
        steps += [_curve(x, y, stop_x, stop_y), f"H{stop_x + stop_wide:g}"]
        x, y = stop_x + stop_wide, stop_y
    steps.append(_curve(x, y, end_x, end_y))
    return "".join(steps)


def _curve(x: float, y: float, to_x: float, to_y: float) -> str:
    half = (x + to_x) / 2
    return f"C{half:g} {y:g} {half:g} {to_y:g} {to_x:g} {to_y:g}"


def _clean(text: str) -> str:
    return escape(one_line(text))
