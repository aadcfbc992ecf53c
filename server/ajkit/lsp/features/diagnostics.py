"""Diagnostics for clients that ask for them: of one document, and of all homes in use."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from ajkit.lsp.capabilities import Client
    from ajkit.lsp.session import Session


def document(session: Session, client: Client, params: dict[str, Any]) -> dict[str, Any]:
    """`textDocument/diagnostic`: everything that is wrong with a template, or that nothing changed."""
    return session.reports.of_document(session, client, params["textDocument"]["uri"], params.get("previousResultId"))


async def workspace(session: Session, client: Client, params: dict[str, Any]) -> dict[str, Any]:
    """`workspace/diagnostic`: the same for all templates of the homes in use, piece by piece where the client likes."""
    token = params.get("partialResultToken")

    def part(items: list[dict[str, Any]]) -> None:
        session.tell("$/progress", {"token": token, "value": {"items": items}})

    previous = {
        each["uri"]: each["value"]
        for each in params.get("previousResultIds") or ()
        if isinstance(each, dict) and isinstance(each.get("uri"), str) and isinstance(each.get("value"), str)
    }
    shown = part if isinstance(token, str | int) else None
    return {"items": await session.workspace.reports(session, client, previous, shown)}
