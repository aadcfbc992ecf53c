"""One listening socket of a daemon, served by uvicorn: nothing decided by signals, followers let go at the stop."""

from __future__ import annotations

import asyncio
import contextlib
from typing import TYPE_CHECKING

import uvicorn

from ajkit.daemon.protocol import HEADER_SECONDS, BoundedProtocol

if TYPE_CHECKING:
    import socket
    import ssl
    from collections.abc import Iterator

    from starlette.types import ASGIApp

    from ajkit.daemon.hub import Hub
    from ajkit.daemon.tls import Certificate

_GRACE_SECONDS = 3


class Server(uvicorn.Server):
    """Serves an app at a socket until `should_exit` is set."""

    def __init__(self, app: ASGIApp, listener: socket.socket, hub: Hub, certificate: Certificate | None = None) -> None:
        """`hub` is closed when the server stops, so that those who follow go before it waits for them."""
        config = uvicorn.Config(
            app,
            http=BoundedProtocol,
            ws="none",
            log_config=None,
            access_log=False,
            lifespan="off",
            server_header=False,
            proxy_headers=False,
            timeout_keep_alive=5,
            timeout_graceful_shutdown=_GRACE_SECONDS,
        )
        config.load()
        context: ssl.SSLContext | None = certificate.context if certificate else None
        config.ssl = context
        super().__init__(config)
        self.listens = asyncio.Event()
        self._listener = listener
        self._hub = hub

    async def serve(self, sockets: list[socket.socket] | None = None) -> None:
        """Serve until `should_exit` is set."""
        await super().serve(sockets or [self._listener])

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        """Leave signals to the daemon: uvicorn's own handling would end it before the journal is closed."""
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        """Listen. Uvicorn's own would leave a TLS handshake a minute."""
        await self.lifespan.startup()
        loop = asyncio.get_running_loop()

        def connection() -> BoundedProtocol:
            return BoundedProtocol(self.config, self.server_state, self.lifespan.state, loop)

        seconds = HEADER_SECONDS if self.config.ssl else None
        self.servers = [
            await loop.create_server(
                connection,
                sock=listener,
                ssl=self.config.ssl,
                ssl_handshake_timeout=seconds,
                backlog=self.config.backlog,
            )
            for listener in sockets or []
        ]
        self.started = True
        self.listens.set()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Stop listening and let those inside finish."""
        self._hub.close()
        await super().shutdown(sockets)
