"""The GPUs of this machine, shared between jobs by locked files: first come, first served, freed when a holder dies."""

from __future__ import annotations

import contextlib
import fcntl
import os
import time

_QUEUE = "queue"


class Share:
    """What one job wants of the GPUs.

    Each GPU is a file in a folder of this machine, locked by the job that has it for as long as its supervisor lives.
    Who has to wait has a file in ``queue``, locked as well: its name says since when, and files that nobody locks are
    left of those who died. Nobody takes a GPU while somebody came before.
    """

    def __init__(self, folder: str, names: list[str], wanted: int) -> None:
        """`names` are the GPUs of the machine, of which `wanted` are needed."""
        self._folder = folder
        self._names = names
        self._wanted = wanted
        self._ticket: str | None = None
        self._held: list[int] = []
        self.reason = ""
        """Why `take` last answered None, for people."""

    def take(self) -> list[str] | None:
        """The GPUs that are this job's from now on; None while it has to wait."""
        if self._ticket is None:
            self._queue_up()
        before = self._before()
        if before:
            self.reason = f"waiting for GPUs: {before} {'job is' if before == 1 else 'jobs are'} before it"
            return None
        locks = {name: lock for name in self._names if (lock := _lock(self._path(name))) is not None}
        if len(locks) < self._wanted:
            for each in locks.values():
                os.close(each)
            free = f"{len(locks)} of {len(self._names)} {'is' if len(locks) == 1 else 'are'} free"
            self.reason = f"waiting for GPUs: it needs {self._wanted}, {free}"
            return None
        taken = list(locks)[: self._wanted]
        for name, each in locks.items():
            if name in taken:
                self._held.append(each)
            else:
                os.close(each)
        self.leave()
        return taken

    def leave(self) -> None:
        """Give up the place in the queue."""
        if self._ticket is not None:
            with contextlib.suppress(FileNotFoundError):
                os.unlink(self._ticket)

    def _queue_up(self) -> None:
        queue = os.path.join(self._folder, _QUEUE)
        os.makedirs(queue, mode=0o700, exist_ok=True)
        # Locked before it has its name, so that nobody can take it for one that is left over.
        new = os.path.join(queue, f".{os.getpid()}")
        lock = _lock(new)
        if lock is not None:
            self._held.append(lock)
        self._ticket = os.path.join(queue, f"{time.monotonic_ns():020d}-{os.getpid()}")
        os.rename(new, self._ticket)

    def _before(self) -> int:
        """How many came before."""
        queue = os.path.join(self._folder, _QUEUE)
        mine = os.path.basename(self._ticket or "")
        found = 0
        for name in sorted(os.listdir(queue)):
            if name < mine and not name.startswith("."):
                path = os.path.join(queue, name)
                lock = _lock(path, make=False)
                if lock is None:
                    found += os.path.exists(path)
                else:
                    with contextlib.suppress(FileNotFoundError):
                        os.unlink(path)
                    os.close(lock)
        return found

    def _path(self, name: str) -> str:
        return os.path.join(self._folder, name.replace("/", "_"))


def _lock(path: str, *, make: bool = True) -> int | None:
    """The lock of a file, as its descriptor; None where another has it, or where there is no file to be locked."""
    try:
        handle = os.open(path, os.O_RDWR | os.O_CLOEXEC | os.O_NOFOLLOW | (os.O_CREAT if make else 0), 0o600)
    except FileNotFoundError:
        return None
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except OSError:
        os.close(handle)
        return None
    return handle
