"""Document links: base names and the files that commands, setup lines and the code folder mention."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any

from ajkit.lsp.mentions import mentions
from ajkit.lsp.spans import unquoted
from ajkit.shared.template.names import base_path
from ajkit.shared.where import Span

if TYPE_CHECKING:
    from ajkit.lsp.capabilities import Client
    from ajkit.lsp.session import Session


def document_links(session: Session, client: Client, params: dict[str, Any]) -> list[dict[str, Any]] | None:
    """`textDocument/documentLink`: base names, and the files that commands and setup lines mention."""
    view = session.view(params["textDocument"]["uri"])
    if view is None:
        return None
    with_tooltip = client.has("textDocument", "documentLink", "tooltipSupport")
    found: list[dict[str, Any]] = []
    folder = posixpath.dirname(view.file.real)
    for ref in view.file.bases:
        path = base_path(ref.name, folder, view.home)
        if path is None or session.files.kind(path) != "file":
            continue
        shown = session.engine.shown(path, view.home)
        link: dict[str, Any] = {"range": unquoted(ref.span), "target": session.uri_of(shown)}
        if with_tooltip:
            link["tooltip"] = shown
        found.append(link)
    for start, end, path in mentions(view):
        found.append({"range": Span(view.text, start, end), "target": session.uri_of(path)})
    return found
