"""Semantic tokens: base names, keys (unknown ones told apart), placeholders, what overrides something inherited."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import TYPE_CHECKING, Any

from ajkit.lsp import convert
from ajkit.lsp.capabilities import TOKEN_MODIFIERS, TOKEN_TYPES
from ajkit.shared.template.tree import Mapping, Scalar, Sequence
from ajkit.shared.where import MISSING, at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ajkit.lsp.capabilities import Client
    from ajkit.lsp.session import Session
    from ajkit.lsp.view import View
    from ajkit.shared.template.tree import Node
    from ajkit.shared.where import Json

LIMIT = 20_000

_TYPES = {name: index for index, name in enumerate(TOKEN_TYPES)}
_MODIFIERS = {name: 1 << index for index, name in enumerate(TOKEN_MODIFIERS)}
_PLACEHOLDER = re.compile(r"\{(?:nodes|processes)\}|\$\$?\{?AJ_[A-Z_]+\}?|\$\{?CONFIG_DIR\}?")


def full(session: Session, _client: Client, params: dict[str, Any]) -> convert.Ready | None:
    """`textDocument/semanticTokens/full`: colours for base names, keys and placeholders."""
    view = session.view(params["textDocument"]["uri"])
    if view is None:
        return None
    return convert.Ready({"data": _encoded(view, _tokens(view, 0, len(view.text.content)), session.encoding)})


def in_range(session: Session, _client: Client, params: dict[str, Any]) -> dict[str, Any] | None:
    """`textDocument/semanticTokens/range`: the same for what is on the screen."""
    view = session.view(params["textDocument"]["uri"])
    if view is None:
        return None
    first, last = params["range"]["start"], params["range"]["end"]
    start = convert.offset(view.text, first["line"], first["character"], session.encoding)
    end = convert.offset(view.text, last["line"], last["character"], session.encoding)
    return {"data": _encoded(view, _tokens(view, start, end), session.encoding)}


def _tokens(view: View, start: int, end: int) -> list[tuple[int, int, int, int]]:
    """(start, end, type, modifiers) of the tokens between two offsets, in order."""
    found = [(ref.span.start, ref.span.end, _TYPES["namespace"], 0) for ref in view.file.bases]
    unknown = {
        (each.span.start, each.span.end)
        for each in view.problems
        if each.code in ("schema.unknown-key", "template.unknown-key") and each.span and each.span.path == view.path
    }
    if view.file.config is not None:
        inherited: list[Json] = [base.value for base in view.resolved.merged.bases()]
        found += _keys(view.file.config, inherited, unknown, start, end)
        found += _placeholders(view, start, end)
    return sorted({each for each in found if start <= each[0] and each[1] <= end and each[0] < each[1]})[:LIMIT]


def _keys(
    node: Node, inherited: list[Json], unknown: set[tuple[int, int]], start: int, end: int
) -> Iterator[tuple[int, int, int, int]]:
    if isinstance(node, Mapping):
        for key, entry in node.entries.items():
            if not node.start <= entry.start <= node.end or max(entry.node.end, entry.end) < start or entry.start > end:
                continue
            below = [value for each in inherited if (value := at(each, (key,))) is not MISSING]
            modifiers = _MODIFIERS["overridden"] if below and isinstance(entry.node, Scalar) else 0
            if (entry.start, entry.end) in unknown:
                modifiers |= _MODIFIERS["unknown"]
            yield entry.start, entry.end, _TYPES["property"], modifiers
            yield from _keys(entry.node, below, unknown, start, end)  # type: ignore[arg-type]
    elif isinstance(node, Sequence):
        for index, item in enumerate(node.items):
            if item.end >= start and item.start <= end:
                below = [value for each in inherited if (value := at(each, (index,))) is not MISSING]
                yield from _keys(item, below, unknown, start, end)  # type: ignore[arg-type]


def _placeholders(view: View, start: int, end: int) -> Iterator[tuple[int, int, int, int]]:
    for found in _PLACEHOLDER.finditer(view.text.content, start, end):
        yield found.start(), found.end(), _TYPES["macro"], 0


def _encoded(view: View, tokens: list[tuple[int, int, int, int]], encoding: str) -> list[int]:
    """Tokens as LSP wants them: five numbers each, relative to the one before; none spans lines or overlaps."""
    content, starts = view.text.content, view.text.starts
    data: list[int] = []
    line = character = reached = 0
    for start, end, kind, modifiers in tokens:
        here = bisect_right(starts, start) - 1
        if start < reached or (here + 1 < len(starts) and end >= starts[here + 1]):
            continue
        reached = end
        column = convert.units(content[starts[here] : start], encoding)
        length = convert.units(content[start:end], encoding)
        data += (here - line, column - character if here == line else column, length, kind, modifiers)
        line, character = here, column
    return data
