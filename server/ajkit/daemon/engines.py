"""Calls to engines, which block, kept off the event loop."""

from __future__ import annotations

import asyncio
import logging
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING, Any, TypeVar, TypeVarTuple

from ajkit.daemon.meters import Meters
from ajkit.shared.job.execution import ExecutionError, UnclearRefusal

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


class BackendFault(UnclearRefusal):
    """A backend broke the rules of Execution by raising something else: what it did is unknown."""


class Engines:
    """Threads in which backends wait for their engines, a few for each: one that hangs must not keep the others."""

    def __init__(self, meters: Meters | None = None, threads: int = _AT_ONCE) -> None:
        """`meters` counts the calls; `threads` of them are under way at once at each engine."""
        self._pools: dict[str, ThreadPoolExecutor] = {}
        self._threads = threads
        self._meters = meters or Meters()
        self._shared: dict[tuple[object, ...], asyncio.Future[Any]] = {}
        self._closed = False

    async def call(self, ask: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """Ask an engine and wait for what it answers or raises.

        Raises:
            BackendFault: anything that is no ExecutionError.
        """
        return await self._call(ExecutionError, partial(ask, *args, **kwargs))

    async def pick(self, ask: Callable[P, T], *args: P.args, **kwargs: P.kwargs) -> T:
        """What `call` answers to a question by a name that there may not be: a log, a kind of value.

        Raises:
            KeyError: there is none of that name.
            BackendFault: anything that is neither that nor an ExecutionError.
        """
        return await self._call((ExecutionError, KeyError), partial(ask, *args, **kwargs))

    async def _call(self, passed: type[Exception] | tuple[type[Exception], ...], ask: partial[T]) -> T:
        service = getattr(getattr(ask.func, "__self__", None), "name", "")
        outcome = "fault"
        try:
            answer = await asyncio.get_running_loop().run_in_executor(self._pool(service), ask)
            outcome = "answered"
        except passed as error:
            outcome = type(error).__name__
            raise
        except Exception as error:
            log.exception("a backend failed")
            raise BackendFault(f"the backend failed: {type(error).__name__}: {error}") from error
        else:
            return answer
        finally:
            self._meters.engine_calls[service, getattr(ask.func, "__name__", ""), outcome] += 1

    def _pool(self, service: str) -> ThreadPoolExecutor:
        if self._closed:
            raise RuntimeError("the daemon stops: no engine is asked any more")
        if service not in self._pools:
            self._pools[service] = ThreadPoolExecutor(self._threads, thread_name_prefix=f"engine {service}")
        return self._pools[service]

    async def shared(self, ask: Callable[[Handle, *Ts], T], handle: Handle, *args: *Ts) -> T:
        """What `call` answers, which may be a moment old: those who ask the same at the same time are answered at once.

        Raises:
            KeyError: there is nothing of that name.
            BackendFault: anything that is neither that nor an ExecutionError.
        """
        key = (getattr(ask, "__name__", ""), handle.job.token, *args)
        known = self._shared.get(key)
        if known is None:
            known = asyncio.ensure_future(self.pick(ask, handle, *args))
            known.add_done_callback(lambda done: done.cancelled() or done.exception())
            self._shared[key] = known
            asyncio.get_running_loop().call_later(_MOMENT, self._shared.pop, key, None)
        answer: T = await asyncio.shield(known)
        return answer

    def close(self, *, wait: bool = True) -> None:
        """Take no more calls, and let those under way come to their end. Blocks while it waits for that."""
        self._closed = True
        for each in self._pools.values():
            each.shutdown(wait=False, cancel_futures=True)
        for each in self._pools.values():
            each.shutdown(wait=wait)
