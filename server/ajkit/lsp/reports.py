"""What is wrong in open documents, as the client has been told it: pushed, or asked for with the id of what it has."""

from __future__ import annotations

import json
from hashlib import sha256
from operator import is_
from typing import TYPE_CHECKING, Any, NamedTuple

from ajkit.lsp import convert
from ajkit.lsp.diagnostics import diagnostic
from ajkit.lsp.gathered import Gathered

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ajkit.lsp.capabilities import Client
    from ajkit.lsp.session import Session
    from ajkit.lsp.view import View
    from ajkit.shared.problem import Problem
    from ajkit.shared.where import Text

Items = list[dict[str, Any]]
"""The diagnostics of a document, ready to send."""

_DIGITS = 16


class _Given(NamedTuple):
    """What a client that asks was given, and for which version of the document."""

    version: int | None
    items: Items


class _Made(NamedTuple):
    """The diagnostics of a file, and all that they were made from."""

    problems: list[Problem]
    texts: list[Text]
    uris: list[str]
    items: Items


class Told(NamedTuple):
    """The diagnostics of a document with their id: the same set has the same id, also after a restart."""

    items: Items
    identity: str


def told(items: Items) -> Told:
    """Diagnostics with their id."""
    if not items:
        return NOTHING
    body = json.dumps(items, separators=(",", ":")).encode("utf-8", "surrogatepass")
    return Told(items, sha256(body).hexdigest()[:_DIGITS])


NOTHING = Told([], "0")
"""No problems."""


def report(now: Told, previous: Any) -> dict[str, Any]:
    """A report for a client that has what `previous` is the id of: all, or that nothing changed."""
    if now.identity == previous:
        return {"kind": "unchanged", "resultId": now.identity}
    return {"kind": "full", "resultId": now.identity, "items": now.items}


class Reports:
    """The reports of one session.

    A client that asks is pushed nothing: it would show everything twice.
    """

    def __init__(self) -> None:
        self._views: dict[str, View] = {}
        self._gathered = Gathered()
        self._found: dict[str, Items] = {}
        self._made: dict[str, _Made] = {}
        self._published: dict[str, dict[str, Any]] = {}
        self._given: dict[str, _Given] = {}
        self._related: set[str] = set()
        self.whole = False
        """Whether the client asks for the whole workspace, so that files which are not open need no other way."""

    def of_open(self, session: Session, client: Client) -> dict[str, Items]:
        """What is wrong with the open templates, by document; some of these are files that are not open."""
        before, now = self._views, {view.buffer.uri: view for view in session.views()}
        self._views = now
        for uri, view in now.items():
            if before.get(uri) is not view:
                self._gathered.put(uri, view.problems)
        for uri in before.keys() - now.keys():
            self._gathered.drop(uri)
        for uri in before.keys() ^ now.keys():
            if uri != convert.uri_of((now.get(uri) or before[uri]).path):
                self._gathered.changed.update(self._made)  # others may name this document by another URI now
        self._make(session, client)
        return self._found

    def _make(self, session: Session, client: Client) -> None:
        """Make the diagnostics of all files whose problems may be others now."""
        changed = self._gathered.changed
        if not changed:
            return
        for path in changed:
            problems = self._gathered.of(path)
            if problems:
                self._made[path] = self._made_of(session, client, path, problems)
            else:
                self._made.pop(path, None)
        changed.clear()
        self._found = {session.uri_of(path): self._made[path].items for path in sorted(self._made)}

    def _made_of(self, session: Session, client: Client, path: str, problems: list[Problem]) -> _Made:
        """The diagnostics of one file: those of before where nothing about them is new, as in most files at an edit."""
        related = [each.span for problem in problems for each in problem.related]
        uris = [session.uri_of(each.path) for each in related]
        texts = [*(each.span.text for each in problems if each.span), *(each.text for each in related)]
        known = self._made.get(path)
        if (
            known is not None
            and known.uris == uris
            and len(known.texts) == len(texts)
            and all(map(is_, known.texts, texts))
            and known.problems == problems
        ):
            return known
        return _Made(problems, texts, uris, sent(session, client, problems))

    # -- pushed -----------------------------------------------------------------------------------------------------

    def publish(self, session: Session, client: Client) -> Iterator[dict[str, Any]]:
        """The parameters of the notifications that the client needs to have the present set."""
        found = self.of_open(session, client)
        known: dict[str, dict[str, Any]] = {uri: {"uri": uri, "diagnostics": items} for uri, items in found.items()}
        for view in session.known_views():
            known.setdefault(view.buffer.uri, {"uri": view.buffer.uri, "diagnostics": []})
            if view.buffer.version is not None:
                known[view.buffer.uri]["version"] = view.buffer.version
        for uri in self._published.keys() - known.keys():
            known[uri] = {"uri": uri, "diagnostics": []}
        before, self._published = (
            self._published,
            {uri: each for uri, each in known.items() if each["diagnostics"] or "version" in each},
        )
        for uri, message in known.items():
            if message != before.get(uri):
                yield message

    # -- asked for --------------------------------------------------------------------------------------------------

    def of_document(self, session: Session, client: Client, uri: str, previous: Any) -> dict[str, Any]:
        """The report of an open document, with those of files it drags in where the client takes them."""
        found = self.of_open(session, client)
        buffer = session.buffers.get(uri)
        items = found.get(uri, [])
        if buffer is not None:
            self._given[uri] = _Given(buffer.version, items)
        answer = report(told(items), previous)
        if not self.whole and client.has("textDocument", "diagnostic", "relatedDocumentSupport"):
            others = {each: items for each, items in found.items() if each not in session.buffers}
            wanted = others | {each: [] for each in self._related - others.keys() if each not in session.buffers}
            self._related = set(others)
            if wanted:
                answer["relatedDocuments"] = {each: report(told(items), None) for each, items in wanted.items()}
        return answer

    def has_news(self, session: Session, client: Client) -> bool:
        """Whether open documents that were not edited since the client asked have other problems now."""
        self._given = {uri: each for uri, each in self._given.items() if uri in session.buffers}
        if not self._given:
            return False
        found = self.of_open(session, client)
        return any(
            session.buffers[uri].version == given.version and found.get(uri, []) != given.items
            for uri, given in self._given.items()
        )


def sent(session: Session, client: Client, problems: Iterable[Problem]) -> Items:
    """Problems of one file as diagnostics, ready to send."""

    def can(what: str) -> bool:
        return any(client.has("textDocument", way, what) for way in ("publishDiagnostics", "diagnostic"))

    page = session.page if can("codeDescriptionSupport") else ""
    related, tagged = can("relatedInformation"), can("tagSupport")
    made = [diagnostic(each, session.uri_of, page, related=related, tagged=tagged) for each in problems]
    return convert.wire(made, session.encoding)  # type: ignore[no-any-return]
