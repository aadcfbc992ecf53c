"""A daemon without its HTTP face, and an engine by script for it to drive jobs on."""

from __future__ import annotations

import asyncio
import hashlib
import io
import tarfile
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar

import pytest

from ajkit.daemon import drive, records
from ajkit.daemon.engines import Engines
from ajkit.daemon.hub import Hub
from ajkit.daemon.journal import Journal
from ajkit.daemon.ledger import Ledger
from ajkit.daemon.queue import Queue
from ajkit.daemon.store import CodeStore
from ajkit.shared.contract import JobInfo, SubmitRequest
from ajkit.shared.job.execution import JobState, Rejected, Status, Unavailable
from ajkit.submit.registry import CannotRun
from tests.daemons import job_spec

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine
    from pathlib import Path

    from ajkit.shared.job.execution import Handle, Submission
    from ajkit.shared.job.spec import JobSpec

T = TypeVar("T")

DONE = Status(JobState.DONE, exit_code=0)
RUNNING = Status(JobState.RUNNING)

HANGS = 120.0
"""Seconds after which something hangs, however busy the machine is."""


def in_turn(words: list[str]) -> list[str]:
    """Words without those that are said again."""
    return [each for at, each in enumerate(words) if at == 0 or words[at - 1] != each]


class Engine:
    """An engine by script: what submit does each time, what find answers, the statuses of a job that is there."""

    name = "local"
    poll_seconds = 0.01

    def __init__(
        self, submits: list[object], statuses: list[object] | None = None, finds: list[object] | None = None
    ) -> None:
        self.submits = submits
        self.statuses = statuses or [RUNNING, DONE]
        self.finds = finds or []
        self.jobs: list[str] = []
        self.calls: list[str] = []

    def submit(self, job: Submission, report: Callable[[str], None]) -> str:
        self.calls.append("submit")
        report("sending")
        then = self.submits.pop(0)
        if not isinstance(then, Rejected | Unavailable):
            self.jobs.append(job.token)
        if isinstance(then, Exception):
            raise then
        return str(then)

    def find(self, job: Submission) -> str | None:
        self.calls.append("find")
        then = self.finds.pop(0) if self.finds else None
        if isinstance(then, Exception):
            raise then
        return "found" if job.token in self.jobs else None

    def status(self, _: Handle) -> Status:
        then = self.statuses[0] if len(self.statuses) == 1 else self.statuses.pop(0)
        if isinstance(then, Exception):
            raise then
        assert isinstance(then, Status)
        return then

    def cancel(self, _: Handle) -> None:
        self.calls.append("cancel")
        self.statuses = [Status(JobState.CANCELLED)]


class OneEngine:
    """The registry of executions that has one engine, or none."""

    def __init__(self, engine: Engine | Any) -> None:
        self.engine = engine

    def find(self, service: str) -> Any:
        if self.engine is None:
            raise CannotRun(f"nothing here runs the service `{service}`")
        return self.engine


class World:
    """A daemon without its HTTP face."""

    def __init__(self, root: Path) -> None:
        self.root = root
        self._begin()
        made = io.BytesIO()
        tarfile.open(fileobj=made, mode="w").close()
        self.digest = hashlib.sha256(made.getvalue()).hexdigest()
        with self.store.receive() as incoming:
            incoming.write(made.getvalue())
            incoming.keep(self.digest)

    def _begin(self) -> None:
        self.journal = Journal(str(self.root / "journal.sqlite3"))
        self.hub = Hub()
        self.ledger = Ledger(self.journal, self.hub)
        self.engines = Engines()
        self.store = CodeStore(str(self.root / "code"), size=10_000, entries=10)

    def end(self) -> None:
        """Let go of what a daemon has, its queue being stopped and its event loop closed."""
        self.engines.close()
        self.journal.close()

    def live(self, scene: Coroutine[Any, Any, T]) -> T:
        """Run a scene, which stops its queues, as the life of one daemon: what there is later is the next one's."""
        try:
            return asyncio.run(self._to_its_end(scene))
        finally:
            # By now nothing reads the journal any more, and what was written last is there for the next to see.
            self.journal.close()
            self._begin()

    async def _to_its_end(self, scene: Coroutine[Any, Any, T]) -> T:
        try:
            return await scene
        finally:
            await asyncio.to_thread(self.engines.close)

    def queue(self, engine: Engine | Any) -> Queue:
        executions: Any = OneEngine(engine)
        return Queue(str(self.root / "jobs"), self.ledger, self.engines, executions, self.store, self.hub)

    async def accept(self, spec: JobSpec | None = None) -> str:
        body = SubmitRequest(spec=spec or job_spec("true"), code_digest=self.digest)
        info, _ = await self.ledger.accept(body, "", body.spec.sid)
        return info.id

    async def info(self, job_id: str) -> JobInfo:
        info = await self.ledger.ask(partial(records.job_info, job_id=job_id))
        assert info is not None
        return info

    async def states(self, job_id: str) -> list[str]:
        events = await self.ledger.ask(partial(records.events_after, job_id=job_id, seq=0))
        return in_turn([each.state.value for each in events])

    async def until(self, job_id: str, *states: JobState) -> None:
        async with asyncio.timeout(HANGS):
            while (await self.info(job_id)).state not in states:  # noqa: ASYNC110 - a look from outside
                await asyncio.sleep(0.005)

    async def driven_spec(self, engine: Engine | Any, spec: JobSpec) -> tuple[JobInfo, list[str]]:
        """See `driven`, of a job of this description."""
        return await self.driven(engine, await self.accept(spec))

    async def driven(self, engine: Engine | Any, job_id: str | None = None) -> tuple[JobInfo, list[str]]:
        """Drive a job to its end: the job and its states in order."""
        job_id = job_id or await self.accept()
        queue = self.queue(engine)
        await queue.start()
        async with asyncio.timeout(HANGS):
            while queue.live:  # noqa: ASYNC110 - a look from outside
                await asyncio.sleep(0.005)
        return await self.info(job_id), await self.states(job_id)


@pytest.fixture
def world(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Any:
    monkeypatch.setattr(drive, "_FIRST_PAUSE", 0.01)
    made = World(tmp_path)
    yield made
    made.end()
