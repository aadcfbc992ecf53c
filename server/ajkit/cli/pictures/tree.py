"""The family as trees of text: under each name what it extends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from click import style

from ajkit.cli.terminal import columns, one_line

if TYPE_CHECKING:
    from ajkit.shared.template.pictures.family import Family


@dataclass(frozen=True, slots=True)
class _Branch:
    name: str
    lead: str
    below: str
    road: tuple[str, ...]


def tree_text(family: Family, heads: list[str]) -> str:
    """One tree for each head; what was drawn before is only named again."""
    drawn: set[str] = set()
    rows: list[list[str]] = []
    # What is to be drawn, last first: a name, what stands before it, what stands before its bases, the way to it.
    todo = [_Branch(head, "", "", ()) for head in reversed(heads)]
    while todo:
        branch = todo.pop()
        member = family.members[branch.name]
        shown = branch.lead + style(one_line(branch.name), bold=member.leaf)
        bases = list(dict.fromkeys(member.bases))
        if branch.name in branch.road:
            rows.append([shown, style("a cycle", fg="red")])
        elif branch.name in drawn and bases:
            rows.append([shown, style("see above", dim=True)])
        else:
            rows.append([shown, style(one_line(member.path), dim=True)])
            drawn.add(branch.name)
            road = (*branch.road, branch.name)
            for base in reversed(bases):
                last = base == bases[-1]
                lead, below = ("└─ ", "   ") if last else ("├─ ", "│  ")
                todo.append(_Branch(base, branch.below + lead, branch.below + below, road))
    return columns(rows)
