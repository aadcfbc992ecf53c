"""Inheritance as a type hierarchy: bases above, dependents below."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any

from ajkit.lsp import convert
from ajkit.lsp.reading import template_of
from ajkit.lsp.spans import beginning
from ajkit.shared.template.names import base_path, dotted_name, template_name
from ajkit.shared.template.query import base_at

if TYPE_CHECKING:
    from ajkit.lsp.capabilities import Client
    from ajkit.lsp.session import Session

_CLASS = 5


def prepare(session: Session, _client: Client, params: dict[str, Any]) -> list[dict[str, Any]] | None:
    """`textDocument/prepareTypeHierarchy`: the base under the cursor, else this template."""
    found = session.at(params)
    if found is None:
        return None
    view, offset = found
    ref = base_at(view.file, offset)
    if ref is None:
        return [_item(session, view.path, view.home)]
    path = base_path(ref.name, posixpath.dirname(view.file.real), view.home)
    if path is None or session.files.kind(path) != "file":
        return None
    return [_item(session, session.engine.shown(path, view.home), view.home)]


def supertypes(session: Session, _client: Client, params: dict[str, Any]) -> list[dict[str, Any]]:
    """`typeHierarchy/supertypes`: the bases of an item, in order."""
    path = _path(params)
    file = template_of(session, path) if path else None
    if file is None or path is None:
        return []
    home = session.engine.home_of(path)
    folder = posixpath.dirname(file.real)
    targets = [target for ref in file.bases if (target := base_path(ref.name, folder, home)) is not None]
    shown = [session.engine.shown(each, home) for each in targets if session.files.kind(each) == "file"]
    return [_item(session, each, home) for each in dict.fromkeys(shown)]


def subtypes(session: Session, _client: Client, params: dict[str, Any]) -> list[dict[str, Any]]:
    """`typeHierarchy/subtypes`: what extends an item directly."""
    path = _path(params)
    home = session.engine.home_of(path) if path else None
    if path is None or home is None or not session.engine.has_graph(home):
        return []
    graph = session.engine.graph(home)
    below = graph.dependents.get(session.files.real(path), {})
    return [_item(session, graph.paths[real], home) for real in below if real in graph.paths]


def _path(params: dict[str, Any]) -> str | None:
    return convert.path_of(params["item"]["uri"])


def _item(session: Session, path: str, home: str | None) -> dict[str, Any]:
    name = (dotted_name(path, home) if home else None) or template_name(path, home)
    start = beginning(path)
    return {
        "name": template_name(path, home),
        "detail": name,
        "kind": _CLASS,
        "uri": session.uri_of(path),
        "range": start,
        "selectionRange": start,
    }
