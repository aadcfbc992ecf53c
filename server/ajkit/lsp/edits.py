"""Edits over several files, as the client takes them: with renames and versions, or as plain changes."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ajkit.lsp.failure import RequestFailed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ajkit.lsp.capabilities import Client
    from ajkit.lsp.session import Session
    from ajkit.shared.problem import Edit, NewFile


def workspace_edit(
    session: Session,
    client: Client,
    edits: Iterable[Edit],
    renames: Iterable[tuple[str, str]] = (),
    creates: Iterable[NewFile] = (),
) -> dict[str, Any]:
    """A WorkspaceEdit: text edits first (they are about the files as they are), then new files, then renames.

    Raises:
        RequestFailed: it renames or creates files and this client cannot.
    """
    by_uri: dict[str, list[dict[str, Any]]] = {}
    for each in dict.fromkeys(edits):
        by_uri.setdefault(session.uri_of(each.span.path), []).append({"range": each.span, "newText": each.new_text})
    operations: list[dict[str, Any]] = []
    for new in creates:
        _require(client, "create")
        uri = session.uri_of(session.shown(new.path))
        operations.append({"kind": "create", "uri": uri, "options": {"ignoreIfExists": True}})
        start = {"line": 0, "character": 0}
        first = {"range": {"start": start, "end": start}, "newText": new.content}
        operations.append({"textDocument": {"uri": uri, "version": None}, "edits": [first]})
    for old, moved in renames:
        _require(client, "rename")
        operations.append({"kind": "rename", "oldUri": session.uri_of(old), "newUri": session.uri_of(moved)})
    # Neovim 0.11 says which operations it can do, and does not say that it takes the form in which they come.
    if not operations and not client.has("workspace", "workspaceEdit", "documentChanges"):
        return {"changes": by_uri}
    texts = [
        {"textDocument": {"uri": uri, "version": _version(session, uri)}, "edits": each} for uri, each in by_uri.items()
    ]
    return {"documentChanges": [*texts, *operations]}


def can(client: Client, kind: str) -> bool:
    """Whether a client can ``create``, ``rename`` or ``delete`` files in an edit."""
    kinds = client.get("workspace", "workspaceEdit", "resourceOperations")
    return isinstance(kinds, list) and kind in kinds


def _require(client: Client, kind: str) -> None:
    if not can(client, kind):
        raise RequestFailed(f"this editor cannot {kind} files in an edit: {kind} the file by hand")


def _version(session: Session, uri: str) -> int | None:
    buffer = session.buffers.get(uri)
    return buffer.version if buffer else None
