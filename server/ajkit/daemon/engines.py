"""Calls to engines, which block, kept off the event loop."""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, TypeVarTuple

from ajkit.daemon.meters import Meters
from ajkit.shared.job.execution import ExecutionError, OutcomeUnknown

if TYPE_CHECKING:
    from collections.abc import Callable
    from typing import ParamSpec

    from ajkit.shared.job.execution import Handle

    P = ParamSpec("P")

T = TypeVar("T")
Ts = TypeVarTuple("Ts")

log = logging.getLogger(__name__)

_AT_ONCE = 16
_MOMENT = 0.04


class BackendFault(OutcomeUnknown):
    """A backend broke the rules of Execution by raising something else: what it did is unknown."""


class Engines:
    """A few threads in which backends wait for their engines."""

    def __init__(self, meters: Meters | None = None, threads: int = _AT_ONCE) -> None:
        """`meters` counts the calls; `threads` of them are under way at once."""
        self._pool = ThreadPoolExecutor(threads, thread_name_prefix="engine")
        self._meters = meters or Meters()
        self._shared: dict[tuple[object, ...], asyncio.Future[Any]] = {}

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

    async def shared(self, ask: Callable[[Handle, *Ts], T], handle: Handle, *args: *Ts) -> T:
        """What `call` answers, which may be a moment old: those who ask the same at the same time are answered at once.

        Raises:
            BackendFault: anything that is neither an ExecutionError nor a KeyError.
        """
        key = (getattr(ask, "__name__", ""), handle.job.token, *args)
        known = self._shared.get(key)
        if known is None:
            known = asyncio.ensure_future(self.call(ask, handle, *args))
            known.add_done_callback(lambda done: done.cancelled() or done.exception())
            self._shared[key] = known
            asyncio.get_running_loop().call_later(_MOMENT, self._shared.pop, key, None)
        answer: T = await asyncio.shield(known)
        return answer

    def close(self, *, wait: bool = True) -> None:
        """Take no more calls, and let those under way come to their end. Blocks while it waits for that."""
        self._pool.shutdown(wait=wait, cancel_futures=True)
