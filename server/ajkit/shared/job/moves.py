"""The fix for a variable of amlt in a SKU: placeholders there, and its number moved to where a shape is written."""

from __future__ import annotations

import re
from dataclasses import replace
from typing import TYPE_CHECKING

from ajkit.shared.job.shape import NODES_PATH, SELECTOR_PATH, variable_names
from ajkit.shared.problem import Edit, Fix
from ajkit.shared.sku import SKU_PATH, VARIABLE
from ajkit.shared.where import MISSING, Span, at

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ajkit.shared.problem import Problem
    from ajkit.shared.template.resolve import Resolved
    from ajkit.shared.where import KeyPath

_PLACES: tuple[tuple[str, str, KeyPath, KeyPath], ...] = (
    (r"^\$\{(\w+)\}(?=x)", "{nodes}", NODES_PATH, SKU_PATH),
    (r"(?<=[GC])\$\{(\w+)\}", "{processes}", SELECTOR_PATH, ("target", "service")),
)
"""Where a variable may stand in a SKU: what is written instead, where its number goes, and beside which key."""


def with_moves(resolved: Resolved, problems: Iterable[Problem]) -> list[Problem]:
    """The problems; those about variables in a SKU carry the fix, where it can be written."""
    return [_with_move(resolved, each) if each.code == "sku.placeholder" else each for each in problems]


def _with_move(resolved: Resolved, problem: Problem) -> Problem:
    path, span = problem.keypath, problem.span
    text = at(resolved.config, path) if path is not None and path[:3] == SKU_PATH else None
    if span is None or not isinstance(text, str):
        return problem
    numbers = variable_names(resolved.config)
    moved: dict[str, Edit] = {}
    suggest = text
    for pattern, placeholder, goal, beside in _PLACES:
        found = re.search(pattern, text)
        if found is None:
            continue
        suggest = re.sub(pattern, placeholder, suggest)
        if found[1] in numbers and at(resolved.config, goal) is MISSING and at(resolved.config, beside) is not MISSING:
            entry = f"{goal[-1]}: {numbers[found[1]]}"
            moved[entry] = _before(resolved.span(beside, on_key=True), entry)
    if suggest == text or VARIABLE.search(suggest):
        return problem
    title = f"Write `{suggest}`" + (f" and set {' and '.join(moved)}" if moved else "")
    fix = Fix(title, (Edit(span, f'"{suggest}"'), *moved.values()), preferred=True)
    return replace(problem, fixes=(*problem.fixes, fix))


def _before(key: Span, entry: str) -> Edit:
    """An entry written before a key, in the style of the mapping it stands in."""
    line, column = key.first
    lead = key.text.line(line)[:column]
    after = f"{key.text.newline}{' ' * column}" if not lead.strip(" -") else ", "
    return Edit(Span(key.text, key.start, key.start), f"{entry}{after}")
