"""Calls to engines, which block, kept off the event loop."""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, TypeVar

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

    def __init__(self) -> None:
        self._pool = ThreadPoolExecutor(_AT_ONCE, thread_name_prefix="engine")

    async def call(self, ask: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Ask an engine and wait for what it answers or raises.

        Raises:
            BackendFault: anything that is neither an ExecutionError nor a KeyError.
        """
        loop = asyncio.get_running_loop()
        try:
            return await loop.run_in_executor(self._pool, partial(ask, *args, **kwargs))
        except (ExecutionError, KeyError):
            raise
        except Exception as error:
            log.exception("a backend failed")
            raise BackendFault(f"the backend failed: {type(error).__name__}: {error}") from error

    def close(self) -> None:
        """Let calls that are under way come to their end, and take no more. Blocks."""
        self._pool.shutdown(cancel_futures=True)
