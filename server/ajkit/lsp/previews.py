"""Preview documents: what a template comes to while it is typed, and the last good text of each."""

from __future__ import annotations

from dataclasses import dataclass
from functools import wraps
from typing import TYPE_CHECKING, Any, NamedTuple

from ajkit.lsp import convert
from ajkit.lsp.asked import preview_facts, preview_request
from ajkit.lsp.preview import ENDINGS, Preview, drawn, not_drawn
from ajkit.shared.problem import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    from ajkit.lsp.capabilities import Client
    from ajkit.lsp.session import Session

    Feature = Callable[[Session, Client, Any], Any]
    Key = tuple[str, str]

KEPT = 32
"""How many documents are remembered; an editor shows a few."""


def preview_uri(kind: str, path: str) -> str:
    """The URI of a preview of a template."""
    return convert.preview_uri(kind, path + ENDINGS[kind])


def read_preview_uri(uri: str) -> tuple[str, str] | None:
    """The kind of a preview and the path of its template; None for what is no preview's URI."""
    found = convert.preview_of(uri)
    if found is None or found[0] not in ENDINGS:
        return None
    kind, path = found
    return (kind, path.removesuffix(ENDINGS[kind])) if path.endswith(ENDINGS[kind]) else None


class Look(NamedTuple):
    """What a preview shows, and how it was drawn just now: another one while the template cannot be read."""

    shown: Preview
    fresh: Preview


def or_in_preview(of_template: Feature, of_preview: Feature) -> Feature:
    """A feature that answers about templates in one way and inside previews in another."""

    @wraps(of_template)
    def either(session: Session, client: Client, params: dict[str, Any]) -> Any:
        in_preview = convert.preview_of(params["textDocument"]["uri"]) is not None
        return (of_preview if in_preview else of_template)(session, client, params)

    return either


@dataclass(slots=True)
class _Open:
    """A document as a client has it, by the URI the client calls it.

    `news` is what it should have instead, drawn when the session was at `state`; the client was told that there is.
    """

    key: Key
    preview: Preview
    news: Preview | None = None
    state: int = 0


class Previews:
    """The previews of one session: what each is asked for, its last good text, and what the client has."""

    def __init__(self) -> None:
        self._asked: dict[Key, Mapping[str, Any]] = {}
        self._good: dict[Key, Preview] = {}
        self._open: dict[str, _Open] = {}
        self._given: dict[str, Preview] = {}

    def ask(self, session: Session, kind: str, path: str, request: Mapping[str, Any]) -> None:
        """Draw a preview for a request of its own from now on, not for that of the settings alone.

        Raises:
            RequestFailed: the request makes no sense.
        """
        preview_request(path, request, session.settings.preview)
        preview_facts(request, session.surroundings)
        _put(self._asked, (kind, path), request)

    def look(self, session: Session, kind: str, path: str) -> Look:
        """What a template comes to now; while it cannot be read, what it came to last is shown."""
        key = (kind, path)
        asked = self._asked.get(key, {})
        request = preview_request(path, asked, session.settings.preview)
        try:
            fresh = drawn(session, kind, request, preview_facts(asked, session.surroundings))
        except UsageError as error:
            fresh = not_drawn(session, kind, request, str(error))
            return Look(fresh, fresh)
        if not fresh.whole:
            return Look(self._good.get(key, fresh), fresh)
        _put(self._good, key, fresh)
        return Look(fresh, fresh)

    def give(self, session: Session, kind: str, path: str) -> Look:
        """The same, for a client that keeps the text in a document of its own making."""
        found = self.look(session, kind, path)
        _put(self._given, preview_uri(kind, path), found.shown)
        return found

    def content(self, session: Session, uri: str) -> str | None:
        """The text of a preview document, which the client has from now on; None for other URIs."""
        key = read_preview_uri(uri)
        if key is None:
            return None
        known = self._open.get(uri)
        news = known.news if known is not None and known.state == session.state else None
        found = news or self.look(session, *key).shown
        _put(self._open, uri, _Open(key, found))
        return found.text.content

    def shown(self, session: Session, uri: str) -> Preview | None:
        """The preview that a client has under a URI: positions in it count by that text."""
        if uri in self._open:
            return self._open[uri].preview
        key = read_preview_uri(uri)
        if key is None:
            return None
        return self._given.get(preview_uri(*key)) or self.look(session, *key).shown

    def close(self, uri: str) -> None:
        """A client closed a document: it is drawn anew when it is opened again."""
        known = self._open.pop(uri, None)
        if known is not None:
            self._good.pop(known.key, None)

    def outdated(self, session: Session) -> list[str]:
        """The documents whose text has changed since the client took it, each once until it takes it again."""
        found = []
        for uri, known in self._open.items():
            if known.news is not None:
                continue
            fresh = self.look(session, *known.key).shown
            if fresh.text.content != known.preview.text.content:
                known.news, known.state = fresh, session.state
                found.append(uri)
        return found

    def reads(self) -> set[str]:
        """Every path that the documents which clients have were made from."""
        return {path for each in self._open.values() for path in each.preview.resolved.reads}


def _put(kept: dict[Any, Any], key: Any, value: Any) -> None:
    """Remember the newest few."""
    kept.pop(key, None)
    kept[key] = value
    while len(kept) > KEPT:
        del kept[next(iter(kept))]
