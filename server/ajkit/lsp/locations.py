"""Places that a request leads to, in the form that the client understands."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ajkit.lsp.capabilities import Client
    from ajkit.lsp.session import Session
    from ajkit.shared.where import Span


def locations(session: Session, client: Client, source: Span, targets: Iterable[Span]) -> list[dict[str, Any]]:
    """Links from `source` to each target, or plain locations for clients that know no links."""
    if client.has("textDocument", "definition", "linkSupport"):
        return [
            {
                "originSelectionRange": source,
                "targetUri": session.uri_of(each.path),
                "targetRange": each,
                "targetSelectionRange": each,
            }
            for each in targets
        ]
    return [{"uri": session.uri_of(each.path), "range": each} for each in targets]
