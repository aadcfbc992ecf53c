"""How a job is driven when its engine misbehaves: handed over once, looked up before another try, honest states."""

from __future__ import annotations

import asyncio
import threading
from functools import partial
from typing import TYPE_CHECKING

import pytest

from ajkit.daemon import drive, records
from ajkit.shared.contract import JobInfo, SubmitRequest
from ajkit.shared.job.execution import JobState, OutcomeUnknown, Rejected, Status, Unavailable
from tests.daemon.driven import DONE, HANGS, RUNNING, Engine, World, in_turn, world
from tests.daemons import job_spec

if TYPE_CHECKING:
    from collections.abc import Callable

    from ajkit.shared.job.execution import Handle, JobEvent, Submission

__all__ = ["world"]


def test_a_good_day(world: World) -> None:
    engine = Engine(["17"])
    info, states = asyncio.run(world.driven(engine))
    assert (info.state, info.backend_id, info.exit_code, info.attempts) == (JobState.DONE, "17", 0, 1)
    assert states == ["accepted", "submitting", "submitted", "running", "done"]
    assert engine.calls == ["submit"]


def test_rejected(world: World) -> None:
    info, states = asyncio.run(world.driven(Engine([Rejected("no such queue")])))
    assert (info.message, info.backend_id) == ("no such queue", None)
    assert states == ["accepted", "submitting", "rejected"]


def test_an_engine_that_is_away_is_tried_again(world: World) -> None:
    engine = Engine([Unavailable("down"), Unavailable("down"), "17"])
    info, states = asyncio.run(world.driven(engine))
    assert (info.state, info.attempts) == (JobState.DONE, 3)
    assert engine.calls == ["submit"] * 3
    assert states == ["accepted", "submitting", "submitted", "running", "done"]


def test_an_answer_that_was_lost_is_looked_up(world: World) -> None:
    engine = Engine([OutcomeUnknown("the connection broke")])
    info, states = asyncio.run(world.driven(engine))
    assert engine.calls == ["submit", "find"]
    assert (info.backend_id, len(engine.jobs)) == ("found", 1)
    assert states == ["accepted", "submitting", "unknown", "submitted", "running", "done"]


def test_a_job_that_certainly_is_not_there_is_submitted_again(world: World) -> None:
    engine = Engine([OutcomeUnknown("the connection broke"), "17"])
    engine.jobs = []
    submit = engine.submit

    def lost(job: Submission, report: Callable[[str], None]) -> str:
        try:
            return submit(job, report)
        except OutcomeUnknown:
            engine.jobs.clear()
            raise

    engine.submit = lost  # type: ignore[method-assign]
    info, states = asyncio.run(world.driven(engine))
    assert in_turn(engine.calls) == ["submit", "find", "submit"]
    assert engine.calls.count("find") > 1
    assert (info.backend_id, info.attempts) == ("17", 2)
    assert states == ["accepted", "submitting", "unknown", "submitting", "submitted", "running", "done"]


def test_unknown_stays_unknown_while_the_engine_cannot_be_asked(world: World) -> None:
    engine = Engine([OutcomeUnknown("broke")], finds=[Unavailable("down"), Unavailable("down")])
    info, states = asyncio.run(world.driven(engine))
    assert engine.calls == ["submit", "find", "find", "find"]
    assert info.state is JobState.DONE
    assert states.count("unknown") == 1


def test_a_backend_that_breaks_after_the_call_has_not_submitted_twice(world: World) -> None:
    engine = Engine([ZeroDivisionError("a fault")])
    info, _ = asyncio.run(world.driven(engine))
    assert (engine.calls, info.state, info.backend_id) == (["submit", "find"], JobState.DONE, "found")


def test_a_backend_that_breaks_before_the_call_is_not_asked_for_ever(world: World) -> None:
    engine = Engine([])
    info, _ = asyncio.run(world.driven(engine))
    assert in_turn(engine.calls) == ["submit", "find"]
    assert info.state is JobState.REJECTED
    assert "IndexError" in info.message


@pytest.mark.parametrize("arrived", [True, False])
def test_a_daemon_that_died_while_it_submitted_looks_first(world: World, arrived: bool) -> None:
    async def scene() -> tuple[Engine, JobInfo]:
        job_id = await world.accept()
        await world.ledger.intend(job_id)
        engine = Engine(["17"])
        engine.jobs = [f"aj-{job_id}"] if arrived else []
        info, _ = await world.driven(engine, job_id)
        return engine, info

    engine, info = asyncio.run(scene())
    assert in_turn(engine.calls) == (["find"] if arrived else ["find", "submit"])
    assert (info.state, len(engine.jobs)) == (JobState.DONE, 1)


def test_a_daemon_that_died_later_goes_on_with_the_id_it_has(world: World) -> None:
    async def scene() -> tuple[Engine, JobInfo]:
        job_id = await world.accept()
        await world.ledger.intend(job_id)
        await world.ledger.step(job_id, JobState.SUBMITTED, backend_id="17", attempt="17")
        engine = Engine([])
        info, _ = await world.driven(engine, job_id)
        return engine, info

    engine, info = asyncio.run(scene())
    assert (engine.calls, info.state, info.backend_id) == ([], JobState.DONE, "17")


def test_an_engine_that_goes_away_while_the_job_runs(world: World) -> None:
    engine = Engine(["17"], [RUNNING, Unavailable("down"), Unavailable("down"), RUNNING, DONE])
    info, states = asyncio.run(world.driven(engine))
    assert states == ["accepted", "submitting", "submitted", "running", "done"]
    assert info.state is JobState.DONE


