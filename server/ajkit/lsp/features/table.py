"""Which request is answered by which feature: one line each."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ajkit.lsp.features.hover import hover

if TYPE_CHECKING:
    from collections.abc import Callable

    from ajkit.lsp.capabilities import Client
    from ajkit.lsp.session import Session

REQUESTS: dict[str, Callable[[Session, Client, Any], Any]] = {
    "textDocument/hover": hover,
}
"""Method to feature: ``feature(session, client, params)`` gives the answer with spans in place of ranges."""

COMMANDS: dict[str, Callable[[Session, Client, list[Any]], Any]] = {}
"""Command to feature: ``command(session, client, arguments)``."""
