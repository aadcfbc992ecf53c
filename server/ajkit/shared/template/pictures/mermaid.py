"""The family as a Mermaid flowchart, which code hosts draw in Markdown."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ajkit.shared.template.pictures.family import Family


def mermaid_text(family: Family) -> str:
    """A flowchart from templates to the bases they extend."""
    ids = {name: f"n{number}" for number, name in enumerate(family.members)}
    lines = ["flowchart LR"]
    for member in family.members.values():
        label = _escaped(member.name)
        lines.append(f'  {ids[member.name]}["{label}"]{":::leaf" if member.leaf else ""}')
    lines += [f"  {ids[name]} --> {ids[base]}" for name, base in family.edges()]
    lines.append("  classDef leaf stroke-width:3px,font-weight:bold")
    return "\n".join(lines) + "\n"


def _escaped(text: str) -> str:
    """Mermaid reads ``#34;`` as a character and has no other escape."""
    return "".join(each if each.isalnum() or each in " .-_/" else f"#{ord(each)};" for each in text)
