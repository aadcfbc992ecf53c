"""HTTP/1.1 as uvicorn speaks it, with what it leaves open to clients that dawdle, babble or come in crowds."""

from __future__ import annotations

from typing import TYPE_CHECKING

from uvicorn.protocols.http.h11_impl import H11Protocol

from ajkit.shared.contract import PROBLEM_TYPE, problem_document

if TYPE_CHECKING:
    import asyncio

    from uvicorn.protocols.http.h11_impl import RequestResponseCycle

HEADER_SECONDS = 10.0
"""For how long the head of a request may be on its way."""

MOST_CONNECTIONS = 420
"""Connections at one address: two of them, and the files of the journal, stay below the usual limit of 1024."""


class BoundedProtocol(H11Protocol):
    """One connection."""

    _head: asyncio.TimerHandle | None = None

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]
        """Begin to wait for a request; a connection too many is ended."""
        super().connection_made(transport)
        if len(self.connections) > MOST_CONNECTIONS:
            transport.abort()
            return
        self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        """The connection is gone."""
        self._forget_head()
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        """Bytes came; while they are not a whole head, time runs."""
        super().data_received(data)
        if self._answering():
            self._forget_head()
        else:
            self._await_head()

    def send_400_response(self, msg: str) -> None:
        """What came is not HTTP: say so once, unless an answer is under way."""
        if not self._answering():
            document = problem_document("request.malformed", f"{msg} A head may be 16 KiB long.")
            body = document.model_dump_json().encode()
            head = (
                f"HTTP/1.1 {document.status} Bad Request\r\nContent-Type: {PROBLEM_TYPE}\r\n"
                f"Content-Length: {len(body)}\r\nConnection: close\r\n\r\n"
            )
            self.transport.write(head.encode() + body)
        self.transport.close()

    def _answering(self) -> bool:
        """Whether a request has come whose answer is not out."""
        cycle: RequestResponseCycle | None = self.cycle
        return cycle is not None and not cycle.response_complete

    def _await_head(self) -> None:
        if self._head is None:
            self._head = self.loop.call_later(HEADER_SECONDS, self._give_up)

    def _forget_head(self) -> None:
        if self._head is not None:
            self._head.cancel()
            self._head = None

    def _give_up(self) -> None:
        self._head = None
        self.transport.abort()
