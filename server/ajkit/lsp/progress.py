"""Work-done progress: what a person sees of work that takes a while, and how they stop it."""

from __future__ import annotations

import threading
from typing import TYPE_CHECKING, Any, Protocol

if TYPE_CHECKING:
    import asyncio
    from collections.abc import Callable


class Progress:
    """Some work; this one is shown to nobody. `stopped` is set once the person wants it to stop."""

    def __init__(self) -> None:
        self.stopped = threading.Event()

    def report(self, message: str, percentage: int | None = None) -> None:
        """Say what is going on."""

    def end(self) -> None:
        """The work is over, whatever came of it. Twice is fine."""


class Start(Protocol):
    """How work is shown from now on."""

    def __call__(self, title: str, /, *, stoppable: bool = False) -> Progress:
        """The progress of work with a title that the person can stop, or cannot."""
        ...


def unseen(title: str, *, stoppable: bool = False) -> Progress:  # noqa: ARG001
    """Work that nobody is shown."""
    return Progress()


def unheard(method: str, params: Any) -> None:
    """A notification that there is nobody to send to."""


class _Shown(Progress):
    """Work that the client shows: it may take some time to make room for it, and says so when it has."""

    def __init__(
        self, tell: Callable[[str, Any], None], token: str, title: str, over: Callable[[str], None], *, stoppable: bool
    ) -> None:
        super().__init__()
        self._tell = tell
        self._token = token
        self._title = title
        self._over = over
        self._stoppable = stoppable
        self._begun = False
        self._ended = False
        self._latest: dict[str, Any] = {}

    def begin(self, made: asyncio.Future[Any]) -> None:
        """The client answered: it has made room for the progress, or will not."""
        if self._ended or made.cancelled() or made.exception() is not None:
            return
        self._begun = True
        self._send({"kind": "begin", "title": self._title, "cancellable": self._stoppable} | self._latest)

    def report(self, message: str, percentage: int | None = None) -> None:
        """See `Progress.report`."""
        self._latest = {"message": message} | ({} if percentage is None else {"percentage": percentage})
        if self._begun and not self._ended:
            self._send({"kind": "report"} | self._latest)

    def end(self) -> None:
        """See `Progress.end`."""
        if self._begun and not self._ended:
            self._send({"kind": "end"})
        self._ended = True
        self._over(self._token)

    def _send(self, value: dict[str, Any]) -> None:
        self._tell("$/progress", {"token": self._token, "value": value})


class Progresses:
    """All the work that a client shows."""

    def __init__(self, tell: Callable[[str, Any], None], ask: Callable[[str, Any], asyncio.Future[Any]]) -> None:
        """`tell` sends a notification, `ask` a request."""
        self._tell = tell
        self._ask = ask
        self._running: dict[str, _Shown] = {}
        self._count = 0

    def start(self, title: str, *, stoppable: bool = False) -> Progress:
        """Show some work from now on, until its end."""
        self._count += 1
        token = f"aj-{self._count}"
        shown = _Shown(self._tell, token, title, self._over, stoppable=stoppable)
        self._running[token] = shown
        self._ask("window/workDoneProgress/create", {"token": token}).add_done_callback(shown.begin)
        return shown

    def stop(self, params: dict[str, Any]) -> None:
        """`window/workDoneProgress/cancel`: the person wants some work to stop."""
        shown = self._running.get(params["token"])
        if shown is not None:
            shown.stopped.set()

    def _over(self, token: str) -> None:
        self._running.pop(token, None)
