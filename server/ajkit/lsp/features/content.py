"""The text of preview documents, for clients that show documents of the server's making."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ajkit.lsp.capabilities import Client
    from ajkit.lsp.session import Session


def text_document_content(session: Session, _client: Client, params: dict[str, Any]) -> dict[str, Any]:
    """`workspace/textDocumentContent`: live previews; always a text, for clients show nothing at all for null."""
    text = session.previews.content(session, params["uri"])
    return {"text": "# aj has no document of this name.\n" if text is None else text}
