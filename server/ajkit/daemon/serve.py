"""One daemon from its first breath to its last: its parts put together, its sockets open, its stop in good order."""

from __future__ import annotations

import asyncio
import gc
import logging
import os
import signal
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from ajkit import __version__
from ajkit.backends.registry import registry
from ajkit.daemon import listen as tcp
from ajkit.daemon import place, records
from ajkit.daemon.app import make_app
from ajkit.daemon.door import Door
from ajkit.daemon.engines import Engines
from ajkit.daemon.guard import Guard
from ajkit.daemon.hub import Hub
from ajkit.daemon.journal import Journal
from ajkit.daemon.ledger import Ledger
from ajkit.daemon.live import Live
from ajkit.daemon.logs import LogForm, start_logging
from ajkit.daemon.meters import Meters
from ajkit.daemon.parts import Parts
from ajkit.daemon.queue import Queue
from ajkit.daemon.server import Server
from ajkit.daemon.store import CodeStore
from ajkit.daemon.tls import Certificate, certificate_of
from ajkit.daemon.tokens import Tokens
from ajkit.daemon.upkeep import Chores, until_idle
from ajkit.daemon.watch import Watch
from ajkit.shared.contract import NOTE, Endpoint
from ajkit.submit.registry import Executions

if TYPE_CHECKING:
    import socket
    from collections.abc import Callable, Mapping

    from ajkit.daemon.settings import Settings

log = logging.getLogger(__name__)

_LOOKUPS = 4


@dataclass(frozen=True, slots=True)
class _Team:
    """What a daemon that others reach has besides."""

    listener: socket.socket
    address: str
    names: tcp.Names
    tokens: Tokens
    certificate: Certificate | None


def serve(settings: Settings, environ: Mapping[str, str], listening: Callable[[], None], form: LogForm) -> None:
    """Run a daemon until it is told to stop or is not needed. The caller holds the lock on its state.

    Raises:
        AjError: it cannot start.
    """
    start_logging(form)
    team = _team(settings)
    journal = Journal(os.path.join(settings.state, "journal.sqlite3"))
    address = place.socket_path(settings.state, environ)
    listener = place.bind(address)
    # What was imported stays: looking for garbage among it would take a tenth of the time of a burst.
    gc.freeze()
    gc.set_threshold(20_000, 20, 50)
    try:
        asyncio.run(_serve(settings, journal, listener, address, team, listening))
    finally:
        place.remove(os.path.join(settings.state, NOTE))
        place.remove(address)
        listener.close()
        journal.close()
        log.info("stopped")


def _team(settings: Settings) -> _Team | None:
    """What others reach; None where only the owner does.

    Raises:
        PlaceProblem: nobody could be let in, or nothing can listen there.
    """
    listen = settings.listen
    if listen is None:
        return None
    tokens = Tokens(settings.state)
    if all(each.has_expired(datetime.now(UTC)) for each in tokens.all()):
        raise place.PlaceProblem(
            f"nothing listens on TCP without a token, and {settings.state} has none that is good: "
            "aj serve token add NAME makes one"
        )
    certificate = certificate_of(listen)
    listener = tcp.bind(listen)
    return _Team(listener, listen.address(listener.getsockname()[1]), tcp.Names(listen), tokens, certificate)


async def _serve(
    settings: Settings,
    journal: Journal,
    listener: socket.socket,
    address: str,
    team: _Team | None,
    listening: Callable[[], None],
) -> None:
    meters = Meters()
    hub, engines, lookups, executions = Hub(), Engines(meters), Engines(meters, _LOOKUPS), Executions()
    ledger = Ledger(journal, hub, meters)
    store = CodeStore(settings.code_folder, size=settings.code_bytes, entries=settings.code_entries)
    queue = Queue(os.path.join(settings.state, "jobs"), ledger, engines, executions, store, hub)
    live = Live(executions, lookups, records.utc_now)
    started = records.utc_now()
    parts = Parts(settings, started, ledger, hub, store, queue, engines, executions, registry(), live, meters)
    door = Door(make_app(parts), settings.body_bytes, settings.slow_seconds)
    # A socket that was forwarded to a port can be reached by a browser, so its names are checked too.
    own = Guard(door, tcp.Names(tcp.Listen("localhost", 0, ("aj",))), None)
    servers = [Server(Watch(own, meters, loudly=False), listener, hub)]
    if team is not None:
        guard = Guard(door, team.names, team.tokens)
        servers.append(Server(Watch(guard, meters, loudly=True), team.listener, hub, team.certificate))

    def stop() -> None:
        for each in servers:
            each.should_exit = True

    async def stop_when_idle() -> None:
        await until_idle(parts, door)
        log.info("nothing to do: stopping")
        stop()

    loop = asyncio.get_running_loop()
    for each in (signal.SIGTERM, signal.SIGINT):
        loop.add_signal_handler(each, stop)
    chores = Chores(parts, team.certificate if team else None)
    loop.add_signal_handler(signal.SIGHUP, chores.renew)
    await queue.start()
    serving: list[asyncio.Future[None]] = [asyncio.create_task(each.serve()) for each in servers]
    opened: asyncio.Future[None] = asyncio.create_task(_all_listen(servers))
    tasks: list[asyncio.Task[None]] = []
    try:
        await asyncio.wait([opened, *serving], return_when=asyncio.FIRST_COMPLETED)
        note = Endpoint(socket=address, pid=os.getpid(), version=__version__, server=team.address if team else None)
        place.write_note(settings.state, note.model_dump_json())
        _say_where(address, journal, team)
        listening()
        tasks += [asyncio.create_task(stop_when_idle()), asyncio.create_task(chores.run())]
        await asyncio.gather(*serving)
    finally:
        stop()
        opened.cancel()
        for task in tasks:
            task.cancel()
        await asyncio.gather(*tasks, *serving, return_exceptions=True)
        await queue.stop()
        lookups.close(wait=False)
        await asyncio.to_thread(engines.close)


async def _all_listen(servers: list[Server]) -> None:
    for each in servers:
        await each.listens.wait()


def _say_where(address: str, journal: Journal, team: _Team | None) -> None:
    log.info("aj %s listens at %s (journal mode %s)", __version__, address, journal.mode)
    if team is not None:
        log.info("and at %s", team.address)
        if team.certificate is None:
            log.warning(
                "without TLS (--tls-cert, --tls-key) tokens and jobs can be read on the way: let only this machine or "
                "a proxy with TLS connect"
            )
