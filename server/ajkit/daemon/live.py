"""What engines have now (queues, images, computes, quota): asked seldom, remembered, never waited for long."""

from __future__ import annotations

import asyncio
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ajkit.daemon.refusals import RefusedRequest
from ajkit.shared.contract import ValueInfo, ValueList
from ajkit.shared.job.execution import ExecutionError, LiveValues, Unavailable
from ajkit.submit.registry import CannotRun

if TYPE_CHECKING:
    from collections.abc import Callable

    from ajkit.daemon.engines import Engines
    from ajkit.submit.registry import Executions

FRESH_SECONDS = 60.0
STALE_SECONDS = 3600.0
"""An engine that cannot be asked is answered for with what it said so long ago; `at` tells."""
AGAIN_SECONDS = 5.0
WAIT_SECONDS = 10.0
MOST_KINDS = 200
MOST_VALUES = 5000


@dataclass(slots=True)
class _Known:
    answer: ValueList | None = None
    since: float = 0.0
    failed: ExecutionError | None = None
    tried: float = float("-inf")
    asking: asyncio.Task[None] | None = None

    def told(self, task: asyncio.Task[None]) -> None:
        """The engine has answered, whether somebody waits for it still or not."""
        self.asking = None
        if not task.cancelled():
            task.exception()


class Live:
    """The values of all services, by kind."""

    def __init__(self, executions: Executions, engines: Engines, now: Callable[[], str]) -> None:
        """`engines` has threads of its own: a lookup that hangs must not keep jobs from their engines."""
        self._executions = executions
        self._engines = engines
        self._now = now
        self._known: dict[tuple[str, str], _Known] = {}

    async def values(self, service: str, kind: str) -> ValueList:
        """What the engine of a service has of a kind, at most a minute old where it can be asked.

        Raises:
            RefusedRequest: ``service.unknown``, ``values.missing``.
            Unavailable: the engine cannot be asked, and has not been for an hour.
        """
        try:
            execution = self._executions.find(service)
        except CannotRun as error:
            raise RefusedRequest("service.unknown", str(error)) from None
        if not isinstance(execution, LiveValues):
            raise RefusedRequest("values.missing", f"the service {service} tells no values")
        if len(self._known) >= MOST_KINDS:
            self._known = {key: each for key, each in self._known.items() if each.asking is not None}
        known = self._known.setdefault((service, kind), _Known())
        age = time.monotonic() - known.since
        if known.answer is None or age > FRESH_SECONDS:
            await self._refresh(known, execution, service, kind)
            age = time.monotonic() - known.since
        if known.answer is None or age > STALE_SECONDS:
            raise known.failed or Unavailable(f"{service} has not answered within {WAIT_SECONDS:g} seconds; ask again")
        return known.answer

    async def _refresh(self, known: _Known, execution: LiveValues, service: str, kind: str) -> None:
        """Ask the engine, once for all who wait, and wait for a while."""
        if known.asking is None:
            if time.monotonic() - known.tried < AGAIN_SECONDS:
                return
            known.tried = time.monotonic()
            known.asking = asyncio.create_task(self._ask(known, execution, service, kind))
            known.asking.add_done_callback(known.told)
        try:
            async with asyncio.timeout(WAIT_SECONDS):
                await asyncio.shield(known.asking)
        except TimeoutError:
            return

    async def _ask(self, known: _Known, execution: LiveValues, service: str, kind: str) -> None:
        try:
            found = await self._engines.pick(execution.values, kind)
        except KeyError:
            self._known.pop((service, kind), None)
            raise RefusedRequest("values.missing", f"the service {service} tells no {kind}") from None
        except ExecutionError as error:
            known.failed = error
            return
        values = [ValueInfo(value=each.value, detail=each.detail) for each in found[:MOST_VALUES]]
        known.answer = ValueList(service=service, kind=kind, values=values, at=self._now())
        known.since, known.failed = time.monotonic(), None
