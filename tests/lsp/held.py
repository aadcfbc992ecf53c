"""A server that does not get ahead of a test: one of its functions waits until it is let go."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from pathlib import Path

_PROGRAM = """
import asyncio, inspect, os, sys, threading, time
from importlib import import_module
from ajkit.lsp.main import main

place, free, gate = sys.argv[1], int(sys.argv[2]), sys.argv[3]
module, _, name = place.partition(":")
*outer, name = name.split(".")
owner = import_module(module)
for each in outer:
    owner = getattr(owner, each)
real = getattr(owner, name)

def is_free():
    global free
    free -= 1
    return free >= 0

async def held_steps(*given, **named):
    if not is_free():
        while not os.path.exists(gate):
            await asyncio.sleep(0.005)
    return await real(*given, **named)

def held_thread(*given, **named):
    # The loop never waits: what it does itself would hold everything.
    if threading.current_thread() is not threading.main_thread() and not is_free():
        while not os.path.exists(gate):
            time.sleep(0.005)
    return real(*given, **named)

setattr(owner, name, held_steps if inspect.iscoroutinefunction(real) else held_thread)
sys.exit(main())
"""


class Held:
    """A gate for one function of a server, ``module:name``: a coroutine function, or one that is called in a thread.

    Calls of it wait from the one after `free` on, the requests do not: what is asked meanwhile is asked while the
    function runs, however slow the machine is.
    """

    def __init__(self, folder: Path, place: str, *, free: int = 0) -> None:
        self._gate = folder / "go-on"
        self.command = ("-c", _PROGRAM, place, str(free), str(self._gate))
        """What `Wire` starts."""

    def let_go(self) -> None:
        """Let it run, from now on always."""
        self._gate.touch()
