"""References and highlights: who extends this file, who else sets this key."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any

from ajkit.lsp.reading import dependents_of, template_of
from ajkit.shared.template.names import base_path
from ajkit.shared.template.query import base_at, spot_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ajkit.lsp.capabilities import Client
    from ajkit.lsp.session import Session
    from ajkit.lsp.view import View
    from ajkit.shared.where import KeyPath, Span

KEY_BASE, KEY_CONFIG = ("base",), ("config",)
FILE_LIMIT = 2_000
"""How many dependents one answer looks into."""


def references(session: Session, _client: Client, params: dict[str, Any]) -> list[dict[str, Any]] | None:
    """`textDocument/references`: who extends this file, who else sets this key.

    On a base name: every name that leads to the same file. On a key of the config: every file of the chain and every
    dependent that writes this key. Elsewhere on the top level: every name that leads to this file.
    """
    found = session.at(params)
    if found is None:
        return None
    view, offset = found
    with_declaration = bool(params.get("context", {}).get("includeDeclaration", True))
    ref = base_at(view.file, offset)
    if ref is not None:
        path = base_path(ref.name, posixpath.dirname(view.file.real), view.home)
        spans = names_of(session, view, session.files.real(path)) if path else iter(())
    else:
        spot = spot_at(view.file, offset)
        if spot is None:
            return None
        if spot.in_config:
            spans = writers_of(session, view, spot.config_path, itself=with_declaration)
        else:
            spans = names_of(session, view, view.file.real)
    return [{"uri": session.uri_of(each.path), "range": each} for each in dict.fromkeys(spans)]


def names_of(session: Session, view: View, real: str) -> Iterator[Span]:
    """Every base name that leads to a file."""
    graph = view.graph
    waiting = graph.dependents.get(real, {}) if graph else {}
    reals = dict.fromkeys([*waiting, view.file.real])
    for each in reals:
        file = view.file if each == view.file.real else template_of(session, graph.paths[each] if graph else each)
        if file is None:
            continue
        folder = posixpath.dirname(file.real)
        for ref in file.bases:
            target = base_path(ref.name, folder, view.home)
            if target is not None and session.files.real(target) == real:
                yield ref.span


def writers_of(session: Session, view: View, path: KeyPath, *, itself: bool) -> Iterator[Span]:
    """The key in every file of the chain and in every dependent that writes it."""
    files = [each.file for each in view.resolved.everything]
    files += [file for shown in dependents_of(view)[:FILE_LIMIT] if (file := template_of(session, shown)) is not None]
    for file in files:
        if file is view.file and not itself:
            continue
        found = file.written(path)
        if found is not None:
            node, entry = found
            yield file.document.span(entry or node)


def highlights(session: Session, _client: Client, params: dict[str, Any]) -> list[dict[str, Any]] | None:
    """`textDocument/documentHighlight`: the same base name, or a key with its value, in this document."""
    found = session.at(params)
    if found is None:
        return None
    view, offset = found
    ref = base_at(view.file, offset)
    if ref is not None:
        return [{"range": each.span, "kind": 2} for each in view.file.bases if each.name == ref.name]
    spot = spot_at(view.file, offset)
    if spot is None:
        return None
    same = [{"range": view.file.document.span(spot.node), "kind": 3}]
    if spot.entry is not None:
        same.insert(0, {"range": view.file.document.span(spot.entry), "kind": 3})
    return same
