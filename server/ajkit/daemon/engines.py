"""Calls to engines, which block, kept off the event loop."""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, TypeVar

from ajkit.daemon.meters import Meters
from ajkit.shared.job.execution import ExecutionError, OutcomeUnknown

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import ParamSpec

    P = ParamSpec("P")

T = TypeVar("T")

log = logging.getLogger(__name__)

_AT_ONCE = 16


class BackendFault(OutcomeUnknown):
    """A backend broke the rules of Execution by raising something else: what it did is unknown."""


class Engines:
    """A few threads in which backends wait for their engines."""

    def __init__(self, meters: Meters | None = None, threads: int = _AT_ONCE) -> None:
        """`meters` counts the calls; `threads` of them are under way at once."""
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="engine")
        self._meters = meters or Meters()

    async def call(self, ask: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Ask an engine and wait for what it answers or raises.

        Raises:
            BackendFault: anything that is neither an ExecutionError nor a KeyError.
        """
        loop = asyncio.get_running_loop()
        outcome = "fault"
        try:
            answer = await loop.run_in_executor(self._pool, partial(ask, *args, **kwargs))
            outcome = "answered"
        except (ExecutionError, KeyError) as error:
            outcome = type(error).__name__
            raise
        except Exception as error:
            log.exception("a backend failed")
            raise BackendFault(f"the backend failed: {type(error).__name__}: {error}") from error
        else:
            return answer
        finally:
            service = getattr(getattr(ask, "__self__", None), "name", "")
            self._meters.engine_calls[service, getattr(ask, "__name__", ""), outcome] += 1

    def close(self, *, wait: bool = True) -> None:
        """Take no more calls, and let those under way come to their end. Blocks while it waits for that."""
        self._pool.shutdown(wait=wait, cancel_futures=True)
