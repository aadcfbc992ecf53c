"""Workspace symbols: every template and base of the homes in use, by name."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ajkit.lsp.spans import beginning
from ajkit.shared.template.names import dotted_name, template_name

if TYPE_CHECKING:
    from ajkit.lsp.capabilities import Client
    from ajkit.lsp.session import Session

LIMIT = 500
_FILE, _CLASS = 1, 5


def workspace_symbols(session: Session, _client: Client, params: dict[str, Any]) -> list[dict[str, Any]]:
    """`workspace/symbol`: names that hold the letters of the query in order, best matches first."""
    query = str(params.get("query") or "").casefold()
    found = []
    for home in session.engine.homes_with_graph():
        graph = session.engine.graph(home)
        for real, path in graph.paths.items():
            name = dotted_name(path, home) or template_name(path, home)
            rank = _rank(query, name.casefold())
            if rank is not None:
                found.append((rank, name, path, bool(graph.dependents.get(real))))
    found.sort()
    return [
        {
            "name": name,
            "kind": _CLASS if is_base else _FILE,
            "location": {"uri": session.uri_of(path), "range": beginning(path)},
        }
        for _, name, path, is_base in found[:LIMIT]
    ]


def _rank(query: str, name: str) -> tuple[int, int] | None:
    """How well a name matches: as a whole, by its beginning, in one piece, letter by letter; None for not at all."""
    if query in name:
        at = name.index(query)
        return (0 if query == name else 1 if at == 0 else 2, len(name))
    position = -1
    for letter in query:
        position = name.find(letter, position + 1)
        if position < 0:
            return None
    return (3, len(name))
