"""The time that a daemon goes by when it forgets: not the one of a clock that was set wrong a moment ago."""

from __future__ import annotations

import json
import os
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable

CLOCK = "clock.json"
DAY = 86400.0


class Clock:
    """A time that the clock of the machine has borne out: a day later, by the same clock, it was still there.

    The file holds that time, and one that takes its place once it is borne out too; daemons come and go meanwhile. A
    clock that is far ahead so moves nothing for a day, and one that is put back takes with it what lay before it.
    """

    def __init__(self, path: str, now: Callable[[], float]) -> None:
        """`path` is where it is written down; `now` gives the seconds since 1970 by the machine's clock."""
        self._path = path
        self._now = now

    def sure(self) -> float:
        """The last time that was borne out, in seconds since 1970; 0 while none was.

        Raises:
            OSError: it cannot be written down.
        """
        now = self._now()
        sure, seen = (min(each, now) for each in self._read() or (0.0, now))
        if now - seen >= DAY:
            sure, seen = seen, now
        with open(f"{self._path}.new", "w", encoding="utf-8") as file:
            json.dump({"sure": sure, "seen": seen}, file)
        os.replace(f"{self._path}.new", self._path)
        return sure

    def _read(self) -> tuple[float, float] | None:
        try:
            with open(self._path, encoding="utf-8") as file:
                found = json.load(file)
            return float(found["sure"]), float(found["seen"])
        except (OSError, ValueError, KeyError, TypeError):
            return None
