"""Work-done progress: shown where the client can, from beginning to end, and stopped when the person says so."""

from __future__ import annotations

import asyncio
import threading
from typing import TYPE_CHECKING, Any

import pytest

from ajkit.lsp.failure import RequestFailed
from ajkit.lsp.progress import Progress, Progresses, unseen
from ajkit.lsp.threads import in_thread, to_the_end
from tests.lsp.held import Held
from tests.lsp.wire import TIMEOUT, Wire

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path


class Client:
    """A client that makes room for progress when it is told to."""

    def __init__(self) -> None:
        self.told: list[dict[str, Any]] = []
        self.made: list[asyncio.Future[Any]] = []
        self.progresses = Progresses(lambda _, params: self.told.append(params), self._ask)

    def _ask(self, method: str, params: dict[str, Any]) -> asyncio.Future[Any]:
        assert method == "window/workDoneProgress/create"
        assert params == {"token": f"aj-{len(self.made) + 1}"}
        self.made.append(asyncio.get_running_loop().create_future())
        return self.made[-1]

    @property
    def kinds(self) -> list[str]:
        return [each["value"]["kind"] for each in self.told]


def play(act: Callable[[Client], Any]) -> Client:
    """Let something happen inside a loop."""

    async def run() -> Client:
        client = Client()
        await act(client)
        await asyncio.sleep(0)
        return client

    return asyncio.run(run())


def test_from_beginning_to_end() -> None:
    async def act(client: Client) -> None:
        progress = client.progresses.start("Reading", stoppable=True)
        progress.report("early", 10)
        client.made[0].set_result(None)
        await asyncio.sleep(0)
        progress.report("late", 50)
        progress.end()
        progress.end()
        progress.report("too late")

    assert play(act).told == [
        {
            "token": "aj-1",
            "value": {"kind": "begin", "title": "Reading", "cancellable": True}
            | {"message": "early", "percentage": 10},
        },
        {"token": "aj-1", "value": {"kind": "report", "message": "late", "percentage": 50}},
        {"token": "aj-1", "value": {"kind": "end"}},
    ]


@pytest.mark.parametrize("answer", ["refused", "cancelled", "late"])
def test_a_client_that_makes_no_room_is_shown_nothing(answer: str) -> None:
    async def act(client: Client) -> None:
        progress = client.progresses.start("Reading")
        if answer == "refused":
            client.made[0].set_exception(RequestFailed("no"))
        elif answer == "cancelled":
            client.made[0].cancel()
        progress.report("on")
        progress.end()
        if answer == "late":
            client.made[0].set_result(None)
            await asyncio.sleep(0)

    assert play(act).told == []


def test_the_person_stops_one_of_several() -> None:
    stopped: list[bool] = []

    async def act(client: Client) -> None:
        first, second = client.progresses.start("a"), client.progresses.start("b")
        client.progresses.stop({"token": "aj-2"})
        client.progresses.stop({"token": "no such"})
        stopped.extend([first.stopped.is_set(), second.stopped.is_set()])
        second.end()
        client.progresses.stop({"token": "aj-2"})
        for each in client.made:
            each.cancel()

    play(act)
    assert stopped == [False, True]


def test_work_that_nobody_sees() -> None:
    progress = unseen("a", stoppable=True)
    progress.report("b", 3)
    progress.end()
    assert not progress.stopped.is_set()