def test_requeued(world: World) -> None:
    queued = Status(JobState.QUEUED, "node failed")
    _, states = asyncio.run(world.driven(Engine(["17"], [queued, RUNNING, queued, RUNNING, DONE])))
    assert states == ["accepted", "submitting", "submitted", "queued", "running", "queued", "running", "done"]


async def _asked_to_stop(world: World, engine: Engine) -> str:
    """A job that runs, and is to be cancelled."""
    job_id = await world.accept()
    queue = world.queue(engine)
    queue.take(job_id)
    await world.until(job_id, JobState.RUNNING)
    await world.ledger.ask_cancel(job_id)
    queue.cancel(job_id)
    return job_id


def test_cancelled_while_it_runs(world: World) -> None:
    engine = Engine(["17"], [RUNNING])

    async def scene() -> list[str]:
        job_id = await _asked_to_stop(world, engine)
        await world.until(job_id, JobState.CANCELLED)
        return await world.states(job_id)

    states = asyncio.run(scene())
    assert states == ["accepted", "submitting", "submitted", "running", "cancelling", "cancelled"]
    assert engine.calls == ["submit", "cancel"]


def test_a_job_that_is_being_stopped_says_so_until_it_has(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    engine = Engine(["17"], [RUNNING])
    asked = threading.Event()
    engine.cancel = lambda _: asked.set()  # type: ignore[method-assign]

    async def scene() -> list[JobEvent]:
        job_id = await _asked_to_stop(world, engine)
        await asyncio.to_thread(asked.wait, HANGS)
        engine.statuses = [RUNNING, RUNNING, Status(JobState.QUEUED, "nodes are cleaned"), Status(JobState.CANCELLED)]
        await world.until(job_id, JobState.CANCELLED)
        return await world.ledger.ask(partial(records.events_after, job_id=job_id, seq=0))

    said = [each.message for each in asyncio.run(scene()) if each.state is JobState.CANCELLING]
    assert said == ["the engine was asked to stop it", "nodes are cleaned"]


def test_cancelled_before_it_was_handed_over(world: World) -> None:
    async def scene() -> tuple[Engine, list[str]]:
        job_id = await world.accept()
        await world.ledger.ask_cancel(job_id)
        engine = Engine(["17"])
        _, states = await world.driven(engine, job_id)
        return engine, states

    engine, states = asyncio.run(scene())
    assert (engine.calls, states) == ([], ["accepted", "cancelled"])


def test_a_job_that_ends_before_it_can_be_cancelled_keeps_its_end(world: World) -> None:
    engine = Engine(["17"], [RUNNING])
    engine.cancel = lambda _: setattr(engine, "statuses", [DONE])  # type: ignore[method-assign]

    async def scene() -> list[str]:
        job_id = await _asked_to_stop(world, engine)
        await world.until(job_id, JobState.DONE, JobState.CANCELLED)
        return await world.states(job_id)

    assert asyncio.run(scene())[-2:] == ["cancelling", "done"]


def test_a_job_that_has_ended_meanwhile_is_not_handed_over(world: World) -> None:
    """By the word of a daemon before this one, written while this one had read of the job already."""

    class Elsewhere(Engine):
        def find(self, job: Submission) -> str | None:
            change = partial(records.step, job_id=job.spec.sid, state=JobState.REJECTED)
            world.journal.write(change, durable=True).result(HANGS)
            return super().find(job)

    async def scene() -> tuple[JobInfo, list[str]]:
        job_id = await world.accept()
        await world.ledger.intend(job_id)
        return await world.driven(engine, job_id)

    engine = Elsewhere(["17"])
    info, states = asyncio.run(scene())
    assert (in_turn(engine.calls), info.attempts) == (["find"], 1)
    assert states == ["accepted", "submitting", "rejected"]


def test_a_service_that_nothing_runs(world: World) -> None:
    info, states = asyncio.run(world.driven(None))
    assert states == ["accepted", "rejected"]
    assert "nothing here runs" in info.message


def test_a_job_on_an_engine_that_is_gone_for_now_is_kept(world: World) -> None:
    async def scene() -> JobInfo:
        job_id = await world.accept()
        await world.ledger.intend(job_id)
        await world.ledger.step(job_id, JobState.SUBMITTED, backend_id="17")
        return (await world.driven(None, job_id))[0]

    info = asyncio.run(scene())
    assert info.state is JobState.SUBMITTED
    assert "nothing here runs" in info.message


def test_code_that_is_gone(world: World) -> None:
    async def scene() -> JobInfo:
        body = SubmitRequest(spec=job_spec("true"), code_digest="0" * 64)
        await world.ledger.accept(body, "", "k")
        return (await world.driven(Engine(["17"]), body.spec.sid))[0]

    info = asyncio.run(scene())
    assert info.state is JobState.REJECTED
    assert "code of the job is gone" in info.message


def test_an_engine_is_asked_again_to_stop_what_it_has_not_stopped(
    world: World, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(drive, "_ASK_AGAIN", 0.05)
    engine = Engine(["17"], [RUNNING])

    def deaf(_: Handle) -> None:
        engine.calls.append("cancel")
        if engine.calls.count("cancel") == 3:
            engine.statuses = [Status(JobState.CANCELLED)]

    engine.cancel = deaf  # type: ignore[method-assign]

    async def scene() -> list[str]:
        job_id = await _asked_to_stop(world, engine)
        await world.until(job_id, JobState.CANCELLED)
        return await world.states(job_id)

    assert asyncio.run(scene())[-2:] == ["cancelling", "cancelled"]
    assert engine.calls.count("cancel") == 3
