"""Jobs on an engine that fails at random while daemons come and go: each is handed over once, and ends as it truly did.

Each job draws its engine's answers from a chance of its own, and daemons stop after so many answers, not so many
seconds: a busy machine tells other stories, and none that is not to hold. ``AJ_SOAK=1`` tells many more.
"""

from __future__ import annotations

import asyncio
import os
import random
import threading
import time
from collections import Counter
from functools import partial
from typing import TYPE_CHECKING

import pytest

from ajkit.daemon import drive, records
from ajkit.shared.job.execution import JobState, OutcomeUnknown, Rejected, Status, Unavailable
from tests.daemon.driven import DONE, HANGS, RUNNING, Engine, World, world

if TYPE_CHECKING:
    from collections.abc import Callable

    from ajkit.daemon.queue import Queue
    from ajkit.shared.job.execution import Handle, Submission

__all__ = ["world"]

SOAK = os.environ.get("AJ_SOAK") == "1"
SEEDS, JOBS, DAEMONS = (300, 12, 12) if SOAK else (8, 6, 6)

ENDS = (DONE, Status(JobState.FAILED, "node-0 exited with 3", 3), Status(JobState.CANCELLED, "by an administrator"))
AWAY = (Unavailable("away"), OutcomeUnknown("cut off"), Rejected("not now"), KeyError("id"), ValueError("no JSON"))


BEHIND, BELIEVED = 0.03, 0.045
"""The seconds for which the engine's records are behind at most, and for which it is doubted at least."""


class Erratic(Engine):
    """What it has is the truth; what it says of it may fail in every way that an engine has.

    Its records may be behind, when it has just taken a job and at any time after: then it does not know the job.
    Between two such times it says the truth at least once.
    """

    poll_seconds = 0.001

    def __init__(self, seed: int) -> None:
        super().__init__([])
        self.seed = seed
        self.chances: dict[str, random.Random] = {}
        self.taken: Counter[str] = Counter()
        self.refused: set[str] = set()
        self.ends: dict[str, Status] = {}
        self.stopped: set[str] = set()
        self.behind: dict[str, float] = {}
        self.asked = 0
        self.told: list[str] = []
        self._lock = threading.Lock()

    def knows_of(self, job_id: str) -> None:
        """A job may come; it is the next of the story."""
        self.chances[f"aj-{job_id}"] = random.Random(f"{self.seed} {len(self.chances)}")

    def submit(self, job: Submission, report: Callable[[str], None]) -> str:
        report("sending")
        how = self._draw(job, "submit", "yes", "silent", "silent", "lost", "away", "breaks", "refuses")
        if how in {"yes", "silent"}:
            self.taken[job.token] += 1
            self.ends.setdefault(job.token, self.chances[job.token].choice(ENDS))
            self.behind[job.token] = time.monotonic() + self.chances[job.token].choice([0.0, BEHIND, BEHIND])
        if how == "yes":
            return job.token
        if how == "refuses":
            self.refused.add(job.token)
            raise Rejected("no such queue")
        if how == "away":
            raise Unavailable("away")
        if how == "breaks":
            raise self.chances[job.token].choice([KeyError("id"), ValueError("no JSON")])
        raise OutcomeUnknown("the answer was lost")

    def find(self, job: Submission) -> str | None:
        self._stumble(job, "find")
        return job.token if job.token in self.taken and not self._is_behind(job) else None

    def status(self, handle: Handle) -> Status:
        self._stumble(handle.job, "status")
        if self._is_behind(handle.job):
            return Status(JobState.LOST, "no such job")
        if handle.job.token in self.stopped:
            return Status(JobState.CANCELLED, "stopped")
        word = self._draw(handle.job, "status", "runs", "waits", "ends")
        return {"runs": RUNNING, "waits": Status(JobState.QUEUED)}.get(word) or self.ends[handle.backend_id]

    def cancel(self, handle: Handle) -> None:
        self._stumble(handle.job, "cancel")
        self.stopped.add(handle.job.token)

    def _is_behind(self, job: Submission) -> bool:
        """Whether the records are behind now; where they are not, they may be from now on."""
        if time.monotonic() < self.behind[job.token]:
            return True
        if self._draw(job, "records", "well", "well", "behind") == "behind":
            self.behind[job.token] = time.monotonic() + BEHIND
        return False

    def _stumble(self, job: Submission, call: str) -> None:
        if self._draw(job, call, *["well"] * 5, "falls") == "falls":
            raise self.chances[job.token].choice(AWAY)

    def _draw(self, job: Submission, call: str, *ways: str) -> str:
        way = self.chances[job.token].choice(ways)
        with self._lock:
            self.asked += 1
            self.told.append(f"{job.token} {call}: {way}")
        return way


async def _until(engine: Erratic, asked: int, queue: Queue) -> None:
    """Let a daemon go on until its engine was asked so often, or there is nothing left to do."""
    async with asyncio.timeout(HANGS):
        while engine.asked < asked and queue.live:  # noqa: ASYNC110 - a look from outside
            await asyncio.sleep(0.001)


async def _story(world: World, engine: Erratic, job_id: str) -> str:
    """All that was seen of a job, for whoever has to find out why it went wrong."""
    events = await world.ledger.ask(partial(records.events_after, job_id=job_id, seq=0))
    said = [f"{each.at} {each.state.value} {each.message}" for each in events]
    return "\n".join([f"seed {engine.seed}", *said, *(each for each in engine.told if job_id in each)])


@pytest.mark.parametrize("seed", range(SEEDS))
def test_each_job_is_handed_over_once_and_ends_as_it_truly_did(
    world: World, seed: int, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drive, "_FIRST_PAUSE", 0.005)
    monkeypatch.setattr(drive, "_LONGEST_PAUSE", 0.02)
    monkeypatch.setattr(drive, "_DOUBTS", BELIEVED / Erratic.poll_seconds)
    chance, engine = random.Random(seed), Erratic(seed)

    async def first() -> list[str]:
        return [await world.accept() for _ in range(JOBS)]

    async def one_of_many() -> None:
        queue = world.queue(engine)
        await queue.start()
        await _until(engine, engine.asked + chance.randrange(4 * JOBS), queue)
        if chance.random() < 0.3:
            unlucky = chance.choice(jobs)
            await world.ledger.ask_cancel(unlucky)
            queue.cancel(unlucky)
        await queue.stop()

    async def last() -> None:
        await world.driven(engine, jobs[0])
        for each in jobs:
            await _check(world, engine, each)

    jobs = world.live(first())
    for each in jobs:
        engine.knows_of(each)
    for _ in range(DAEMONS):
        world.live(one_of_many())
    world.live(last())


async def _check(world: World, engine: Erratic, job_id: str) -> None:
    info, token, story = await world.info(job_id), f"aj-{job_id}", await _story(world, engine, job_id)
    assert engine.taken[token] <= 1, f"handed over twice\n{story}"
    if token in engine.taken:
        ends = [(each.state, each.exit_code) for each in (engine.ends[token], Status(JobState.CANCELLED))]
        assert (info.state, info.exit_code) in ends[: 2 if token in engine.stopped else 1], story
    elif info.state is JobState.CANCELLED:
        assert info.cancel_requested, story
    else:
        # The engine said no or its backend broke, and the engine certainly has nothing of it.
        assert info.state is JobState.REJECTED, story
        assert (token in engine.refused) or "the backend failed" in info.message, story
