"""Completion: what may be written at the cursor, so that what is accepted leaves valid YAML."""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, Any

from ajkit.lsp.completing.context import context_at
from ajkit.lsp.completing.items import Sender
from ajkit.lsp.completing.places import Slot
from ajkit.lsp.markup import Markup

if TYPE_CHECKING:
    from ajkit.lsp.capabilities import Client
    from ajkit.lsp.session import Session

_NOTHING = {"isIncomplete": False, "items": []}


def completion(session: Session, client: Client, params: dict[str, Any]) -> dict[str, Any] | None:
    """`textDocument/completion`: keys, values, base names, variables and snippets that fit at the cursor."""
    from ajkit.lsp.completing.proposals import Proposals  # late: the first answer does not wait for pydantic

    found = session.at(params)
    if found is None:
        return None
    view, offset = found
    context = context_at(view.file.document, offset)
    if not context.slots and context.variable is None:
        return _NOTHING

    def markup(markdown: bool) -> Markup:
        return Markup(session.uri_of, session.is_unsaved, markdown=markdown)

    proposals = Proposals(view, session.docs, session.completing, context)
    if context.variable is not None:
        start, end, closing = context.variable
        items = proposals.variables(closing)
        if items:
            typed = view.text.content[start:offset]
            context = replace(context, start=start, end=end, typed=typed)
            slot = Slot("value", context.text_path)
            return Sender(client, view.text, context, markup).answer([(slot, each) for each in items])
    return Sender(client, view.text, context, markup).answer(proposals.found(), may_grow=proposals.may_grow)
