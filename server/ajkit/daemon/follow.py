"""Following one job: its texts and states as server-sent events, in the order they were seen, resumable at each."""

from __future__ import annotations

import json
import time
from functools import partial
from typing import TYPE_CHECKING

from ajkit.daemon import records
from ajkit.daemon.refusals import RefusedRequest
from ajkit.daemon.tail import Tail, format_offsets, parse_offsets
from ajkit.shared.job.execution import ExecutionError, Handle
from ajkit.submit.registry import CannotRun

if TYPE_CHECKING:
    from collections.abc import AsyncIterator

    from pydantic import BaseModel

    from ajkit.daemon.parts import Parts
    from ajkit.daemon.records import JobRecord
    from ajkit.shared.job.execution import Execution, JobEvent

ALIVE_SECONDS = 15.0
"""After so long without news a comment is sent, so that both ends know of each other."""

_LOOK_SECONDS, _LOOK_SLOWLY_SECONDS, _LIVELY = 0.05, 0.25, 2.0
_LOOKS_A_SECOND = 1000
"""How often all followers together look for more."""
_LAST_SECONDS, _AWAY_SECONDS = 30.0, 1.0
"""How long an engine that went away is waited for with the last texts of a job that has ended, and how often asked."""


def sent(event: str, data: BaseModel | str, mark: str) -> str:
    """One server-sent event."""
    text = json.dumps(data) if isinstance(data, str) else data.model_dump_json()
    return f"event: {event}\nid: {mark}\ndata: {text}\n\n"


def placed_job(parts: Parts, record: JobRecord) -> tuple[Execution, Handle] | None:
    """The engine of a job and the job there; None while no engine has it.

    Raises:
        RefusedRequest: nothing here can ask that engine.
    """
    if record.info.backend_id is None:
        return None
    try:
        execution = parts.executions.find(record.spec.service)
    except CannotRun as error:
        raise RefusedRequest("service.unknown", str(error)) from None
    return execution, Handle(parts.queue.submission(record.spec, record.caller), record.info.backend_id)


class Follower:
    """One client that follows one job. A mark is the last state seen and the place in each log: ``3/node-0=120``."""

    def __init__(self, parts: Parts, record: JobRecord, resume: str, *, only: str | None) -> None:
        """`resume` is the mark of the last event the client has; `only` names the one log it wants."""
        number, _, place = resume.partition("/")
        self._parts = parts
        self._record = record
        self._id = record.info.id
        self._only = only
        self._seen = int(number) if number.isdecimal() else 0
        self._offsets = parse_offsets(place)
        self._tail: Tail | None = None
        self._news: list[JobEvent] = []
        self._trouble = ""
        self._away_since = 0.0

    async def stream(self) -> AsyncIterator[str]:
        """Everything from the mark to the job's end: the last text comes before the last state, ``end`` comes last."""
        looked, silent = -1, 0.0
        while not self._parts.hub.closed:
            ticket = self._parts.hub.ticket(self._id)
            if ticket != looked:
                looked = ticket
                await self._look()
            ended = self._record.info.state.is_terminal
            for each in self._states(final=False):
                yield each
            texts = await self._texts(ended=ended)
            for each in texts:
                yield each
            if ended and not texts and not self._may_come_back():
                for each in self._states(final=True):
                    yield each
                yield self._sent("end", "")
                return
            silent = 0.0 if texts else silent + await self._wait(ticket, silent)
            if silent > ALIVE_SECONDS:
                silent = _LIVELY
                yield ": still here\n\n"

    async def _look(self) -> None:
        """Ask the journal what is new."""
        ask = self._parts.ledger.ask
        # The job before its events: what happens in between is told too often, never too seldom.
        info = await ask(partial(records.job_info, job_id=self._id))
        self._news = await ask(partial(records.events_after, job_id=self._id, seq=self._seen))
        if info is not None:
            self._record = records.JobRecord(info, self._record.spec, self._record.caller)
        if self._tail is None and (placed := placed_job(self._parts, self._record)):
            self._tail = Tail(self._parts.engines, *placed, self._offsets, self._only)

    def _states(self, *, final: bool) -> list[str]:
        """The states not told yet; the final one is kept for when all texts are out."""
        told = []
        while self._news and (final or not self._news[0].state.is_terminal):
            event = self._news.pop(0)
            if event.state.is_terminal and self._trouble:
                lacks = f"its last output could not be read: {self._trouble}"
                event = event.model_copy(update={"message": "; ".join(filter(None, [event.message, lacks]))})
            self._seen = event.seq
            told.append(self._sent("state", event))
        return told

    def _may_come_back(self) -> bool:
        """Whether the engine went away a short while ago: it may have more to tell of a job that has ended."""
        return bool(self._trouble) and time.monotonic() - self._away_since < _LAST_SECONDS

    async def _texts(self, *, ended: bool) -> list[str]:
        if self._tail is None:
            return []
        try:
            texts = await self._tail.read(ended=ended)
        except ExecutionError as error:
            if not self._trouble:
                self._away_since = time.monotonic()
            self._trouble = str(error) or type(error).__name__
            return []
        self._trouble = ""
        told = []
        for text, end in texts:
            self._offsets[text.stream] = end
            told.append(self._sent("log", text))
        return told

    async def _wait(self, ticket: int, silent: float) -> float:
        pause = _LOOK_SECONDS if silent < _LIVELY else _LOOK_SLOWLY_SECONDS
        # Many who look take turns: each a little later, all of them together as often.
        pause = max(pause, self._parts.meters.streams / _LOOKS_A_SECOND, _AWAY_SECONDS if self._trouble else 0.0)
        await self._parts.hub.wait(self._id, ticket, pause)
        return pause

    def _sent(self, event: str, data: BaseModel | str) -> str:
        return sent(event, data, f"{self._seen}/{format_offsets(self._offsets)}")
