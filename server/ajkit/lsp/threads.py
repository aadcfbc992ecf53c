"""Blocking work beside the loop, in a thread of its own: the loop's pool is what messages are read with."""

from __future__ import annotations

import asyncio
import contextlib
import threading
from functools import partial
from typing import TYPE_CHECKING, TypeVar

if TYPE_CHECKING:
    from collections.abc import Callable

Result = TypeVar("Result")


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
