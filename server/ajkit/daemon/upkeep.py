"""What a daemon does by itself: stop when it is not needed, forget what ended long ago."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
import time
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING

from ajkit.daemon import records

if TYPE_CHECKING:
    from ajkit.daemon.door import Door
    from ajkit.daemon.parts import Parts

log = logging.getLogger(__name__)

_DAY = 86400.0


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


async def forget_daily(parts: Parts) -> None:
    """Take out what ended too long ago, now and once a day."""
    while True:
        try:
            await forget(parts)
        except (sqlite3.Error, OSError):
            log.exception("what ended long ago could not be forgotten")
        await asyncio.sleep(_DAY)


async def forget(parts: Parts) -> None:
    """Take jobs that ended too long ago out of the journal, with their folders, and code that no job needs."""
    before = datetime.now(UTC) - timedelta(days=parts.settings.keep_days)
    for job_id in await parts.ledger.forget_ended(before.isoformat(timespec="milliseconds").replace("+00:00", "Z")):
        await asyncio.to_thread(parts.queue.forget, job_id)
        parts.hub.forget(job_id)
    used = await parts.ledger.ask(records.used_code)
    await asyncio.to_thread(parts.store.forget_unused, used, _DAY)
