"""Commands about previews, for clients without documents of the server's making, and the way from source to preview."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ajkit.lsp.arguments import Arguments
from ajkit.lsp.effective import effective_path
from ajkit.lsp.failure import INVALID_PARAMS, RequestFailed
from ajkit.lsp.preview import ENDINGS
from ajkit.lsp.previews import preview_uri
from ajkit.lsp.telling import problems_data, versioned
from ajkit.shared.template.query import spot_at
from ajkit.shared.template.secrets import masked
from ajkit.shared.where import format_keypath

if TYPE_CHECKING:
    from ajkit.lsp.capabilities import Client
    from ajkit.lsp.session import Session


def preview(session: Session, _client: Client, arguments: list[Any]) -> dict[str, Any]:
    """`aj.preview` (uri, kind, request): what a template comes to, as text.

    `kind` is ``spec`` (the default), ``merged`` or ``amlt``; `request` holds members like those of `aj run`, and counts
    for this preview from now on. `stale` says that the text is the last good one; `problems` are those of now.
    """
    given = Arguments(arguments, ("uri", "kind", "request"))
    path, kind = given.template(), given.one_of("kind", ENDINGS, "spec")
    return versioned(kind=kind, **_given(session, given, path, kind))


def merged(session: Session, _client: Client, arguments: list[Any]) -> dict[str, Any]:
    """`aj.merged` (uri, request): the merged config as text and as a value; secrets are masked in both."""
    given = Arguments(arguments, ("uri", "request"))
    path = given.template()
    answer = _given(session, given, path, "merged")
    shown = session.previews.shown(session, answer["uri"])
    return versioned(**answer, config=masked(shown.resolved.config) if shown else None)


def reveal(session: Session, _client: Client, arguments: list[Any]) -> dict[str, Any]:
    """`aj.revealInPreview` (uri, position, preview): where a preview shows the key under the cursor.

    `preview` is the URI of the preview, by default the merged config of this very template; for a base it is that of a
    template that extends it. `range` is null where the preview does not show it.
    """
    given = Arguments(arguments, ("uri", "position", "preview"))
    path = given.template()
    uri = given.text("preview") or preview_uri("merged", path)
    shown = session.previews.shown(session, uri)
    if shown is None:
        raise RequestFailed(f"{uri} is no preview", INVALID_PARAMS)
    found = given.cursor(session)
    if found is None:
        return versioned(uri=uri, range=None, keypath=None)
    view, offset = found
    spot = spot_at(view.file, offset)
    if spot is None or not spot.in_config:
        return versioned(uri=uri, range=None, keypath=None)
    keypath = effective_path(shown.resolved, view.file, spot.config_path)
    return versioned(uri=uri, range=shown.shows(keypath), keypath=format_keypath(keypath))


def _given(session: Session, given: Arguments, path: str, kind: str) -> dict[str, Any]:
    if given.get("request") is not None:
        session.previews.ask(session, kind, path, given.mapping("request"))
    found = session.previews.give(session, kind, path)
    return {
        "uri": preview_uri(kind, path),
        "text": found.shown.text.content,
        "digest": found.fresh.digest,
        "problems": problems_data(session, found.fresh.problems),
        "stale": found.shown is not found.fresh,
    }
