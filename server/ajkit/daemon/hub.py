"""Who waits for news of which job, on the event loop: nobody polls the journal."""

from __future__ import annotations

import asyncio
from collections import defaultdict


class Hub:
    """News of jobs. A ticket taken before looking makes sure that what happens while looking is not missed."""

    def __init__(self) -> None:
        self.closed = False
        self._news: dict[str, int] = defaultdict(int)
        self._waiting: dict[str, set[asyncio.Future[None]]] = defaultdict(set)

    def ticket(self, job_id: str) -> int:
        """How much news of a job there was so far."""
        return self._news[job_id]

    def tell(self, job_id: str) -> None:
        """Something about a job changed."""
        self._news[job_id] += 1
        for each in self._waiting.pop(job_id, ()):
            if not each.done():
                each.set_result(None)

    async def wait(self, job_id: str, ticket: int, seconds: float) -> bool:
        """Wait until there is news since a ticket, the hub closes or the time is over; whether there is news."""
        if self._news[job_id] == ticket and not self.closed:
            waiter: asyncio.Future[None] = asyncio.get_running_loop().create_future()
            self._waiting[job_id].add(waiter)
            try:
                async with asyncio.timeout(seconds):
                    await waiter
            except TimeoutError:
                pass
            finally:
                self._leave(job_id, waiter)
        return self._news[job_id] != ticket

    def _leave(self, job_id: str, waiter: asyncio.Future[None]) -> None:
        waiting = self._waiting.get(job_id)
        if waiting is not None:
            waiting.discard(waiter)
            if not waiting:
                del self._waiting[job_id]

    def forget(self, job_id: str) -> None:
        """A job is gone from the journal."""
        self._news.pop(job_id, None)
        self._waiting.pop(job_id, None)

    def close(self) -> None:
        """Wake everybody for good: the daemon stops."""
        self.closed = True
        for job_id in list(self._waiting):
            self.tell(job_id)
