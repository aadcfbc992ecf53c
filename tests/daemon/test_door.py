"""The door: slow and large requests are turned away, and it knows for how long nobody was there."""

from __future__ import annotations

import asyncio
from typing import TYPE_CHECKING, Any

import pytest

from ajkit.daemon.door import Door
from ajkit.daemon.refusals import RefusedRequest

if TYPE_CHECKING:
    from starlette.types import Message, Receive, Scope, Send


async def read_all(scope: Scope, receive: Receive, send: Send) -> None:
    """An app that takes a whole body."""
    while (await receive()).get("more_body"):
        continue


def pass_through(door: Door, messages: list[Message | float], path: str = "/v1/jobs") -> None:
    """A request whose body comes as these messages, with pauses in seconds between them."""

    async def scene() -> None:
        async def receive() -> Message:
            each = messages.pop(0)
            if isinstance(each, float):
                await asyncio.sleep(each)
                return await receive()
            return each

        async def send(_: Message) -> None:
            raise AssertionError

        await door({"type": "http", "path": path}, receive, send)

    asyncio.run(scene())


def part(size: int, *, more: bool) -> dict[str, Any]:
    return {"type": "http.request", "body": b"x" * size, "more_body": more}


def test_a_body_may_be_as_large_as_the_limit() -> None:
    pass_through(Door(read_all, 100, 60), [part(60, more=True), part(40, more=False)])


def test_a_larger_one_is_refused_before_it_has_come() -> None:
    with pytest.raises(RefusedRequest) as refused:
        pass_through(Door(read_all, 100, 60), [part(60, more=True), part(41, more=True)])
    assert refused.value.document.code == "request.too-large"


def test_archives_are_left_to_their_store() -> None:
    pass_through(Door(read_all, 100, 60), [part(200, more=False)], "/v1/code/00")


def test_a_client_that_pauses_for_too_long() -> None:
    with pytest.raises(RefusedRequest) as refused:
        pass_through(Door(read_all, 100, 0.02), [part(1, more=True), 5.0, part(1, more=False)])
    assert refused.value.document.code == "request.timeout"


def test_quiet_begins_when_the_last_one_has_left() -> None:
    quiet = []

    async def look(scope: Scope, receive: Receive, send: Send) -> None:
        quiet.append(door.quiet_seconds)

    door = Door(look, 100, 60)
    pass_through(door, [part(1, more=False)])
    assert quiet == [0.0]
    assert 0 < door.quiet_seconds < 60
