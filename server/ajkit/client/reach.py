"""Reaching the daemon of a state folder: found or started, replaced when of an older aj, asked again when away."""

from __future__ import annotations

import contextlib
import os
import re
import signal
import time
from typing import TYPE_CHECKING

from ajkit import __version__
from ajkit.client.address import unix_address
from ajkit.client.places import is_locked, read_note
from ajkit.client.start import DaemonDied, DaemonFailed, start_daemon
from ajkit.client.wire import DaemonGone, Wire
from ajkit.shared.contract import HEALTH, WIRE_VERSION, Health

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ajkit.client.address import Address
    from ajkit.client.snapshot import Archive
    from ajkit.client.wire import Query, Sent

_PATIENCE = 60.0
"""Seconds for which the daemon may be away."""

_DEATHS = 3

_PAUSE, _LONGEST_PAUSE = 0.05, 1.0


class Reach:
    """Requests that wait for the daemon. All that is asked here can safely be asked twice."""

    def __init__(self, state: str, environ: Mapping[str, str], *, start: bool, server: Address | None = None) -> None:
        """Nothing is contacted yet.

        Args:
            state: the daemon's state folder.
            environ: what a daemon is started with.
            start: whether one may be started, and waited for while it is away.
            server: the daemon to talk to instead, which others start; one that was there is waited for.
        """
        self.state = state
        self.server = server
        self._environ = environ
        self._start = start
        self._met = False
        self._wire: Wire | None = None
        self._deaths = 0

    def call(
        self,
        method: str,
        path: str,
        *,
        query: Query | None = None,
        body: bytes | None = None,
        archive: Archive | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> bytes:
        """The body of the answer.

        Raises:
            DaemonRefused: the daemon said no.
            DaemonFailed: it cannot be reached.
        """
        for pause in _pauses():
            try:
                wire = self._reached()
                if archive is not None:
                    return wire.send(method, path, archive.open(), archive.size)
                return wire.call(method, path, query=query, body=body, headers=headers)
            except DaemonGone as error:
                self._lose(error)
            time.sleep(pause)
        raise DaemonFailed(f"{self._who} does not answer")

    @property
    def _who(self) -> str:
        return f"the daemon at {self.server}" if self.server else f"the daemon of {self.state}"

    def stream(self, path: str, query: Query, after: str) -> Iterator[Sent]:
        """Server-sent events up to ``end``, resumed after the last one where the daemon goes away in between.

        Raises:
            DaemonRefused: the daemon said no.
            DaemonFailed: it cannot be reached.
        """
        mark, pauses = after, _pauses()
        while True:
            try:
                for sent in self._reached().stream(path, query=query, after=mark):
                    if sent.event == "end":
                        return
                    mark, pauses = sent.mark, _pauses()
                    yield sent
                self._wire = None
            except DaemonGone as error:
                self._lose(error)
            pause = next(pauses, None)
            if pause is None:
                raise DaemonFailed(f"{self._who} does not answer")
            time.sleep(pause)

    def stop(self) -> bool:
        """Tell the daemon of the state folder to stop, and wait until it has; jobs go on. Whether one ran."""
        note = read_note(self.state)
        self._wire = None
        if note is None:
            return False
        with contextlib.suppress(DaemonGone, ProcessLookupError):
            os.kill(_greet(Wire(unix_address(note.socket))).pid, signal.SIGTERM)
        for pause in _pauses():
            if not is_locked(self.state):
                return True
            time.sleep(pause)
        raise DaemonFailed(f"{self._who} does not stop")

    def _lose(self, error: DaemonGone) -> None:
        """Take a daemon that went away for lost, to be looked for again.

        Raises:
            DaemonFailed: looking is all that is allowed, and it is not there.
        """
        self._wire = None
        if not (self._met if self.server else self._start):
            raise DaemonFailed(str(error)) from error

    def _reached(self) -> Wire:
        """A wire to a daemon that understands us, started where there is none.

        Raises:
            DaemonGone: it went away meanwhile.
            DaemonFailed: it cannot be started, or does not understand us.
        """
        if self._wire is None and self.server is not None:
            self._wire = Wire(self.server)
            _understood(_greet(self._wire))
            self._met = True
        if self._wire is None:
            self._wire = self._found()
            if self._wire is None and self._start:
                self._begin()
                self._wire = self._found()
            if self._wire is None:
                raise DaemonGone(f"no daemon runs on {self.state}")
            self._deaths = 0
        return self._wire

    def _begin(self) -> None:
        """Start a daemon; one that dies at once may have been killed, several that do are broken."""
        try:
            start_daemon(self.state, self._environ)
        except DaemonDied as error:
            self._deaths += 1
            if self._deaths >= _DEATHS:
                raise
            raise DaemonGone(str(error)) from error

    def _found(self) -> Wire | None:
        """A wire to the daemon that runs, unless it is of an older aj: that one is stopped."""
        note = read_note(self.state)
        if note is None:
            return None
        wire = Wire(unix_address(note.socket))
        try:
            health = _greet(wire)
        except DaemonGone:
            return None
        if self._start and _numbers(health.version) < _numbers(__version__):
            # Jobs outlive it, so an upgrade needs nobody's help.
            self.stop()
            return None
        _understood(health)
        return wire


def _greet(wire: Wire) -> Health:
    return Health.model_validate_json(wire.call("GET", HEALTH))


def _understood(health: Health) -> None:
    """Make sure that a daemon speaks our language.

    Raises:
        DaemonFailed: it does not.
    """
    if health.wire != WIRE_VERSION:
        raise DaemonFailed(
            f"the daemon is of aj {health.version}, this is aj {__version__}, and they do not understand each other: "
            "use the newer one"
        )


def _numbers(version: str) -> list[int]:
    return [int(each) for each in re.findall(r"\d+", version)]


def _pauses() -> Iterator[float]:
    """Pauses between tries, longer each time, until patience is over."""
    pause, until = _PAUSE, time.monotonic() + _PATIENCE
    while time.monotonic() < until:
        yield pause
        pause = min(pause * 2, _LONGEST_PAUSE)
