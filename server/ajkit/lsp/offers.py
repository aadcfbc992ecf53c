"""What services offer now, asked of the submission daemon where one runs; none is started for that."""

from __future__ import annotations

import logging
from functools import partial
from typing import TYPE_CHECKING, Any

from ajkit.lsp.completing.live import Offer
from ajkit.lsp.threads import in_thread
from ajkit.shared.problem import AjError

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Mapping, Sequence

    Done = Callable[[Sequence[Offer] | None], None]

log = logging.getLogger("aj.lsp")


class DaemonOffers:
    """An `Asker` that asks in a thread. `spawn` runs its coroutines on the loop, which is where it answers."""

    def __init__(self, environ: Mapping[str, str], spawn: Callable[[Coroutine[Any, Any, None]], None]) -> None:
        self._environ = environ
        self._spawn = spawn

    def __call__(self, service: str, kind: str, done: Done) -> None:
        """See `Asker`."""
        self._spawn(self._ask(service, kind, done))

    async def _ask(self, service: str, kind: str, done: Done) -> None:
        values: list[Offer] | None = None
        try:
            values = await in_thread(partial(offers, self._environ, service, kind))
        except (AjError, OSError, ValueError) as error:  # nobody is there, or has nothing to say: that is no news
            log.debug("no %s of %s: %s", kind, service, error)
        finally:
            done(values)


def offers(environ: Mapping[str, str], service: str, kind: str) -> list[Offer]:
    """The values that the daemon of this user and host knows; blocks.

    Raises:
        AjError: none runs, or it does not know.
    """
    from ajkit.client.daemon import Daemon  # late: the first answer does not wait for it

    found = Daemon.connect(start=False, environ=environ).values(service, kind)
    return [Offer(each.value, each.detail) for each in found.values]
