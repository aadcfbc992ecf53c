"""The family as a Graphviz digraph."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ajkit.shared.template.pictures.family import Family


def dot_text(family: Family) -> str:
    """A digraph from templates to the bases they extend."""
    lines = [
        "digraph aj {",
        "  rankdir=LR;",
        '  node [shape=box, style=rounded, fontname="sans-serif"];',
    ]
    for member in family.members.values():
        wide = ", penwidth=2" if member.leaf else ""
        lines.append(f"  {_quoted(member.name)} [tooltip={_quoted(member.path)}{wide}];")
    lines += [f"  {_quoted(name)} -> {_quoted(base)};" for name, base in family.edges()]
    lines.append("}")
    return "\n".join(lines) + "\n"


def _quoted(text: str) -> str:
    return '"' + text.replace("\\", "\\\\").replace('"', '\\"').replace("\n", "\\n") + '"'
