"""One job from its acceptance to its end: handed to its engine once, followed there, stopped when asked."""

from __future__ import annotations

import asyncio
from dataclasses import replace
from typing import TYPE_CHECKING

from ajkit.daemon.archive import UnsafeArchive
from ajkit.shared.job.execution import (
    ExecutionError,
    Handle,
    JobState,
    OutcomeUnknown,
    Rejected,
    Unavailable,
    UnclearRefusal,
)
from ajkit.submit.registry import CannotRun

if TYPE_CHECKING:
    from collections.abc import Container

    from ajkit.daemon.engines import Engines
    from ajkit.daemon.hub import Hub
    from ajkit.daemon.ledger import Ledger
    from ajkit.daemon.store import CodeStore
    from ajkit.shared.contract import JobInfo
    from ajkit.shared.job.execution import Execution, Status, Submission
    from ajkit.submit.registry import Executions

_FIRST_PAUSE, _LONGEST_PAUSE = 0.5, 30.0
_ASK_AGAIN = 10.0
"""Seconds after which an engine that has not stopped a job is asked again."""
_SHARE, _SLOWEST = 0.02, 10.0
"""A job that has run for long is asked after less often: every fiftieth of its age, down to a tenth of the pace."""
_DOUBTS, _LONGEST_DOUBT = 10, 30.0
"""How many looks, and how many seconds at most, an engine must go on not to know a job before that is believed."""


class Pause:
    """How long to wait before an engine that could not be asked is asked again: longer each time."""

    def __init__(self) -> None:
        self._next = _FIRST_PAUSE

    def reset(self) -> None:
        """It answered."""
        self._next = _FIRST_PAUSE

    def take(self) -> float:
        """The seconds to wait now."""
        now = self._next
        self._next = min(now * 2, _LONGEST_PAUSE)
        return now


class Doubt:
    """Whether an engine has gone on not to know a job for so long that it is believed.

    What answers for an engine that is being started, or a copy of its records that is behind, knows no job for a while,
    and a call whose answer was lost may still be on its way there.
    """

    def __init__(self, execution: Execution) -> None:
        self._seconds = min(_DOUBTS * execution.poll_seconds, _LONGEST_DOUBT)
        self._since: float | None = None

    @property
    def left(self) -> float:
        """The seconds from the first look that missed it to the one that is believed."""
        return self._seconds if self._since is None else self._since + self._seconds - _now()

    def clear(self) -> None:
        """It knows the job, or cannot be asked: what it will say next may be the word of one just started."""
        self._since = None

    def holds(self, asked: float) -> bool:
        """It does not know the job, of which it was asked at a time: whether that is still doubted."""
        if self._since is None:
            # From when it was heard on: how long the answer took says nothing.
            self._since = _now()
            return True
        return asked - self._since < self._seconds


