"""What is left of a job whose supervisor was killed: its processes, found and ended by whoever finds out."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import time

STARTED = "processes.json"
_GRACE_SECONDS, _PAUSE = 2.0, 0.02
_BOOT = "/proc/sys/kernel/random/boot_id"


def note_started(folder: str, pids: list[int]) -> None:
    """Write down which processes, each of them the leader of a session, were started for a job."""
    born = {pid: stat[1] for pid in pids if (stat := _stat(pid)) is not None}
    place = os.path.join(folder, STARTED)
    # The umask is the one that the job's processes were given.
    with open(os.open(f"{place}.new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        json.dump({"boot": _boot(), "sessions": born}, file)
    os.replace(f"{place}.new", place)


def end_leftovers(folder: str, job_id: str) -> int:
    """End what still runs of a job that nobody watches, and answer how many processes that were.

    They are those of the sessions that were noted, and those that have the job's ``AJ_ID`` in their environment,
    wherever they went. They are asked to end, and made to when they do not.
    """
    known: set[int] = set()
    until = time.monotonic() + _GRACE_SECONDS
    while found := _found(folder, job_id):
        number = signal.SIGKILL if time.monotonic() > until else signal.SIGTERM
        for pid in found if number is signal.SIGKILL else found - known:
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)
        known |= found
        if time.monotonic() > until + _GRACE_SECONDS:
            break
        time.sleep(_PAUSE)
    return len(known)


def _found(folder: str, job_id: str) -> set[int]:
    sessions = _sessions(folder)
    mark = f"\0AJ_ID={job_id}\0".encode()
    found = set()
    for name in os.listdir("/proc") if os.path.isdir("/proc") else ():
        if name.isdecimal() and int(name) != os.getpid():
            stat = _stat(int(name))
            if stat is not None and (stat[0] in sessions or mark in _environment(name)):
                found.add(int(name))
    return found


def _sessions(folder: str) -> set[int]:
    """The sessions of a job that can still be its own: their numbers may have been given to others since."""
    try:
        with open(os.path.join(folder, STARTED), encoding="utf-8") as file:
            noted = json.load(file)
    except FileNotFoundError:
        return set()
    if noted["boot"] != _boot():
        return set()
    leaders = {int(pid): born for pid, born in noted["sessions"].items()}
    return {pid for pid, born in leaders.items() if (stat := _stat(pid)) is None or stat[1] == born}


def _stat(pid: int) -> tuple[int, int] | None:
    """The session of a living process and when it began; None for one that is not there."""
    try:
        with open(f"/proc/{pid}/stat", "rb") as file:
            fields = file.read().rpartition(b")")[2].split()
    except OSError:
        return None
    return None if fields[0] in {b"Z", b"X"} else (int(fields[3]), int(fields[19]))


def _environment(pid: str) -> bytes:
    try:
        with open(f"/proc/{pid}/environ", "rb") as file:
            return b"\0" + file.read()
    except OSError:
        return b""


def _boot() -> str:
    try:
        with open(_BOOT, encoding="ascii") as file:
            return file.read().strip()
    except OSError:
        return ""
