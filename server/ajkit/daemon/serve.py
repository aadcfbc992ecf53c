"""One daemon from its first breath to its last: its parts put together, its socket open, its stop in good order."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import signal
import sys
from typing import TYPE_CHECKING

import uvicorn

from ajkit import __version__
from ajkit.backends.registry import registry
from ajkit.daemon import place, records
from ajkit.daemon.app import make_app
from ajkit.daemon.door import Door
from ajkit.daemon.engines import Engines
from ajkit.daemon.hub import Hub
from ajkit.daemon.journal import Journal
from ajkit.daemon.ledger import Ledger
from ajkit.daemon.parts import Parts
from ajkit.daemon.queue import Queue
from ajkit.daemon.store import CodeStore
from ajkit.daemon.upkeep import forget_daily, until_idle
from ajkit.shared.contract import NOTE, Endpoint
from ajkit.submit.registry import Executions

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Iterator, Mapping

    from ajkit.daemon.settings import Settings

log = logging.getLogger(__name__)

_GRACE_SECONDS = 3


class _Server(uvicorn.Server):
    """Uvicorn that says when it listens, and lets those who follow go before it waits for them."""

    def __init__(self, config: uvicorn.Config, hub: Hub, listening: Callable[[], None]) -> None:
        super().__init__(config)
        self._hub = hub
        self._listening = listening

    @contextlib.contextmanager
    def capture_signals(self) -> Iterator[None]:
        # Uvicorn's own sends the signal again at the end, which would end us before the journal is closed.
        loop = asyncio.get_running_loop()
        for each in (signal.SIGTERM, signal.SIGINT):
            loop.add_signal_handler(each, self.handle_exit, each, None)
        yield

    async def startup(self, sockets: list[socket.socket] | None = None) -> None:
        await super().startup(sockets)
        self._listening()

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        self._hub.close()
        await super().shutdown(sockets)


def serve(settings: Settings, environ: Mapping[str, str], listening: Callable[[], None]) -> None:
    """Run a daemon until it is told to stop or is not needed. The caller holds the lock on its state.

    Raises:
        AjError: it cannot start.
    """
    logging.basicConfig(stream=sys.stderr, level=logging.INFO, format="%(asctime)s %(levelname)s %(name)s: %(message)s")
    logging.getLogger("uvicorn").setLevel(logging.WARNING)
    journal = Journal(os.path.join(settings.state, "journal.sqlite3"))
    address = place.socket_path(settings.state, environ)
    listener = place.bind(address)
    try:
        asyncio.run(_serve(settings, journal, listener, address, listening))
    finally:
        place.remove(os.path.join(settings.state, NOTE))
        place.remove(address)
        listener.close()
        journal.close()
        log.info("stopped")


async def _serve(
    settings: Settings, journal: Journal, listener: socket.socket, address: str, listening: Callable[[], None]
) -> None:
    hub, engines, executions = Hub(), Engines(), Executions()
    ledger = Ledger(journal, hub)
    store = CodeStore(os.path.join(settings.state, "code"), size=settings.code_bytes, entries=settings.code_entries)
    queue = Queue(os.path.join(settings.state, "jobs"), ledger, engines, executions, store, hub)
    parts = Parts(settings, records.utc_now(), ledger, hub, store, queue, engines, executions, registry())
    door = Door(make_app(parts), settings.body_bytes, settings.slow_seconds)

    def open_for_all() -> None:
        note = Endpoint(socket=address, pid=os.getpid(), version=__version__)
        place.write_note(settings.state, note.model_dump_json())
        log.info("aj %s listens at %s (journal mode %s)", __version__, address, journal.mode)
        listening()

    config = uvicorn.Config(
        door,
        log_config=None,
        access_log=False,
        lifespan="off",
        server_header=False,
        timeout_keep_alive=5,
        timeout_graceful_shutdown=_GRACE_SECONDS,
    )
    server = _Server(config, hub, open_for_all)

    async def stop_when_idle() -> None:
        await until_idle(parts, door)
        log.info("nothing to do: stopping")
        server.should_exit = True

    await queue.start()
    chores = [asyncio.create_task(stop_when_idle()), asyncio.create_task(forget_daily(parts))]
    try:
        await server.serve(sockets=[listener])
    finally:
        for each in chores:
            each.cancel()
        await asyncio.gather(*chores, return_exceptions=True)
        await queue.stop()
        await asyncio.to_thread(engines.close)
