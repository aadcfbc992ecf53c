"""Where the daemon of this user and host keeps its state, and the note it leaves there."""

from __future__ import annotations

import fcntl
import os
import re
import socket
from typing import TYPE_CHECKING

from pydantic import ValidationError

from ajkit.shared.contract import LOCK, LOG, NOTE, Endpoint

if TYPE_CHECKING:
    from collections.abc import Mapping


def state_folder(environ: Mapping[str, str], host: str | None = None) -> str:
    """The state folder for a host: home folders are shared between the hosts of a cluster, daemons are not.

    A relative ``XDG_STATE_HOME`` counts for nothing, as its specification has it: every folder would have a daemon.
    """
    home = environ.get("XDG_STATE_HOME", "")
    if not os.path.isabs(home):
        home = os.path.join(os.path.expanduser("~"), ".local", "state")
    name = re.sub(r"[^A-Za-z0-9._-]", "_", host or socket.gethostname()) or "localhost"
    return os.path.join(os.path.realpath(home), "aj", name)


def read_note(state: str) -> Endpoint | None:
    """The note of the daemon of a state folder; None where there is none. The daemon may be gone."""
    try:
        with open(os.path.join(state, NOTE), "rb") as file:
            return Endpoint.model_validate_json(file.read())
    except (FileNotFoundError, NotADirectoryError, ValidationError):
        return None


def is_locked(state: str) -> bool:
    """Whether a daemon lives on a state folder, answering or not."""
    try:
        with open(os.path.join(state, LOCK), "rb") as file:
            fcntl.flock(file, fcntl.LOCK_SH | fcntl.LOCK_NB)
    except FileNotFoundError:
        return False
    except BlockingIOError:
        return True
    return False


def last_words(state: str, lines: int = 5) -> str:
    """The end of the daemon's log, for telling why it did not start."""
    try:
        with open(os.path.join(state, LOG), encoding="utf-8", errors="replace") as file:
            return "".join(file.readlines()[-lines:]).rstrip()
    except OSError:
        return ""
