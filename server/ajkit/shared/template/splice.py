"""The document of a text that was edited, made from the one before: only what surrounds the edit is parsed again.

What comes out is what a parse of the whole text gives, or nothing where that is not certain: then the whole text has
to be parsed. A tree of twenty thousand lines is so followed in a tenth of the time.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from itertools import islice
from typing import TYPE_CHECKING, NamedTuple, TypeGuard

from ajkit.shared.problem import Edit, Fix, Problem, Related
from ajkit.shared.template.attempt import NODES_LIMIT, attempt
from ajkit.shared.template.collector import collector_paused
from ajkit.shared.template.complaints import Kind
from ajkit.shared.template.graft import Place, children, count, grafted, move
from ajkit.shared.template.parse import parse
from ajkit.shared.template.tree import Document, Mapping, Sequence
from ajkit.shared.where import Span, Text

if TYPE_CHECKING:
    from ajkit.shared.template.tree import Node

REACH = 6_000
"""How many characters are parsed again, at least: what a half-typed line means shows in the lines around it."""
WORTH = 2
"""How many times as long a text has to be as what is parsed again."""

_CHUNK = 4_096
_UNUSUAL = re.compile(
    "[^\t\n\r\x20-\x7e\xa0-\u2027\u202a-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]|\r(?!\n)"
)
_MARKER = re.compile(r"^(?:---|\.\.\.|%|<{7}|={7}|>{7}|\|{7})", re.MULTILINE)
_MERGE_KEY = re.compile(r"<<[\"']?[ \t]*:")
_BEFORE_NAME = frozenset(" \t\r\n,[]{}:?-")
_LOCAL = frozenset({"yaml.syntax", "yaml.tag", "yaml.key"})
"""Problems that are said in the same words wherever they stand in a file."""
_SURE = 2
"""How many parses it takes when the first guess at what a line means is right."""


class Change(NamedTuple):
    """What became of a text: its characters from `start` to `old_end` are now those from `start` to `new_end`."""

    start: int
    old_end: int
    new_end: int

    @property
    def by(self) -> int:
        """How far what follows has moved."""
        return self.new_end - self.old_end


def spliced(before: Document, text: Text, hint: int | None, reach: int = REACH) -> Document | None:
    """The document of `text`, an edited version of the text of `before`, which has no problems; None where in doubt.

    `hint` is the zero-based line that was edited last, as for `parse`; at least `reach` characters are parsed again.
    """
    old, new = before.text.content, text.content
    if before.problems or before.broken or not WORTH * reach <= len(new) <= 2 * NODES_LIMIT or _shares(old):
        return None
    change = difference(old, new)
    place = _place(before, change, reach)
    if place is None or (place.end - place.begin) * WORTH > len(new):
        return None
    column = _column(place.container, old)
    first = place.begin + column if place.low else place.begin
    piece = " " * column + new[first : place.end + change.by]
    last = place.end == len(old)
    if change.start <= first or not (last or piece.endswith("\n")) or not _stands_alone(piece, column):
        return None
    above = _above(place, old)
    by = first - column - len(above)
    line = bisect_right(text.starts, first) - 1 - len(place.way)
    part = _parsed(Text(text.path, above + piece), None if hint is None else hint - line, last=last)
    root = _under(part, place, len(above) + column) if part else None
    if part is None or root is None:
        return None
    with collector_paused():
        move(root, by)
        whole = grafted(place, root, change.by)
    return Document(
        text,
        whole,
        tuple(_moved(each, text, by) for each in part.problems),
        tuple(each + line for each in part.broken),
        before.nodes
        + part.nodes
        - len(place.way)
        - 1
        - sum(map(count, children(place.container)[place.low : place.high])),
        part.parses,
    )


def difference(old: str, new: str) -> Change:
    """The shortest stretch that has to be changed to make one text of the other."""
    most = min(len(old), len(new))
    start = 0
    while start < most and old[start : start + _CHUNK] == new[start : start + _CHUNK]:
        start += _CHUNK
    start = min(start, most)
    while start < most and old[start] == new[start]:
        start += 1
    most -= start
    same = 0
    while same + _CHUNK <= most and _before_end(old, same) == _before_end(new, same):
        same += _CHUNK
    while same < most and old[-same - 1] == new[-same - 1]:
        same += 1
    return Change(start, len(old) - same, len(new) - same)


def _before_end(text: str, same: int) -> str:
    return text[len(text) - same - _CHUNK : len(text) - same]


def _shares(content: str) -> bool:
    """Whether a text may have anchors, aliases or merge keys, so that its parts depend on one another."""
    for sign in "&*":
        at = content.find(sign)
        while at >= 0:
            following = content[at + 1 : at + 2]
            if (following.isalnum() or following in "_-") and (at == 0 or content[at - 1] in _BEFORE_NAME):
                return True
            at = content.find(sign, at + 1)
    return "<<" in content and _MERGE_KEY.search(content) is not None


# -- where it is ----------------------------------------------------------------------------------------------------


def _place(before: Document, change: Change, reach: int) -> Place | None:
    """The deepest place that is larger than what is to be parsed again, narrowed to the neighbours of the change."""
    content = before.text.content
    way: list[tuple[Mapping | Sequence, int]] = []
    limit = len(content)
    container = before.root
    while isinstance(container, Mapping | Sequence) and _is_block(container, content):
        nodes = children(container)
        starts = _starts(container)
        index = bisect_right(starts, change.start) - 1
        if index < 0:
            return None
        following = _begin(container, index + 1, content) if index + 1 < len(nodes) else limit
        if following is None:
            return None
        child = nodes[index]
        inside = child.start < change.start and (change.old_end < following or following == len(content))
        if not inside or following - starts[index] <= reach or not isinstance(child, Mapping | Sequence):
            return _narrowed(tuple(way), container, change, limit, content, reach)
        way.append((container, index))
        container, limit = child, following
    return None


def _narrowed(
    way: tuple[tuple[Mapping | Sequence, int], ...],
    container: Mapping | Sequence,
    change: Change,
    limit: int,
    content: str,
    reach: int,
) -> Place | None:
    """The children that a change touches, one more on each side, and more until there is enough of them."""
    starts = [*_starts(container), limit]
    most = len(starts) - 1
    low = max(0, bisect_right(starts, change.start, 0, most) - 2)
    high = min(most, bisect_right(starts, change.old_end, 0, most) + 1)
    while starts[high] - starts[low] < reach and (low > 0 or high < most):
        low, high = max(0, low - 1), min(most, high + 1)
    begin = _begin(container, low, content) if low else container.start
    end = _begin(container, high, content) if high < most else limit
    if begin is None or end is None or change.old_end > end:
        return None
    return Place(way, container, low, high, begin, end)


def _is_block(node: Mapping | Sequence, content: str) -> bool:
    sign = content[node.start : node.start + 1]
    return sign == "-" if isinstance(node, Sequence) else sign not in "{!?&-"


def _starts(container: Mapping | Sequence) -> list[int]:
    if isinstance(container, Mapping):
        return [each.start for each in container.entries.values()]
    return [each.start for each in container.items]


def _begin(container: Mapping | Sequence, index: int, content: str) -> int | None:
    """Where the line begins on which a child of a block container (not its first) begins; None where it is unusual."""
    column = _column(container, content)
    starts = _starts(container)
    if isinstance(container, Mapping):
        begin = _line_start(content, starts[index])
        return begin if content[begin : starts[index]] == " " * column else None
    found = content.rfind(f"\n{' ' * column}-", starts[index - 1], starts[index])
    return found + 1 if found >= 0 else None


def _column(container: Mapping | Sequence, content: str) -> int:
    return container.start - _line_start(content, container.start)


def _line_start(content: str, offset: int) -> int:
    return content.rfind("\n", 0, offset) + 1


# -- what is parsed again -------------------------------------------------------------------------------------------


def _stands_alone(piece: str, column: int) -> bool:
    """Whether nothing in the piece ends its container or speaks to the rest of the file."""
    if _UNUSUAL.search(piece) or _MARKER.search(piece) or _shares(piece):
        return False
    return not column or not re.search(rf"^ {{0,{column - 1}}}[^ #\r\n]", piece, re.MULTILINE)


def _above(place: Place, content: str) -> str:
    """The lines that open the containers around the piece, each with nothing else in it."""
    lines = []
    for container, index in place.way:
        opened = "-"
        if isinstance(container, Mapping):
            entry = next(islice(container.entries.values(), index, None))
            opened = f"{content[entry.start : entry.end]}:"
        lines.append(f"{' ' * _column(container, content)}{opened}\n")
    return "".join(lines)


def _parsed(text: Text, hint: int | None, *, last: bool) -> Document | None:
    """The piece as a document; None where the parser might see something else in the whole text.

    A line that has to be mended is the one that was just edited, stands in the column of the line above it, and makes
    sense at the first guess: all else is decided by more than what surrounds it.
    """
    part = parse(text, hint=hint)
    if part.parses == 1:
        return part
    fault = attempt(text).fault
    if fault is None or fault.kind is Kind.TOO_DEEP or part.parses > _SURE or not part.whole:
        return None
    if hint is None or part.broken != (hint,):
        return None
    if not last and fault.at >= len(text.content.rstrip()):
        return None
    above = next((line for line in map(text.line, range(hint - 1, -1, -1)) if line.strip()), "")
    return part if _indent(above) == _indent(text.line(hint)) else None


def _indent(line: str) -> int:
    return len(line) - len(line.lstrip(" "))


def _under(part: Document, place: Place, start: int) -> Mapping | Sequence | None:
    """The container as the piece has it; None where it does not fit in the place of what was there."""
    node = part.root
    for container, _ in place.way:
        if not _alike(node, container) or len(children(node)) != 1:
            return None
        node = children(node)[0]
    container = place.container
    if not _alike(node, container) or node.start != start:
        return None
    if any(each.code not in _LOCAL for each in part.problems):
        return None
    if isinstance(node, Mapping) and isinstance(container, Mapping):
        names = list(container.entries)
        if not node.entries.keys().isdisjoint(names[: place.low] + names[place.high :]):
            return None
    return node


def _alike(node: Node | None, container: Mapping | Sequence) -> TypeGuard[Mapping | Sequence]:
    return type(node) is type(container)


def _moved(problem: Problem, text: Text, by: int) -> Problem:
    def span(of: Span) -> Span:
        return Span(text, of.start + by, of.end + by)

    return Problem(
        problem.code,
        problem.message,
        span(problem.span) if problem.span else None,
        tuple(Related(span(each.span), each.message) for each in problem.related),
        tuple(
            Fix(
                each.title,
                tuple(Edit(span(edit.span), edit.new_text) for edit in each.edits),
                each.creates,
                preferred=each.preferred,
            )
            for each in problem.fixes
        ),
        problem.severity,
        problem.keypath,
        problem.leaf,
        problem.unnecessary,
        problem.deprecated,
    )
