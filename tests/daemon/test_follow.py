"""Following a job whose engine comes and goes: what it wrote last is told before its end, or said to be missing."""

from __future__ import annotations

import asyncio
import json
from functools import partial
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

from ajkit.daemon import follow, records
from ajkit.daemon.follow import Follower
from ajkit.daemon.meters import Meters
from ajkit.shared.job.execution import LogChunk, LogStream, Unavailable
from tests.daemon.driven import DONE, Engine, OneEngine, World, world

if TYPE_CHECKING:
    import pytest

    from ajkit.shared.job.execution import Handle

__all__ = ["world"]

TEXT = b"first\nlast\n"


class Speaking(Engine):
    """An engine that has a log; `away` says of each time it is asked for it whether it cannot be."""

    def __init__(self, away: list[bool]) -> None:
        super().__init__(["17"], [DONE])
        self.away = away

    def streams(self, _: Handle) -> list[LogStream]:
        if self.away and self.away.pop(0):
            raise Unavailable("the engine is down")
        return [LogStream("node-0", 0)]

    def logs(self, _: Handle, stream: str, offset: int, limit: int) -> LogChunk:
        assert stream == "node-0"
        data = TEXT[offset : offset + limit]
        return LogChunk(data, offset + len(data), complete=True)


def followed(world: World, engine: Speaking) -> list[tuple[str, Any]]:
    """The kinds and contents of what one is sent who follows a job that has ended."""

    async def scene() -> list[str]:
        info, _ = await world.driven(engine)
        record = await world.ledger.ask(partial(records.job_record, job_id=info.id))
        assert record is not None
        parts: Any = SimpleNamespace(
            hub=world.hub,
            ledger=world.ledger,
            engines=world.engines,
            executions=OneEngine(engine),
            queue=world.queue(engine),
            meters=Meters(),
        )
        return [each async for each in Follower(parts, record, "", only=None).stream()]

    told = []
    for each in asyncio.run(scene()):
        fields = dict(line.split(": ", 1) for line in each.splitlines() if line and not line.startswith(":"))
        if fields:
            told.append((fields["event"], json.loads(fields["data"])))
    return told


def test_an_engine_that_goes_away_as_the_job_ends_is_waited_for(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow, "_AWAY_SECONDS", 0.01)
    told = followed(world, Speaking([True, True, True]))
    assert [kind for kind, _ in told][-4:] == ["state", "log", "state", "end"]
    assert (told[-3][1]["text"], told[-2][1]["state"], told[-2][1]["message"]) == (TEXT.decode(), "done", "")


def test_an_engine_that_stays_away_has_its_job_end_with_a_word(world: World, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(follow, "_LAST_SECONDS", 0.0)
    told = followed(world, Speaking([True] * 100))
    assert [kind for kind, _ in told][-2:] == ["state", "end"]
    assert told[-2][1]["state"] == "done"
    assert told[-2][1]["message"] == "its last output could not be read: the engine is down"
