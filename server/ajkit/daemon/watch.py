"""The outermost layer of a daemon's HTTP face: every request is timed, counted and logged, every answer made safe."""

from __future__ import annotations

import logging
import time
from typing import TYPE_CHECKING

from starlette.datastructures import MutableHeaders

from ajkit.daemon.guard import principal
from ajkit.daemon.refusals import RefusedRequest, answer

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send

    from ajkit.daemon.meters import Meters

log = logging.getLogger(__name__)

PATH = "aj.path"
"""The key of a request's scope under which a path leaves how the table of paths has it."""

HEAD_BYTES = 16 * 1024
"""How long the path, the query and the headers of a request may be."""

_ALWAYS = {
    "x-content-type-options": "nosniff",
    "referrer-policy": "no-referrer",
    "cross-origin-resource-policy": "same-origin",
    "cross-origin-opener-policy": "same-origin",
}
_UNLESS_SET = {
    "cache-control": "no-store",
    "content-security-policy": "default-src 'none'; frame-ancestors 'none'; base-uri 'none'; form-action 'none'",
}


class Watch:
    """Wraps an app. `loudly`: requests are logged (those of a team), not only counted."""

    def __init__(self, app: ASGIApp, meters: Meters, *, loudly: bool) -> None:
        self._app = app
        self._meters = meters
        self._loudly = loudly

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on."""
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        began, status, streams = time.monotonic(), 0, False

        async def dressed(message: Message) -> None:
            nonlocal status, streams
            if message["type"] == "http.response.start":
                status = message["status"]
                headers = MutableHeaders(raw=message["headers"])
                streams = headers.get("content-type", "").startswith("text/event-stream")
                self._meters.streams += streams
                headers.update(_ALWAYS)
                for name, value in _UNLESS_SET.items():
                    headers.setdefault(name, value)
            await send(message)

        try:
            _check_head(scope)
            await self._app(scope, receive, dressed)
        except RefusedRequest as refused:
            # Refused by the door while no path had the request yet.
            await answer(refused.document)(scope, receive, dressed)
        finally:
            self._meters.streams -= streams
            self._count(scope, status, time.monotonic() - began, streams=streams)

    def _count(self, scope: Scope, status: int, seconds: float, *, streams: bool) -> None:
        path = scope.get(PATH, "other")
        self._meters.requests[scope["method"] if path != "other" else "other", path, str(status)] += 1
        if not streams:
            self._meters.times[path].add(seconds)
        if self._loudly:
            remote = scope.get("client") or ("",)
            fields = {
                "method": scope["method"],
                "path": scope["path"],
                "status": status,
                "ms": round(seconds * 1000, 1),
                "token": principal(scope).name,
                "remote": remote[0],
            }
            log.info("request", extra={"fields": fields})


def _check_head(scope: Scope) -> None:
    size = len(scope["raw_path"]) + len(scope["query_string"])
    size += sum(len(name) + len(value) for name, value in scope["headers"])
    if size > HEAD_BYTES:
        raise RefusedRequest("request.head", f"{HEAD_BYTES} bytes are taken, not {size}")
