"""The edit that silences a finding in place: a comment `# aj: ignore[code]` at the end of its line, or above it."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ajkit.shared.problem import Edit
from ajkit.shared.template.query import spot_at
from ajkit.shared.template.tree import Scalar
from ajkit.shared.where import Span

if TYPE_CHECKING:
    from ajkit.shared.problem import Problem
    from ajkit.shared.template.source import TemplateFile

_IGNORE = re.compile(r"#\s*aj:\s*ignore\[[^\]\r\n]*(?=\])")


def silenced(file: TemplateFile, problem: Problem) -> Edit | None:
    """The edit; None for errors, which nothing silences, and where no comment can stand."""
    if problem.is_error or problem.span is None:
        return None
    text = problem.span.text
    line = problem.span.first.line
    start, content = text.starts[line], text.line(line)
    end = start + len(content.rstrip())
    if _scalar_over(file, start) is not None:
        return None
    around = _scalar_over(file, end)
    if around is not None and not (around.start >= start and text.content.startswith(("|", ">"), around.start)):
        indent = content[: len(content) - len(content.lstrip())]
        return Edit(Span(text, start, start), f"{indent}# aj: ignore[{problem.code}]{text.newline}")
    known = _IGNORE.search(content)
    if known is not None and _scalar_over(file, start + known.start()) is None:
        at = start + known.end()
        return Edit(Span(text, at, at), f", {problem.code}")
    return Edit(Span(text, end, end), f"  # aj: ignore[{problem.code}]")


def _scalar_over(file: TemplateFile, offset: int) -> Scalar | None:
    """The scalar that begins before a place and goes on behind it."""
    spot = spot_at(file, offset)
    node = spot.node if spot is not None and not spot.on_key else None
    return node if isinstance(node, Scalar) and node.start < offset < node.end else None
