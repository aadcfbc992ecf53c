"""How a daemon bears with engines that are away, hang, forget or say odd things: asked seldom, believed late."""

from __future__ import annotations

import asyncio
import os
import threading
import time
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from ajkit.daemon import drive, records, upkeep
from ajkit.shared.job.execution import JobState, OutcomeUnknown, Rejected, Status, Unavailable, UnclearRefusal
from tests.daemon.driven import DONE, HANGS, RUNNING, Engine, World, in_turn, world

if TYPE_CHECKING:
    from collections.abc import Callable

    from ajkit.daemon.queue import Queue
    from ajkit.shared.contract import JobInfo
    from ajkit.shared.job.execution import Handle, Submission

__all__ = ["world"]


def test_an_engine_that_is_down_is_left_alone_for_longer_each_time(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drive, "_FIRST_PAUSE", 0.05)
    engine = Engine([Unavailable("down")] * 1000)

    async def scene() -> JobInfo:
        job_id = await world.accept()
        queue = world.queue(engine)
        queue.take(job_id)
        await asyncio.sleep(0.6)
        await world.ledger.ask_cancel(job_id)
        queue.cancel(job_id)
        await world.until(job_id, JobState.CANCELLED)
        return await world.info(job_id)

    info = asyncio.run(scene())
    # 0.05 + 0.1 + 0.2 + 0.4 seconds; a busy machine may sleep for longer.
    assert 1 <= info.attempts <= 8
    assert engine.calls == ["submit"] * info.attempts


@pytest.mark.parametrize("runs", [True, False])
def test_a_daemon_that_stops_does_not_ask_its_engines_without_a_pause(world: World, runs: bool) -> None:
    engine = Engine(["17"] if runs else [Unavailable("down")] * 1000, [RUNNING])
    engine.poll_seconds = 0.1
    asked = 0

    def status(_: Handle) -> Status:
        nonlocal asked
        asked += 1
        return RUNNING

    engine.status = status  # type: ignore[method-assign]

    async def scene() -> float:
        job_id = await world.accept()
        queue = world.queue(engine)
        queue.take(job_id)
        await world.until(job_id, JobState.RUNNING if runs else JobState.SUBMITTING)
        world.hub.close()
        before, since = asked + len(engine.calls), time.monotonic()
        await asyncio.sleep(0.4)
        await queue.stop()
        return (asked + len(engine.calls) - before) / (time.monotonic() - since)

    assert asyncio.run(scene()) <= 25, "questions in a second"


GONE = Status(JobState.LOST, "no such job")


def test_an_engine_that_does_not_know_a_job_for_a_moment_has_not_lost_it(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drive, "_DOUBTS", 10_000)
    engine = Engine(["17"], [GONE, GONE, RUNNING, GONE, Unavailable("down"), GONE, RUNNING, DONE])
    engine.poll_seconds = 0.05
    info, states = asyncio.run(world.driven(engine))
    assert states == ["accepted", "submitting", "submitted", "running", "done"]
    assert (info.state, info.message) == (JobState.DONE, "")


def test_an_engine_that_goes_on_not_knowing_a_job_has_lost_it(world: World) -> None:
    info, states = asyncio.run(world.driven(Engine(["17"], [RUNNING, GONE])))
    assert states == ["accepted", "submitting", "submitted", "running", "lost"]
    assert info.message == "no such job"


class Late(Engine):
    """An engine whose records are behind: a job that it has taken is in none of them until it was asked so often."""

    def __init__(self, submits: list[object], behind: int) -> None:
        super().__init__(submits)
        self.behind = behind

    def find(self, job: Submission) -> str | None:
        found = super().find(job)
        return found if self.calls.count("find") > self.behind else None


