"""The door of the daemon: who is inside, since when nobody was, and what a request may bring and how slowly."""

from __future__ import annotations

import asyncio
import time
from typing import TYPE_CHECKING

from ajkit.daemon.refusals import RefusedRequest
from ajkit.shared.contract import CODE

if TYPE_CHECKING:
    from starlette.types import ASGIApp, Message, Receive, Scope, Send


MOST_INSIDE = 400
"""Requests at once, those that follow jobs counted; each has a connection, and some a file."""

SLOWEST_BYTES = 4096
"""How many bytes of a body must come in a second, once it has been on its way for a while."""


class Door:
    """Wraps the app."""

    def __init__(self, app: ASGIApp, body_bytes: int, slow_seconds: float) -> None:
        """The size of code archives is not limited here but by their store."""
        self._app = app
        self._body_bytes = body_bytes
        self._slow_seconds = slow_seconds
        self._inside = 0
        self._left = time.monotonic()

    @property
    def quiet_seconds(self) -> float:
        """For how long there has been no request."""
        return 0.0 if self._inside else time.monotonic() - self._left

    async def __call__(self, scope: Scope, receive: Receive, send: Send) -> None:
        """Pass a request on.

        Raises:
            RefusedRequest: too many are inside.
        """
        if scope["type"] != "http":
            await self._app(scope, receive, send)
            return
        if self._inside >= MOST_INSIDE:
            raise RefusedRequest("request.busy", f"{self._inside} requests are under way; ask again in a moment")
        self._inside += 1
        try:
            await self._app(scope, self._bounded(scope, receive), send)
        finally:
            self._inside -= 1
            self._left = time.monotonic()

    def _bounded(self, scope: Scope, receive: Receive) -> Receive:
        limit = None if scope["path"].startswith(f"{CODE}/") else self._body_bytes
        size, arrived, began = 0, False, time.monotonic()

        async def bounded() -> Message:
            nonlocal size, arrived
            if arrived:
                return await receive()
            try:
                async with asyncio.timeout(self._slow_seconds):
                    message = await receive()
            except TimeoutError:
                raise RefusedRequest("request.timeout", f"nothing came for {self._slow_seconds:g} seconds") from None
            size += len(message.get("body", b""))
            if time.monotonic() - began > 3 * self._slow_seconds + size / SLOWEST_BYTES:
                raise RefusedRequest("request.timeout", f"less than {SLOWEST_BYTES} bytes came in a second")
            arrived = not message.get("more_body", False)
            if limit is not None and size > limit:
                raise RefusedRequest("request.too-large", f"at most {limit} bytes are taken at {scope['path']}")
            return message

        return bounded
