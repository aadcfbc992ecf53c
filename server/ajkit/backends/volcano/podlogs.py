"""The output of pods, kept in the job's folder as far as it was seen: pods go, and their output with them."""

from __future__ import annotations

import json
import os
import re
import threading
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING, TypedDict

from ajkit.shared.job.execution import LogChunk

if TYPE_CHECKING:
    from collections.abc import Callable

    Fetch = Callable[[str | None], bytes]

_LOCK = threading.Lock()
"""Held while something is written: a log is taken by who follows it and by who asks after the job, at the same time."""
_TIME = re.compile(rb"(?P<moment>\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d)(?:\.(?P<part>\d{1,9}))?(?P<zone>Z|[+-]\d\d:\d\d) ")


class _State(TypedDict):
    """How far a log goes: its size, the time of its last line in nanoseconds, how many lines have that very time."""

    size: int
    last: int | None
    same: int
    final: bool


class PodLog:
    """The output of one pod: ``<name>.log``, and beside it how far it goes (``<name>.seen``).

    Kubernetes gives output from a second on, not from a byte on. So each line comes with its time, and those that were
    seen before are left out: all before the time of the last one, and as many of that very time as were taken.
    """

    def __init__(self, folder: str, name: str) -> None:
        self._log = os.path.join(folder, f"{name}.log")
        self._seen = os.path.join(folder, f"{name}.seen")

    def exists(self) -> bool:
        """Whether anything was taken."""
        return os.path.exists(self._seen)

    def read(self, offset: int, limit: int, *, complete: bool) -> LogChunk:
        """A part of what was taken; see `Execution.logs`. `complete`: nothing more will be."""
        try:
            with open(self._log, "rb") as file:
                file.seek(offset)
                data = file.read(limit)
        except FileNotFoundError:
            data = b""
        return LogChunk(data, offset + len(data), complete and len(data) < limit)

    def is_final(self) -> bool:
        """Whether all was taken that there will ever be."""
        return self._state()["final"]

    def holds(self, offset: int) -> bool:
        """Whether something at an offset was taken."""
        return offset < self._state()["size"]

    def take(self, fetch: Fetch, *, final: bool, whole: bool = True) -> None:
        """Take what is new.

        Args:
            fetch: gives the lines from a time on, or all.
            final: whether this is all that there will ever be.
            whole: whether the container has ended; before, a line that has no end yet is left for the next time.
        """
        while not self._taken(fetch, final=final, whole=whole):
            pass

    def _taken(self, fetch: Fetch, *, final: bool, whole: bool) -> bool:
        """Take what is new; False where somebody else did so meanwhile, whose words count."""
        state = self._state()
        if state["final"]:
            return True
        seen, count = state["last"], state["same"]
        last, same, skip = seen, count, count
        head, end, tail = fetch(None if seen is None else _second(seen)).rpartition(b"\n")
        lines = [each + b"\n" for each in head.split(b"\n")] if end else []
        new = bytearray()
        for line in [*lines, tail] if whole and tail else lines:
            found = _TIME.match(line)
            at = _nanoseconds(found) if found else last
            if seen is not None and at is not None and (at < seen or (at == seen and skip > 0)):
                skip -= at == seen
                continue
            same = same + 1 if at == last else 1
            last = at
            new += line[found.end() :] if found else line
        with _LOCK:
            if self._state() != state:
                return False
            if new or final or not self.exists():
                self._keep(state["size"], bytes(new), last, same, final=final)
        return True

    def _state(self) -> _State:
        try:
            with open(self._seen, encoding="utf-8") as file:
                kept: _State = json.load(file)
                return kept
        except (FileNotFoundError, ValueError):
            return {"size": 0, "last": None, "same": 0, "final": False}

    def _keep(self, size: int, new: bytes, last: int | None, same: int, *, final: bool) -> None:
        """Write what is new behind what counts, and only then say that it counts."""
        os.makedirs(os.path.dirname(self._log), mode=0o700, exist_ok=True)
        with open(os.open(self._log, os.O_WRONLY | os.O_CREAT, 0o600), "wb") as file:
            file.truncate(size)
            file.seek(size)
            file.write(new)
        state: _State = {"size": size + len(new), "last": last, "same": same, "final": final}
        with open(os.open(f"{self._seen}.new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w") as said:
            json.dump(state, said)
        os.replace(f"{self._seen}.new", self._seen)


def _nanoseconds(found: re.Match[bytes]) -> int:
    """The time of a line in nanoseconds since 1970."""
    moment = datetime.fromisoformat(found["moment"].decode() + found["zone"].decode().replace("Z", "+00:00"))
    part = (found["part"] or b"").decode().ljust(9, "0")
    return int(moment.timestamp()) * 1_000_000_000 + int(part)


def _second(nanoseconds: int) -> str:
    """The second that a time lies in, as Kubernetes reads it."""
    moment = datetime(1970, 1, 1, tzinfo=UTC) + timedelta(seconds=nanoseconds // 1_000_000_000)
    return moment.strftime("%Y-%m-%dT%H:%M:%SZ")
