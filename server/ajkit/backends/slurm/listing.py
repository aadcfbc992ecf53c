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
_ASK_SECONDS = 15.0


@dataclass(frozen=True, slots=True)
class _Listed:
    """A queue as it was at a time: a line for each job; or why there is none."""

    at: float
    lines: dict[str, str]
    trouble: str = ""


class Listing:
    """What the daemon saw last of the queues it submits to. All of it may be lost: it is asked for again."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._queues: dict[str | None, _Listed] = {}
        self._known: dict[tuple[str | None, str], tuple[str, Status]] = {}

    def status(self, site: Site, backend_id: str, ask: Callable[[], Status]) -> Status:
        """The state of a job: as `ask` told it last, where the queue still says the same.

        Raises:
            Unavailable: the site cannot be asked.
        """
        with self._lock:
            listed = self._queues.get(site.host)
            if listed is None or time.monotonic() - listed.at > _FRESH_SECONDS:
                listed = self._queues[site.host] = _list(site)
            line = listed.lines.get(backend_id)
            known = self._known.get((site.host, backend_id))
        if listed.trouble:
            raise Unavailable(listed.trouble)
        if line is not None and known is not None and known[0] == line:
            return known[1]
        status = ask()
        with self._lock:
            if line is None or status.state.is_terminal:
                self._known.pop((site.host, backend_id), None)
            else:
                self._known[site.host, backend_id] = line, status
        return status


def _list(site: Site) -> _Listed:
    try:
        said = site.run(programs.list_queue(), _ASK_SECONDS)
        programs.expect_done(site, said)
    except Unavailable as error:
        return _Listed(time.monotonic(), {}, str(error))
    pairs = (line.partition(" ") for line in said.text.splitlines())
    return _Listed(time.monotonic(), {number: rest for number, _, rest in pairs})
