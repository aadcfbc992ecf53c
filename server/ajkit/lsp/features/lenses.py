"""Code lenses: what can be done with a template, who extends it and what an edit does to them, where values count."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ajkit.lsp.impact import standing
from ajkit.shared.where import Span, format_keypath

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ajkit.lsp.capabilities import Client
    from ajkit.lsp.impact import Impact
    from ajkit.lsp.session import Session
    from ajkit.lsp.view import View

LIMIT = 100
"""How many values of a base have a lens."""


def code_lenses(session: Session, _client: Client, params: dict[str, Any]) -> list[dict[str, Any]] | None:
    """`textDocument/codeLens`: preview, bases, submit; who extends a base and where its values count."""
    view = session.view(params["textDocument"]["uri"])
    if view is None:
        return None
    impact = session.impacts.of(session, view)
    uri = view.buffer.uri
    first = view.file.document.span(view.file.base_key) if view.file.base_key else Span(view.text, 0, 0)
    found = [_lens(first, title, command, uri) for title, command in _of_file(session, view, impact)]
    return found + list(_of_values(view, impact, uri))


def _of_file(session: Session, view: View, impact: Impact) -> Iterator[tuple[str, str]]:
    if view.leaf:
        yield "Preview JobSpec", "aj.preview"
        if bases := len(view.resolved.chain) - 1:
            yield f"{bases} {'base' if bases == 1 else 'bases'}", "aj.bases"
        yield "Submit job…", "aj.submit"
    if impact.templates or (not view.leaf and view.graph is not None):
        yield f"used by {_count(len(impact.templates))}", "aj.dependents"
    if impact.templates and session.is_unsaved(view.buffer.path):
        yield "what unsaved changes come to", "aj.impact"


def _count(number: int) -> str:
    return f"{number or 'no'} template{'s' if number > 1 else ''}"


def _of_values(view: View, impact: Impact, uri: str) -> Iterator[dict[str, Any]]:
    """A lens on every value that some template overrides."""
    number = 0
    for path, effect in impact.effects.items():
        found = view.file.written(path) if effect.overridden else None
        if found is None or number == LIMIT:
            continue
        number += 1
        node, entry = found
        span = view.file.document.span(entry or node)
        yield _lens(span, standing(effect, impact), "aj.dependents", uri, format_keypath(path))


def _lens(span: Span, title: str, command: str, *arguments: str) -> dict[str, Any]:
    return {"range": span, "command": {"title": title, "command": command, "arguments": list(arguments)}}
