"""The guard at a daemon's door: who is let in, under which name, and nobody by way of a page of another site."""

from __future__ import annotations

import asyncio
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING
from urllib.parse import urlsplit

from starlette.datastructures import Headers

from ajkit.daemon.refusals import RefusedRequest, answer
from ajkit.daemon.web import PUBLIC

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Receive, Scope, Send

    from ajkit.daemon.listen import Names
    from ajkit.daemon.tokens import Tokens

PRINCIPAL = "aj.principal"
"""The key of a request's scope under which the guard leaves who sent it."""

_DRAIN_BYTES, _DRAIN_SECONDS = 1 << 16, 1.0


@dataclass(frozen=True, slots=True)
class Principal:
    """Who sent a request: the name of the token, and whether it may only look."""

    name: str
    read_only: bool


OWNER = Principal("", read_only=False)
"""Whoever comes through the socket: its owner."""


def principal(scope: Scope) -> Principal:
    """Who sent a request."""
    found = scope.get(PRINCIPAL, OWNER)
    assert isinstance(found, Principal)
    return found


class Guard:
    """Wraps the app of one address."""

    def __init__(self, app: ASGIApp, names: Names, tokens: Tokens | None) -> None:
        """`names` are those the daemon may be called by; without `tokens` whoever can connect is its owner."""
        self._app = app
        self._tokens = tokens
        self._names = names

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Let a request in, or answer why not without having looked at its body."""
        if scope["type"] != "http":
            return
        try:
            headers = Headers(scope=scope)
            self._check_place(headers)
            if self._tokens is not None and (scope["path"] not in PUBLIC or "authorization" in headers):
                scope[PRINCIPAL] = _check_token(self._tokens, scope["method"], headers)
        except RefusedRequest as refused:
            response = answer(refused.document)
            response.headers["connection"] = "close"
            if refused.document.status == 401:
                response.headers["www-authenticate"] = 'Bearer realm="aj"'
            await _drain(receive)
            await response(scope, receive, send)
        else:
            await self._app(scope, receive, send)

    def _check_place(self, headers: Headers) -> None:
        hosts = headers.getlist("host")
        if len(hosts) != 1 or not self._names.has(hosts[0]):
            raise RefusedRequest(
                "request.host", "give the daemon the name you call it by: aj serve --host NAME, or AJ_HOST"
            )
        for origin in headers.getlist("origin"):
            if urlsplit(origin).netloc.lower() != hosts[0].lower():
                raise RefusedRequest("request.origin", "only the daemon's own page may ask")


def _check_token(tokens: Tokens, method: str, headers: Headers) -> Principal:
    given = headers.getlist("authorization")
    kind, _, text = given[0].partition(" ") if len(given) == 1 else ("", "", "")
    if kind.lower() != "bearer" or not text.strip():
        raise RefusedRequest("token.missing", "send `Authorization: Bearer TOKEN` (clients: AJ_TOKEN)")
    token = tokens.find(text.strip())
    if token is None:
        raise RefusedRequest("token.wrong", "it was mistyped or revoked; aj serve token add makes another")
    if token.has_expired(datetime.now(UTC)):
        raise RefusedRequest("token.expired", f"the token {token.name} was good until {token.expires_at}")
    if token.read_only and method not in {"GET", "HEAD"}:
        raise RefusedRequest("token.read-only", f"the token {token.name} was made with --read-only")
    return Principal(token.name, token.read_only)


async def _drain(receive: Receive) -> None:
    """Take a small body, so that a client that is still sending it gets to read why it was refused."""
    taken = 0
    try:
        async with asyncio.timeout(_DRAIN_SECONDS):
            while taken < _DRAIN_BYTES:
                message = await receive()
                taken += len(message.get("body", b""))
                if not message.get("more_body", False):
                    return
    except TimeoutError:
        return
