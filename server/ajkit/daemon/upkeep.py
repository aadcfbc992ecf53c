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
from ajkit.daemon.logs import begin_anew
from ajkit.shared.contract import LOG

if TYPE_CHECKING:
    from ajkit.daemon.door import Door
    from ajkit.daemon.parts import Parts
    from ajkit.daemon.tls import Certificate

log = logging.getLogger(__name__)

_DAY, _HOUR = 86400.0, 3600.0
_ROUND = 600.0
_JUMP = _HOUR
"""A clock that was put on or back by more than so many seconds is not trusted with what is long ago, for a day."""


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
        await asyncio.sleep(max(0.02, min(limit - quiet, 5.0)) if limit else _DAY)


class Clock:
    """Tells whether the clock of the machine has gone on as time does."""

    def __init__(self) -> None:
        self._seen = self._offset()

    def jumped(self) -> bool:
        """Whether it was put on or back since this was last asked."""
        before, self._seen = self._seen, self._offset()
        return abs(self._seen - before) > _JUMP

    def _offset(self) -> float:
        # Time that the machine slept counts: this clock goes on, the monotonic one does not.
        return time.time() - time.clock_gettime(getattr(time, "CLOCK_BOOTTIME", time.CLOCK_MONOTONIC))


class Chores:
    """The rounds of a daemon."""

    def __init__(self, parts: Parts, certificate: Certificate | None) -> None:
        self._parts = parts
        self._certificate = certificate
        self._clock = Clock()
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
        if self._clock.jumped():
            log.warning("the clock of this machine was changed: nothing is forgotten for a day")
            self._forget_at = time.monotonic() + _DAY
        if time.monotonic() >= self._forget_at:
            self._forget_at = time.monotonic() + _DAY
            await forget(self._parts)


async def forget(parts: Parts) -> None:
    """Take jobs that ended too long ago out of the journal, with their folders, and code that no job needs."""
    before = _ago(parts.settings.keep_days)
    # Folders first: whoever is ended in between finds them by the journal, and nothing else knows of them.
    for each in {before, _ago(parts.settings.keep_log_days)}:
        for job_id in await parts.ledger.ask(partial(records.ended_ids, before=each)):
            await asyncio.to_thread(parts.queue.forget, job_id)
    for job_id in await parts.ledger.forget_ended(before):
        parts.hub.forget(job_id)
    used = await parts.ledger.ask(records.used_code)
    # What others may use too is theirs for as long as jobs are kept: this journal does not know their jobs.
    shared = not parts.settings.code_folder.startswith(f"{parts.settings.state}/")
    await asyncio.to_thread(parts.store.forget_unused, used, max(1.0, parts.settings.keep_days * shared) * _DAY)


def _ago(days: float) -> str:
    """The time so many days ago; long before any job where there is no such date."""
    try:
        before = datetime.now(UTC) - timedelta(days=days)
    except OverflowError:
        return "0001"
    return before.isoformat(timespec="milliseconds").replace("+00:00", "Z")
