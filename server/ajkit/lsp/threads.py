"""Work beside the requests: in steps that give way to them, or blocking in a thread that is not of the loop's pool."""

from __future__ import annotations

import asyncio
import contextlib
import threading
import time
from functools import partial
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Result = TypeVar("Result")


TURNS = 8
"""How many turns of the loop a message may take from its arrival to its answer."""
ATTENTION, REST = 0.1, 0.03
"""Seconds for which somebody who asks is likely to ask again, and how long work then rests after each step."""

_MOMENT = 0.0005
"""Seconds for which a thread rests: enough for the loop to take over and to answer most requests."""


async def give_way(heard: float = 0.0) -> None:
    """Let everything that waits be answered before work in the background goes on.

    `heard` is when the client was heard last, by the clock of the loop: while a person types or moves about, steps are
    rare, so that hardly a request meets one.
    """
    if heard and asyncio.get_running_loop().time() - heard < ATTENTION:
        await asyncio.sleep(REST)
    for _ in range(TURNS):
        await asyncio.sleep(0)


def rest(heard: float) -> None:
    """Between two steps of work in a thread: let the loop answer, when a client was heard a moment ago (`give_way`)."""
    if heard and time.monotonic() - heard < ATTENTION:
        time.sleep(_MOMENT)


async def in_thread(work: Callable[[], Result]) -> Result:
    """The result of blocking work. A request that is cancelled does not wait for it."""
    return await _begun(work)


async def to_the_end(work: Callable[[], Result], stopped: threading.Event) -> Result:
    """The result of blocking work that looks at `stopped` between its steps.

    When the request is cancelled `stopped` is set, and the work is still waited for: what it has done by then is told.
    """
    done = _begun(work)
    try:
        return await asyncio.shield(done)
    except asyncio.CancelledError:
        stopped.set()
        return await done


def _begun(work: Callable[[], Result]) -> asyncio.Future[Result]:
    """The work, in a thread that does not keep the process alive."""
    loop = asyncio.get_running_loop()
    done: asyncio.Future[Result] = loop.create_future()

    def run() -> None:
        try:
            result = work()
        except BaseException as error:  # noqa: BLE001 - it is raised where the work is waited for
            tell(partial(_fail, done, error))
        else:
            tell(partial(_finish, done, result))

    def tell(settle: Callable[[], None]) -> None:
        with contextlib.suppress(RuntimeError):  # the loop is closed: nobody waits any more
            loop.call_soon_threadsafe(settle)

    threading.Thread(target=run, daemon=True, name="aj-work").start()
    return done


def _finish(done: asyncio.Future[Result], result: Result) -> None:
    if not done.done():
        done.set_result(result)


def _fail(done: asyncio.Future[Result], error: BaseException) -> None:
    if not done.done():
        done.set_exception(error)