class TestThreads:
    def test_results_and_errors_come_back(self) -> None:
        async def both() -> int:
            with pytest.raises(ZeroDivisionError):
                await in_thread(lambda: 1 // 0)
            with pytest.raises(ZeroDivisionError):
                await to_the_end(lambda: 1 // 0, threading.Event())
            return await in_thread(lambda: 1) + await to_the_end(lambda: 2, threading.Event())

        assert asyncio.run(both()) == 3

    def test_the_loop_goes_on_meanwhile(self) -> None:
        async def both() -> bool:
            go = threading.Event()
            work = asyncio.ensure_future(in_thread(lambda: go.wait(TIMEOUT)))
            await asyncio.sleep(0.01)
            go.set()
            return await work

        assert asyncio.run(both())

    def test_a_cancelled_request_does_not_wait(self) -> None:
        go, over = threading.Event(), threading.Event()

        def work() -> None:
            go.wait(TIMEOUT)
            over.set()

        async def cancel() -> None:
            task = asyncio.ensure_future(in_thread(work))
            await asyncio.sleep(0.01)
            task.cancel()
            await task

        with pytest.raises(asyncio.CancelledError):
            asyncio.run(cancel())
        assert not over.is_set()
        go.set()
        assert over.wait(TIMEOUT)

    def test_work_to_the_end_is_told_to_stop_and_waited_for(self) -> None:
        progress = Progress()

        async def cancel() -> str:
            def steps() -> str:
                assert progress.stopped.wait(TIMEOUT)
                return "stopped in good order"

            work = asyncio.ensure_future(to_the_end(steps, progress.stopped))
            await asyncio.sleep(0.01)
            work.cancel()
            return await work

        assert asyncio.run(cancel()) == "stopped in good order"


@pytest.fixture
def large(tmp_path: Path) -> Path:
    folder = tmp_path / ".aj" / "template"
    folder.mkdir(parents=True)
    for number in range(900):
        (folder / f"t{number}.yaml").write_text("base: t0\n" if number else "config: {}\n")
    return tmp_path


def reading_that_waits(folder: Path) -> Held:
    """A reading of a home that goes on to its second slice of files once it is let go."""
    return Held(folder, "ajkit.lsp.indexing:_read_some", free=1)


def test_reading_a_large_home_is_shown(large: Path) -> None:
    held = reading_that_waits(large)
    with Wire(large, command=held.command) as wire:
        wire.initialize({"window": {"workDoneProgress": True}})
        wire.open(large / ".aj" / "template" / "t1.yaml")
        wire.wait_told("$/progress", lambda each: each["value"]["kind"] == "begin")
        held.let_go()
        end = wire.wait_told("$/progress", lambda each: each["value"]["kind"] == "end")
        told = [each["params"] for each in wire.told if each["method"] == "$/progress"]
        assert {each["token"] for each in told} == {end["token"]}
        assert told[0]["value"]["title"] == "Reading templates"
        assert told[0]["value"]["cancellable"] is True
        percentages = [each["value"]["percentage"] for each in told if "percentage" in each["value"]]
        assert percentages == sorted(percentages)
        assert wire.finish() == 0


def states(wire: Wire) -> list[str]:
    answer = wire.result("workspace/executeCommand", {"command": "aj.status"})
    return [each["state"] for each in answer["homes"]]


def test_the_reading_of_a_large_home_can_be_stopped(large: Path) -> None:
    held = reading_that_waits(large)
    with Wire(large, command=held.command) as wire:

        def stop(params: dict[str, Any]) -> None:
            wire.tell("window/workDoneProgress/cancel", {"token": params["token"]})

        wire.answers["window/workDoneProgress/create"] = stop
        wire.initialize({"window": {"workDoneProgress": True}})
        uri = wire.open(large / ".aj" / "template" / "t1.yaml")
        wire.wait_asked("window/workDoneProgress/create")
        assert states(wire) == ["indexing"]
        held.let_go()
        assert wire.until(lambda: [each for each in states(wire) if each != "indexing"]) == ["unread"]
        wire.open(large / ".aj" / "template" / "t2.yaml")
        assert wire.result("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
        assert states(wire) == ["unread"], "what was stopped does not begin again by itself"
        del wire.answers["window/workDoneProgress/create"]
        wire.result("workspace/executeCommand", {"command": "aj.graph", "arguments": [{"uri": uri}]})
        assert states(wire) == ["ready"], "a command that needs it reads it"