class Drive:
    """The way of one job. It can be begun anew at any point: all that it knows is in the journal."""

    def __init__(
        self,
        submission: Submission,
        *,
        ledger: Ledger,
        engines: Engines,
        executions: Executions,
        store: CodeStore,
        hub: Hub,
        stopping: Container[str],
    ) -> None:
        """`submission` is the job as its engine gets it, without its code; `stopping` holds the jobs to cancel."""
        self._job = submission
        self._id = submission.spec.sid
        self._ledger = ledger
        self._engines = engines
        self._executions = executions
        self._store = store
        self._hub = hub
        self._stopping = stopping

    async def run(self, info: JobInfo) -> None:
        """Drive the job from where the journal has it to its end, or to where only another daemon can go on."""
        if info.state.is_terminal:
            return
        try:
            execution = self._executions.find(self._job.spec.service)
        except CannotRun as error:
            if info.state is JobState.ACCEPTED:
                await self._ledger.step(self._id, JobState.REJECTED, message=str(error))
            else:
                await self._ledger.note(self._id, str(error))
            return
        backend_id = info.backend_id or await self._hand_over(execution, info)
        if backend_id is not None:
            await self._follow(execution, Handle(self._job, backend_id))

    async def _hand_over(self, execution: Execution, info: JobInfo) -> str | None:
        """The engine's id of the job: found where an earlier call may have arrived, else submitted. None: it ended."""
        maybe_there = info.state is not JobState.ACCEPTED
        refusal = ""
        pause = Pause()
        while True:
            backend_id = await self._look_up(execution) if maybe_there else None
            if backend_id is not None:
                await self._ledger.step(self._id, JobState.SUBMITTED, backend_id=backend_id, attempt=backend_id)
                return backend_id
            if refusal:
                await self._ledger.step(self._id, JobState.REJECTED, message=refusal, attempt="rejected")
                return None
            if self._id in self._stopping:
                await self._ledger.step(self._id, JobState.CANCELLED, message="cancelled before it was handed over")
                return None
            try:
                backend_id = await self._submit(execution, info.code_digest)
            except Rejected as error:
                # Where an earlier call may have arrived, this one may be refused because it has.
                refusal = str(error) or "the engine refused it"
                continue
            except Unavailable as error:
                await self._ledger.note(self._id, str(error), attempt="unavailable")
            except OutcomeUnknown as error:
                maybe_there = True
                refusal = str(error) if isinstance(error, UnclearRefusal) else ""
                await self._ledger.step(self._id, JobState.UNKNOWN, message=str(error), attempt="unknown")
            else:
                if backend_id is not None:
                    await self._ledger.step(self._id, JobState.SUBMITTED, backend_id=backend_id, attempt=backend_id)
                return backend_id
            await self._rest(pause.take())

    async def _look_up(self, execution: Execution) -> str | None:
        """The engine's id of a job that may have arrived, None when it certainly has not; asks until it is told."""
        pause, doubt = Pause(), Doubt(execution)
        while True:
            wait, asked = pause.take(), _now()
            try:
                backend_id = await self._engines.call(execution.find, self._job)
            except ExecutionError as error:
                # A question that is refused tells no more of the job than one that is not answered.
                doubt.clear()
                await self._told(JobState.UNKNOWN, str(error))
            else:
                if backend_id is not None or not doubt.holds(asked):
                    return backend_id
                wait = min(wait, max(0.0, doubt.left))
            await asyncio.sleep(wait)

    async def _submit(self, execution: Execution, code_digest: str) -> str | None:
        """Hand it over, the intent on the disk before; see `Execution.submit` for what it raises. None: it ended."""
        try:
            code = await self._store.ready(code_digest)
        except (UnsafeArchive, FileNotFoundError) as error:
            raise Rejected(f"the code of the job is gone: {error}") from error
        except OSError as error:
            raise Unavailable(f"the code cannot be unpacked: {error}") from error
        if not await self._ledger.intend(self._id):
            return None
        loop = asyncio.get_running_loop()

        def report(text: str) -> None:
            asyncio.run_coroutine_threadsafe(self._ledger.note(self._id, text), loop)

        return await self._engines.call(execution.submit, replace(self._job, code=code), report)

    async def _follow(self, execution: Execution, handle: Handle) -> None:
        """Write down what the engine says about the job until it has ended, and stop it there when that was asked."""
        loop = asyncio.get_running_loop()
        began, asked = loop.time(), -_ASK_AGAIN
        last: Status | None = None
        doubt, trouble = Doubt(execution), Pause()
        while True:
            cancel = self._id in self._stopping
            try:
                if cancel and loop.time() - asked >= _ASK_AGAIN:
                    await self._ledger.step(self._id, JobState.CANCELLING, message="the engine was asked to stop it")
                    await self._engines.call(execution.cancel, handle)
                    asked = loop.time()
                looked = loop.time()
                status = await self._engines.call(execution.status, handle)
            except ExecutionError as error:
                doubt.clear()
                await self._ledger.note(self._id, str(error))
                last, wait = None, trouble.take()
            else:
                trouble.reset()
                missed = status.state is JobState.LOST
                if not missed:
                    doubt.clear()
                if missed and doubt.holds(looked):
                    await self._ledger.note(self._id, f"{status.message}; looking again")
                    last = None
                elif status != last:
                    await self._told(status.state, status.message, status.exit_code)
                    last = status
                    if status.state.is_terminal:
                        return
                age = 0.0 if cancel or missed else (loop.time() - began) * _SHARE
                wait = min(max(execution.poll_seconds, age), execution.poll_seconds * _SLOWEST)
            await self._rest(wait, unless_cancelled=not cancel)

    async def _rest(self, seconds: float, *, unless_cancelled: bool = True) -> None:
        """Wait; no longer than until the job is to be cancelled, where that is to be heeded."""
        loop = asyncio.get_running_loop()
        until = loop.time() + seconds
        while (left := until - loop.time()) > 0:
            if unless_cancelled and self._id in self._stopping:
                return
            if self._hub.closed:
                # Nobody is told of anything any more: the daemon is about to let go of the job.
                await asyncio.sleep(left)
            await self._hub.wait(self._id, self._hub.ticket(self._id), left)

    async def _told(self, state: JobState, message: str, exit_code: int | None = None) -> None:
        """Write down what the engine says: a step where there is one, else its words alone."""
        stepped = await self._ledger.step(self._id, state, message=message, exit_code=exit_code)
        # Of a job that is to stop and has not, an engine with nothing to add says that it runs: that is no news.
        if not stepped and (message or self._id not in self._stopping):
            await self._ledger.note(self._id, message)


def _now() -> float:
    return asyncio.get_running_loop().time()
