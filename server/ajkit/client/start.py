"""Starting the daemon of a state folder; whoever else starts it at the same moment, there is one in the end."""

from __future__ import annotations

import os
import select
import subprocess
import sys
import time
from typing import IO, TYPE_CHECKING

from ajkit.client.places import last_words
from ajkit.shared.contract import LOG
from ajkit.shared.problem import AjError

if TYPE_CHECKING:
    from collections.abc import Mapping

_START_SECONDS = 30.0
_LOG_BYTES = 4 * 2**20


class DaemonFailed(AjError):
    """The daemon could not be started, or does not answer; `str()` says what it said last."""


class DaemonDied(DaemonFailed):
    """The daemon ended while it started, without a word: killed, or broken."""


def start_daemon(state: str, environ: Mapping[str, str]) -> None:
    """Start a daemon and return when it listens, or when it found that another one does.

    It belongs to no terminal: a session of its own, no input, its words in a log in the state folder.

    Raises:
        DaemonFailed: it cannot run, or said nothing in time.
        DaemonDied: it ended without a word.
    """
    log = os.path.join(state, LOG)
    with _open_log(state, log) as words:
        starter = subprocess.Popen(
            [sys.executable, "-m", "ajkit.daemon", "--state", state, "--detach"],
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=words,
            cwd="/",
            env=environ,
            start_new_session=True,
        )
    if starter.stdout is None:
        raise DaemonFailed("the daemon has no output")
    with starter.stdout as answer:
        said = _first_line(answer.fileno(), time.monotonic() + _START_SECONDS)
    if said is None:
        starter.kill()
    starter.wait()
    if said is None:
        raise DaemonFailed(f"the daemon did not start within {_START_SECONDS:g} seconds; its log is {log}")
    if said not in {b"ready\n", b"running\n"}:
        why = DaemonFailed if said == b"failed\n" else DaemonDied
        raise why(f"the daemon did not start; the end of its log {log}:\n{last_words(state)}")


def _open_log(state: str, log: str) -> IO[bytes]:
    """The log of the daemon, to be appended to; a long one is put aside first."""
    try:
        for folder in (os.path.dirname(state), state):
            os.makedirs(folder, mode=0o700, exist_ok=True)
        if os.path.exists(log) and os.path.getsize(log) > _LOG_BYTES:
            os.replace(log, f"{log}.1")
        return open(os.open(log, os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600), "ab")
    except OSError as error:
        raise DaemonFailed(
            f"the daemon cannot keep its state in {state} ({error.strerror}): set XDG_STATE_HOME"
        ) from None


def _first_line(source: int, until: float) -> bytes | None:
    """What a pipe says up to its first line end or its end; None when the time is over."""
    said = b""
    while not said.endswith(b"\n"):
        left = until - time.monotonic()
        if left <= 0 or not select.select([source], [], [], left)[0]:
            return None
        data = os.read(source, 64)
        if not data:
            break
        said += data
    return said
