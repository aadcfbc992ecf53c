"""Document links: base names and the files that commands, setup lines and the code folder mention."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, Any

from ajkit.lsp.mentions import mentions
from ajkit.lsp.spans import unquoted
from ajkit.lsp.threads import in_thread
from ajkit.shared.template.names import base_path
from ajkit.shared.where import Span

if TYPE_CHECKING:
    from ajkit.lsp.capabilities import Client
    from ajkit.lsp.session import Session

LIMIT = 1_000
"""How many files are looked for on disk, in a thread since it may be slow."""


async def document_links(session: Session, client: Client, params: dict[str, Any]) -> list[dict[str, Any]] | None:
    """`textDocument/documentLink`: base names, and the files that commands and setup lines mention."""
    view = session.view(params["textDocument"]["uri"])
    if view is None:
        return None
    with_tooltip = client.has("textDocument", "documentLink", "tooltipSupport")
    folder = posixpath.dirname(view.file.real)
    bases = [(ref, path) for ref in view.file.bases if (path := base_path(ref.name, folder, view.home)) is not None]
    mentioned = mentions(view)
    wanted = list(dict.fromkeys([*(path for _, path in bases), *(path for _, _, path in mentioned)]))[:LIMIT]
    there = await in_thread(lambda: {path for path in wanted if session.files.kind(path) == "file"}) if wanted else ()
    found: list[dict[str, Any]] = []
    for ref, path in bases:
        if path in there:
            shown = session.engine.shown(path, view.home)
            tooltip = {"tooltip": shown} if with_tooltip else {}
            found.append({"range": unquoted(ref.span), "target": session.uri_of(shown), **tooltip})
    for start, end, path in mentioned:
        if path in there:
            found.append({"range": Span(view.text, start, end), "target": session.uri_of(path)})
    return found