@pytest.mark.parametrize("first", [OutcomeUnknown("cut off"), UnclearRefusal("no, or yes"), KeyError("id")])
def test_a_job_whose_answer_was_lost_is_not_handed_over_again_at_one_word(
    world: World, monkeypatch: pytest.MonkeyPatch, first: Exception
) -> None:
    """Were the engine believed at once, the job would be there twice, or be called rejected while it runs."""
    monkeypatch.setattr(drive, "_DOUBTS", 10_000)
    engine = Late([first, "18"], behind=3)
    info, states = asyncio.run(world.driven(engine))
    assert in_turn(engine.calls) == ["submit", "find"]
    assert states == ["accepted", "submitting", "unknown", "submitted", "running", "done"]
    assert info.backend_id == "found"


def test_two_looks_at_least_are_taken_however_slow_they_are(world: World) -> None:
    """A look that was taken before the engine had the job may be answered long after."""

    class Slow(Late):
        poll_seconds = 0.002

        def find(self, job: Submission) -> str | None:
            found = super().find(job)
            time.sleep(0.1)
            return found

    engine = Slow([OutcomeUnknown("cut off"), "18"], behind=1)
    info, _ = asyncio.run(world.driven(engine))
    assert (engine.calls.count("submit"), info.backend_id) == (1, "found")


