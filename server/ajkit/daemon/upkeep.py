"""What a daemon does by itself: stop when it is not needed, forget what ended long ago, keep its log short."""

from __future__ import annotations

import asyncio
import logging
import os
import sqlite3
import time
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING

from ajkit.daemon import records
from ajkit.daemon.clock import CLOCK, DAY, Clock
from ajkit.daemon.logs import begin_anew
from ajkit.shared.contract import LOG

if TYPE_CHECKING:
    from ajkit.daemon.door import Door
    from ajkit.daemon.parts import Parts
    from ajkit.daemon.tls import Certificate

log = logging.getLogger(__name__)

_ROUND = 600.0


async def until_idle(parts: Parts, door: Door) -> None:
    """Return when, for long enough, there was neither a request nor a live job."""
    limit = parts.settings.idle_seconds
    busy = time.monotonic()
    while True:
        if parts.queue.live:
            busy = time.monotonic()
        quiet = min(door.quiet_seconds, time.monotonic() - busy)
        if limit and quiet >= limit:
            return
        await asyncio.sleep(max(0.02, min(limit - quiet, 5.0)) if limit else DAY)


class Chores:
    """The rounds of a daemon."""

    def __init__(self, parts: Parts, certificate: Certificate | None) -> None:
        self._parts = parts
        self._certificate = certificate
        self._clock = Clock(os.path.join(parts.settings.state, CLOCK), time.time)
        self._forget_at = time.monotonic()

    def renew(self) -> None:
        """Read anew what may have changed on the disk."""
        if self._certificate is not None:
            self._certificate.renew()

    async def run(self) -> None:
        """Go the rounds for ever."""
        while True:
            try:
                await self._round()
            except (sqlite3.Error, OSError):
                log.exception("a chore failed")
            await asyncio.sleep(_ROUND)

    async def _round(self) -> None:
        self.renew()
        await asyncio.to_thread(begin_anew, os.path.join(self._parts.settings.state, LOG))
        if time.monotonic() >= self._forget_at:
            self._forget_at = time.monotonic() + DAY
            await forget(self._parts, await asyncio.to_thread(self._clock.sure))


async def forget(parts: Parts, now: float) -> None:
    """Take jobs that ended too long ago out of the journal, with all that is left of them, and code that no job needs.

    `now` is in seconds since 1970. A job stays where something of it cannot be removed yet, for as long again at most.
    """
    settings, ended = parts.settings, partial(_ended, parts, now)
    away: set[str] = set()
    # Folders first: whoever is ended in between finds them by the journal, and nothing else knows of them.
    kept = {
        job_id
        for days in sorted({settings.keep_days, settings.keep_log_days}, reverse=True)
        for job_id in await ended(days)
        if not await parts.queue.forget(job_id, away)
    }
    for job_id in kept.intersection(await ended(2 * settings.keep_days)):
        await parts.queue.drop(job_id)
        kept.discard(job_id)
    for job_id in await parts.ledger.forget_ended(_ago(now, settings.keep_days), kept):
        parts.hub.forget(job_id)
    used = await parts.ledger.ask(records.used_code)
    # What others may use too is theirs for as long as jobs are kept: this journal does not know their jobs.
    shared = not settings.code_folder.startswith(f"{settings.state}/")
    unused = now - max(1.0, settings.keep_days * shared) * DAY
    await asyncio.to_thread(parts.store.forget_unused, used, unused)


async def _ended(parts: Parts, now: float, days: float) -> list[str]:
    """The jobs that had ended so many days ago."""
    return await parts.ledger.ask(partial(records.ended_ids, before=_ago(now, days)))


def _ago(now: float, days: float) -> str:
    """The time so many days ago; long before any job where there is no such date."""
    try:
        before = datetime.fromtimestamp(now, UTC) - timedelta(days=days)
    except (OverflowError, ValueError, OSError):
        return "0001"
    return before.isoformat(timespec="milliseconds").replace("+00:00", "Z")
