"""The journal as the event loop sees it: questions and changes to await, and news for those who wait."""

from __future__ import annotations

import asyncio
import logging
import sqlite3
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from ajkit.daemon import records
from ajkit.daemon.meters import Meters

if TYPE_CHECKING:
    from collections.abc import Callable, Container, Sequence

    from ajkit.daemon.hub import Hub
    from ajkit.daemon.journal import Journal
    from ajkit.shared.contract import JobInfo, SubmitRequest
    from ajkit.shared.job.execution import JobState

T = TypeVar("T")

log = logging.getLogger(__name__)

_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0


class Ledger:
    """Reads and writes the journal without blocking, and tells the hub of every change of a job.

    What a client asks for fails when the journal cannot be written. What was seen of an engine must not be lost: those
    changes are tried until they are written.
    """

    def __init__(self, journal: Journal, hub: Hub, meters: Meters | None = None) -> None:
        """`meters` counts the writes that fail."""
        self._journal = journal
        self._hub = hub
        self._meters = meters or Meters()

    async def ask(self, question: Callable[[sqlite3.Connection], T]) -> T:
        """The answer to one of the questions of `records`."""
        return await asyncio.to_thread(self._journal.read, question)

    async def accept(self, request: SubmitRequest, owner: str, key: str) -> tuple[JobInfo, bool]:
        """See `records.accept`; on the disk when it returns.

        Raises:
            sqlite3.OperationalError: the journal cannot be written.
        """
        return await self._change(lambda db: records.accept(db, request, owner, key))

    async def ask_cancel(self, job_id: str) -> JobInfo | None:
        """See `records.ask_cancel`; on the disk when it returns.

        Raises:
            sqlite3.OperationalError: the journal cannot be written.
        """
        info = await self._change(partial(records.ask_cancel, job_id=job_id))
        if info is not None:
            self._hub.tell(job_id)
        return info

    async def forget_ended(self, before: str, but: Container[str]) -> Sequence[str]:
        """See `records.forget_ended`.

        Raises:
            sqlite3.OperationalError: the journal cannot be written.
        """
        return await self._change(partial(records.forget_ended, before=before, but=but))

    async def intend(self, job_id: str) -> bool:
        """Write down, on the disk, that the engine is about to be called; whether it may be: no job that ended."""
        number = await self._insist(partial(records.intend, job_id=job_id))
        self._hub.tell(job_id)
        return number is not None

    async def step(
        self,
        job_id: str,
        state: JobState,
        *,
        message: str = "",
        backend_id: str | None = None,
        exit_code: int | None = None,
        attempt: str | None = None,
    ) -> bool:
        """Record the state of a job where it may follow, and what became of the attempt to hand it over.

        Answers whether the state did follow.
        """

        def change(db: sqlite3.Connection) -> bool:
            if attempt is not None:
                records.answer_attempt(db, job_id, attempt)
            return records.step(db, job_id, state, message=message, backend_id=backend_id, exit_code=exit_code)

        durable = state.is_terminal or backend_id is not None
        recorded = await self._insist(change, durable=durable)
        if recorded:
            self._hub.tell(job_id)
        return recorded

    async def note(self, job_id: str, message: str, *, attempt: str | None = None) -> None:
        """Record a word about a job, and what became of the attempt to hand it over."""

        def change(db: sqlite3.Connection) -> bool:
            if attempt is not None:
                records.answer_attempt(db, job_id, attempt)
            return records.note(db, job_id, message)

        if await self._insist(change, durable=False):
            self._hub.tell(job_id)

    async def _change(self, change: Callable[[sqlite3.Connection], T], *, durable: bool = True) -> T:
        try:
            return await asyncio.wrap_future(self._journal.write(change, durable=durable))
        except sqlite3.OperationalError:
            self._meters.journal_failures += 1
            raise

    async def _insist(self, change: Callable[[sqlite3.Connection], T], *, durable: bool = True) -> T:
        pause = _FIRST_PAUSE
        while True:
            try:
                return await self._change(change, durable=durable)
            except sqlite3.OperationalError as error:
                log.warning("the journal cannot be written (%s); trying again in %.1f s", error, pause)
                await asyncio.sleep(pause)
                pause = min(pause * 2, _LONGEST_PAUSE)
