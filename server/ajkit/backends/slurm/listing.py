"""The queue of a site, asked for once for all jobs: only what has changed there is asked about by itself."""

from __future__ import annotations

import threading
import time
from typing import TYPE_CHECKING

from ajkit.backends.slurm import programs
from ajkit.shared.job.execution import Unavailable
from ajkit.shared.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Callable

    from ajkit.backends.slurm.site import Site
    from ajkit.shared.job.execution import Status

_FRESH_SECONDS = 0.9
_TROUBLE_SECONDS = 5.0
"""How long a site that cannot be asked is left alone: each call may take long, and there are few threads for them."""
_ASK_SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class _Listed:
    """A queue as it was, and until when that is good enough: a line for each job; or why there is none."""

    good_until: float
    lines: dict[str, str]
    trouble: str = ""


class Listing:
    """What the daemon saw last of the queues it submits to. All of it may be lost: it is asked for again."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._asking: dict[str | None, threading.Lock] = {}
        self._queues: dict[str | None, _Listed] = {}
        self._known: dict[tuple[str | None, str], tuple[str, Status]] = {}

    def status(self, site: Site, backend_id: str, ask: Callable[[], Status]) -> Status:
        """The state of a job: as `ask` told it last, where the queue still says the same.

        Raises:
            Unavailable: the site cannot be asked.
        """
        listed = self._queue(site)
        if listed.trouble:
            raise Unavailable(listed.trouble)
        line, key = listed.lines.get(backend_id), (site.host, backend_id)
        with self._lock:
            known = self._known.get(key)
        if line is not None and known is not None and known[0] == line:
            return known[1]
        status = ask()
        with self._lock:
            if line is None or status.state.is_terminal:
                self._known.pop(key, None)
            else:
                self._known[key] = line, status
        return status

    def _queue(self, site: Site) -> _Listed:
        """The queue of a site, not older than a second; who comes while it is asked for waits for that answer."""
        with self._lock:
            asking = self._asking.setdefault(site.host, threading.Lock())
        with asking:
            listed = self._queues.get(site.host)
            if listed is None or time.monotonic() > listed.good_until:
                listed = self._queues[site.host] = _list(site)
            return listed


def _list(site: Site) -> _Listed:
    try:
        said = site.run(programs.list_queue(), _ASK_SECONDS)
        programs.expect_done(site, said)
    except Unavailable as error:
        return _Listed(time.monotonic() + _TROUBLE_SECONDS, {}, str(error))
    pairs = (line.partition(" ") for line in said.text.splitlines())
    return _Listed(time.monotonic() + _FRESH_SECONDS, {number: rest for number, _, rest in pairs})
