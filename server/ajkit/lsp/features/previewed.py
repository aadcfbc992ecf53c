"""Inside a preview: every value leads to the line that wrote it, and tells where it came from."""

from __future__ import annotations

from itertools import islice
from typing import TYPE_CHECKING, Any

from ajkit.lsp import convert
from ajkit.lsp.locations import locations
from ajkit.lsp.markup import Markup, escaped
from ajkit.lsp.provenance import provenance, whence
from ajkit.shared.template.secrets import mask
from ajkit.shared.template.tree import Mapping, Scalar, Sequence
from ajkit.shared.where import Span, format_keypath

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ajkit.lsp.capabilities import Client
    from ajkit.lsp.preview import Preview
    from ajkit.lsp.session import Session
    from ajkit.shared.job.trails import FieldSource, FieldTrail
    from ajkit.shared.template.query import Spot
    from ajkit.shared.template.tree import Node
    from ajkit.shared.where import KeyPath

LINKED = 500
"""How many links one preview has."""


def definition(session: Session, client: Client, params: dict[str, Any]) -> list[dict[str, Any]] | None:
    """`textDocument/definition`: the lines that wrote what the preview shows, the winner first."""
    found = _at(session, params)
    if found is None:
        return None
    preview, spot = found
    return locations(session, client, _range(preview, spot), preview.written(spot.path))


def hover(session: Session, client: Client, params: dict[str, Any]) -> dict[str, Any] | None:
    """`textDocument/hover`: where what the preview shows came from."""
    found = _at(session, params)
    if found is None:
        return None
    preview, spot = found
    markup = Markup(session.uri_of, session.is_unsaved, markdown=client.markdown)
    markup.title(format_keypath(spot.path))
    field, trail = preview.field(spot.path), preview.trail(spot.path)
    if field is not None:
        _field(markup, preview, field)
    elif trail is not None:
        provenance(markup, trail)
    else:
        return None
    return {"contents": markup.contents(), "range": _range(preview, spot)}


def document_links(session: Session, client: Client, params: dict[str, Any]) -> list[dict[str, Any]] | None:
    """`textDocument/documentLink`: from every key to the line that wrote it."""
    preview = session.previews.shown(session, params["textDocument"]["uri"])
    root = preview.tree.document.root if preview is not None else None
    if preview is None or root is None:
        return None
    with_tooltip = client.has("textDocument", "documentLink", "tooltipSupport")
    return [
        {"range": Span(preview.text, start, end), "target": f"{session.uri_of(place.path)}#L{place.first.line + 1}"}
        | ({"tooltip": str(place)} if with_tooltip else {})
        for start, end, place in islice(_linked(preview, root, ()), LINKED)
    ]


def _at(session: Session, params: dict[str, Any]) -> tuple[Preview, Spot] | None:
    """The preview and the place in it that the parameters of a request point to."""
    preview = session.previews.shown(session, params["textDocument"]["uri"])
    if preview is None:
        return None
    where = params["position"]
    spot = preview.spot(convert.offset(preview.text, where["line"], where["character"], session.encoding))
    return None if spot is None or not spot.path else (preview, spot)


def _range(preview: Preview, spot: Spot) -> Span:
    there = spot.entry if spot.on_key and spot.entry else spot.node
    return Span(preview.text, there.start, there.end)


def _field(markup: Markup, preview: Preview, field: FieldTrail) -> None:
    """What a field of the job means, what it was made of, and over what that went."""
    description = _description(field.field) if preview.kind == "spec" else None
    if description:
        markup.line(description)
    for each in field.sources:
        markup.item(_source(markup, each))
    for each in field.over:
        markup.item(f"over {_source(markup, each)}")
    if field.note:
        markup.line(markup.aside(field.note))


def _source(markup: Markup, source: FieldSource) -> str:
    words = mask(source.words)
    words = escaped(words) if markup.markdown else words
    return words if source.origin is None else f"{words} — {whence(markup, source.origin)}"


def _description(field: str) -> str | None:
    """What a field of the JobSpec means, in the words of its schema."""
    from ajkit.shared.job.spec import JobSpec

    known = JobSpec.model_fields.get(field)
    return known.description if known is not None else None


def _linked(preview: Preview, node: Node, path: KeyPath) -> Iterator[tuple[int, int, Span]]:
    """Every key, and every text of a list, with the place that wrote it."""
    if isinstance(node, Mapping):
        for key, entry in node.entries.items():
            place = preview.source((*path, key))
            if place is not None:
                yield entry.start, entry.end, place
            yield from _linked(preview, entry.node, (*path, key))
    elif isinstance(node, Sequence):
        for index, item in enumerate(node.items):
            place = preview.source((*path, index)) if isinstance(item, Scalar) else None
            if place is not None:
                yield item.start, item.end, place
            yield from _linked(preview, item, (*path, index))