def test_an_engine_that_was_away_is_doubted_anew(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    """What answers after that may be an engine just started, which knows no job yet."""
    monkeypatch.setattr(drive, "_DOUBTS", 2)
    away = 0.1

    class Restarted(Late):
        poll_seconds = 0.03

        def find(self, job: Submission) -> str | None:
            found = super().find(job)
            if self.calls.count("find") == 2:
                time.sleep(away)
                raise Unavailable("down")
            return found

    engine = Restarted([OutcomeUnknown("cut off"), "18"], behind=3)
    info, _ = asyncio.run(world.driven(engine))
    assert (engine.calls.count("submit"), info.backend_id) == (1, "found")


def test_what_is_refused_may_be_the_second_of_two(world: World) -> None:
    """An engine that shows no job of ours, and then takes none because it has one, has not refused it."""

    class Taken(Engine):
        def submit(self, job: Submission, report: Callable[[str], None]) -> str:
            try:
                return super().submit(job, report)
            except Rejected:
                self.jobs.append(job.token)
                raise

        def find(self, job: Submission) -> str | None:
            self.calls.append("find")
            return "found" if "submit" in self.calls and job.token in self.jobs else None

    async def scene() -> tuple[JobInfo, list[str]]:
        job_id = await world.accept()
        await world.ledger.intend(job_id)
        return await world.driven(engine, job_id)

    engine = Taken([Rejected("there is one of this name")])
    info, states = asyncio.run(scene())
    assert in_turn(engine.calls) == ["find", "submit", "find"]
    assert (info.backend_id, states[-1]) == ("found", "done")


@pytest.mark.parametrize("call", ["submit", "find", "status"])
def test_a_backend_that_misses_a_key_says_so(world: World, call: str) -> None:
    """What an engine left out of its answer is a fault of the backend; by no means is the job left without a word."""
    missed = KeyError("id")
    engine = Engine(
        [missed if call == "submit" else OutcomeUnknown("broke")],
        [missed, RUNNING, DONE] if call == "status" else None,
        [missed] if call == "find" else None,
    )
    info, _ = asyncio.run(world.driven(engine))
    said = [
        each.message for each in asyncio.run(world.ledger.ask(partial(records.events_after, job_id=info.id, seq=0)))
    ]
    assert info.state is JobState.DONE
    assert any("KeyError" in each for each in said)
    assert engine.calls.count("submit") == 1


def test_a_question_that_is_refused_is_asked_again(world: World) -> None:
    engine = Engine([OutcomeUnknown("broke")], [Rejected("not yours"), RUNNING, DONE], finds=[Rejected("not yours")])
    info, states = asyncio.run(world.driven(engine))
    assert states == ["accepted", "submitting", "unknown", "submitted", "running", "done"]
    assert engine.calls == ["submit", "find", "find"]
    assert info.state is JobState.DONE


def test_an_engine_that_hangs_does_not_keep_another(world: World) -> None:
    held = threading.Event()

    class Hanging(Engine):
        name = "hanging"

        def status(self, _: Handle) -> Status:
            held.wait(2 * HANGS)
            return DONE

    async def scene() -> list[Status]:
        stuck = [asyncio.create_task(world.engines.call(Hanging([]).status, handle)) for _ in range(40)]
        await asyncio.sleep(0.05)
        try:
            async with asyncio.timeout(HANGS):
                answer = await world.engines.call(Engine([], [DONE]).status, handle)
        finally:
            held.set()
        return [answer, *await asyncio.gather(*stuck)]

    handle: Any = None
    assert asyncio.run(scene()) == [DONE] * 41


def test_the_hub_keeps_nothing_of_those_who_have_gone(world: World) -> None:
    async def scene() -> None:
        for number in range(100):
            job = f"job {number}"
            await world.hub.wait(job, world.hub.ticket(job), 0.0001)
            async with asyncio.TaskGroup() as group:
                group.create_task(world.hub.wait(job, world.hub.ticket(job), 1))
                await asyncio.sleep(0)
                world.hub.tell(job)

    asyncio.run(scene())
    assert world.hub._waiting == {}


def parts_of(world: World, queue: Queue, **settings: float) -> Any:
    """What is needed to forget."""
    kept = SimpleNamespace(keep_log_days=30, code_folder=world.store.root, state=str(world.root), **settings)
    return SimpleNamespace(ledger=world.ledger, queue=queue, hub=world.hub, store=world.store, settings=kept)


async def ended_jobs(world: World, queue: Queue, count: int) -> list[str]:
    """Jobs that were rejected just now, with a folder each."""
    jobs = [await world.accept() for _ in range(count)]
    for each in jobs:
        (world.root / "jobs" / each).mkdir()
        queue.take(each)
        await world.until(each, JobState.REJECTED)
    return jobs


def test_a_daemon_that_dies_while_it_forgets_leaves_no_folder_behind(world: World) -> None:
    """A folder of a job that is in no journal would be nobody's for ever."""
    queue = world.queue(Engine([Rejected("no")] * 3))

    async def killed(*_: object) -> bool:
        raise SystemExit

    parts = parts_of(world, queue, keep_days=0)
    dying: Any = SimpleNamespace(**{**vars(parts), "queue": SimpleNamespace(forget=killed)})

    async def scene() -> tuple[list[str], JobInfo | None]:
        jobs = await ended_jobs(world, queue, 3)
        later = time.time() + 1
        with pytest.raises(SystemExit):
            await upkeep.forget(dying, later)
        await upkeep.forget(parts, later)
        return os.listdir(world.root / "jobs"), await world.ledger.ask(partial(records.job_info, job_id=jobs[0]))

    assert asyncio.run(scene()) == ([], None)


def test_a_job_stays_until_its_engine_has_let_go_of_what_it_has(world: World) -> None:
    class Littering(Engine):
        left: set[str]
        away = True

        def forget(self, job: Submission) -> None:
            self.calls.append("forget")
            if self.away:
                raise Unavailable("the login node is down")
            self.left.discard(job.token)

    engine = Littering([Rejected("no")] * 6)
    queue = world.queue(engine)
    parts = parts_of(world, queue, keep_days=10)

    async def scene() -> None:
        day, now = 86400.0, time.time()
        jobs = await ended_jobs(world, queue, 3)
        engine.left = {f"aj-{each}" for each in jobs}
        await upkeep.forget(parts, now + 15 * day)
        assert engine.calls.count("forget") == 1, "one that is away is not asked for each job"
        assert sorted(os.listdir(world.root / "jobs")) == sorted(jobs)
        engine.away = False
        await upkeep.forget(parts, now + 16 * day)
        assert (engine.left, os.listdir(world.root / "jobs")) == (set(), [])
        assert await world.ledger.ask(partial(records.job_info, job_id=jobs[0])) is None
        engine.away = True
        await ended_jobs(world, queue, 3)
        await upkeep.forget(parts, now + 21 * day)
        assert os.listdir(world.root / "jobs") == [], "an engine that is never there again keeps nothing for ever"

    asyncio.run(scene())
