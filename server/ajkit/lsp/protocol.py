"""The wire, hardened: pygls carries the messages, this decides which of them are answered and how.

Parameters and results stay the plain values of JSON: lsprotocol's classes cost half a millisecond a message and refuse
requests without an answer when one optional member is odd. What pygls 2.1 does otherwise and clients suffer from:

- a request with parameters it does not expect, or with a nested key ``jsonrpc``, gets no answer;
- before `initialize` requests fail as internal errors, after `shutdown` they get no answer;
- cancelling a command does not reach it;
- an error while sending is reported by sending.
"""

from __future__ import annotations

import asyncio
import json
import logging
from typing import TYPE_CHECKING, Any, NoReturn

from pygls.protocol import LanguageServerProtocol

from ajkit.lsp.failure import (
    INTERNAL_ERROR,
    INVALID_REQUEST,
    METHOD_NOT_FOUND,
    NOT_INITIALIZED,
    REQUEST_CANCELLED,
    RequestFailed,
)
from ajkit.lsp.wellformed import require

if TYPE_CHECKING:
    from collections.abc import Callable

log = logging.getLogger("aj.lsp")

QUIET = frozenset({"$/setTrace", "$/logTrace", "initialized", "exit"})
"""Notifications that need no handler."""


class HardenedProtocol(LanguageServerProtocol):
    """Answers every request exactly once, whatever it looks like."""

    def __init__(self, *args: Any, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self.requests: dict[str, Callable[[Any], Any]] = {}
        self.notifications: dict[str, Callable[[Any], Any]] = {}
        self.heard: Callable[[], None] = _nothing
        self.initialized = False
        self.exit_code = 1
        self._running: dict[Any, asyncio.Task[None]] = {}
        self._asked = 0

    def _register_builtin_features(self) -> None:
        """None of pygls's own handlers: documents and capabilities are ours."""

    def structure_message(self, data: dict[str, Any]) -> dict[str, Any]:
        """Leave messages as they are; called for every nested object too."""
        return data

    def handle_message(self, message: Any) -> None:
        """One message from the client."""
        self.heard()
        if not isinstance(message, dict) or message.get("jsonrpc") != self.VERSION:
            identity = message.get("id") if isinstance(message, dict) else None
            self.fail(identity, INVALID_REQUEST, "not a JSON-RPC 2.0 message")
            return
        method, identity = message.get("method"), message.get("id")
        if method is None:
            self._answered(message)
        elif not isinstance(method, str):
            self.fail(identity, INVALID_REQUEST, "the method must be text")
        elif "id" in message:
            self._request(identity, method, message.get("params"))
        else:
            self._notification(method, message.get("params"))

    # -- from the client --------------------------------------------------------------------------------------------

    def _request(self, identity: Any, method: str, params: Any) -> None:
        if self._shutdown:
            self.fail(identity, INVALID_REQUEST, "the server is shutting down")
            return
        if not self.initialized and method != "initialize":
            self.fail(identity, NOT_INITIALIZED, "the server is not initialized yet")
            return
        if method == "initialize" and self.initialized:
            self.fail(identity, INVALID_REQUEST, "the server is initialized already")
            return
        if method == "shutdown":
            self._stop_work()
            self._shutdown = True
            self.answer(identity, None)
            return
        handler = self.requests.get(method)
        if handler is None:
            self.fail(identity, METHOD_NOT_FOUND, f"{method} is not served")
            return
        try:
            require(method, params)
            result = handler(params)
            if asyncio.iscoroutine(result):
                task = asyncio.ensure_future(self._finish(identity, method, result))
                self._running[_key(identity)] = task
                task.add_done_callback(lambda _: self._running.pop(_key(identity), None))
                return
        except Exception as error:  # noqa: BLE001 - a fault in one handler must not end the server
            self._failed(identity, method, error)
            return
        if method == "initialize":
            self.initialized = True
        self.answer(identity, result)

    async def _finish(self, identity: Any, method: str, work: Any) -> None:
        try:
            self.answer(identity, await work)
        except asyncio.CancelledError:
            self.fail(identity, REQUEST_CANCELLED, "cancelled")
        except Exception as error:  # noqa: BLE001 - as above
            self._failed(identity, method, error)

    def _failed(self, identity: Any, method: str, error: Exception) -> None:
        if isinstance(error, RequestFailed):
            self.fail(identity, error.code, str(error), error.data)
        else:
            log.error("%s failed", method, exc_info=error)
            self.fail(identity, INTERNAL_ERROR, f"{method} failed: {type(error).__name__}: {error}")

    def _notification(self, method: str, params: Any) -> None:
        if method == "exit":
            self._exit()
        if method == "$/cancelRequest":
            task = self._running.get(_key(params.get("id") if isinstance(params, dict) else None))
            if task is not None:
                task.cancel()
            return
        if self._shutdown or not self.initialized:
            return
        handler = self.notifications.get(method)
        if handler is None:
            if method not in QUIET and not method.startswith("$/"):
                log.debug("no handler for %s", method)
            return
        try:
            result = handler(params)
            if asyncio.iscoroutine(result):
                task = asyncio.ensure_future(result)
                task.add_done_callback(lambda done: _log_failure(method, done))
        except Exception:
            log.exception("%s failed", method)

    def _answered(self, message: dict[str, Any]) -> None:
        """The client's answer to a request of ours."""
        future = self._request_futures.pop(message.get("id"), None)  # type: ignore[arg-type]
        if future is None or future.cancelled():
            return
        error = message.get("error")
        if error is not None:
            words = error.get("message", "") if isinstance(error, dict) else str(error)
            code = error.get("code", INTERNAL_ERROR) if isinstance(error, dict) else INTERNAL_ERROR
            future.set_exception(RequestFailed(words, code))
        else:
            future.set_result(message.get("result"))

    def _stop_work(self) -> None:
        for task in list(self._running.values()):
            task.cancel()

    def _exit(self) -> NoReturn:
        self.exit_code = 0 if self._shutdown else 1
        self._shutdown = True
        self._stop_work()
        raise SystemExit(self.exit_code)

    # -- to the client ----------------------------------------------------------------------------------------------

    def answer(self, identity: Any, result: Any) -> None:
        """Answer a request."""
        self._send_data({"jsonrpc": self.VERSION, "id": identity, "result": result})

    def fail(self, identity: Any, code: int, message: str, data: Any = None) -> None:
        """Answer a request with an error."""
        error = {"code": code, "message": message, **({"data": data} if data is not None else {})}
        self._send_data({"jsonrpc": self.VERSION, "id": identity, "error": error})

    def tell(self, method: str, params: Any) -> None:
        """Send a notification; nothing is sent before `initialize` was answered or after `shutdown`."""
        if self.initialized and not self._shutdown:
            self._send_data({"jsonrpc": self.VERSION, "method": method, "params": params})

    def ask(self, method: str, params: Any) -> asyncio.Future[Any]:
        """Send a request; the future fails with `RequestFailed` when the client refuses."""
        self._asked += 1
        identity = f"aj-{self._asked}"
        future: asyncio.Future[Any] = asyncio.get_running_loop().create_future()
        self._request_futures[identity] = future  # type: ignore[assignment]
        self._send_data({"jsonrpc": self.VERSION, "id": identity, "method": method, "params": params})
        return future

    def _send_data(self, data: Any) -> None:
        if self.writer is None:
            return
        body = json.dumps(data, separators=(",", ":"), ensure_ascii=False).encode("utf-8", "replace")
        header = b"Content-Length: %d\r\n\r\n" % len(body) if self._include_headers else b""
        try:
            self.writer.write(header + body)
        except (OSError, ValueError) as error:  # the client is gone: there is nobody to tell
            log.error("cannot write to the client: %s", error)  # noqa: TRY400 - the trace says nothing more
            self._exit()


def _nothing() -> None:
    """Nobody wants to know."""


def _key(identity: Any) -> tuple[type, Any]:
    """Request ids 1 and "1" are two; anything that is no id is its text."""
    return type(identity), identity if isinstance(identity, int | str) else str(identity)


def _log_failure(method: str, done: asyncio.Future[Any]) -> None:
    if not done.cancelled() and done.exception() is not None:
        log.error("%s failed", method, exc_info=done.exception())
