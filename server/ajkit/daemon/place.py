"""The places a daemon owns on its host: the lock on its state, its socket, and the note by which clients find it."""

from __future__ import annotations

import contextlib
import fcntl
import hashlib
import os
import socket
import stat
from typing import TYPE_CHECKING

from ajkit.runtime import runtime_folder, temporary_folder
from ajkit.shared.contract import LOCK, NOTE
from ajkit.shared.problem import AjError

if TYPE_CHECKING:
    from collections.abc import Mapping


class PlaceProblem(AjError):
    """A folder that is not safe to use, or a state that another daemon holds."""


def own_folder(path: str) -> str:
    """Make a folder that only its owner can enter, or check that it is one; answers the path.

    Raises:
        PlaceProblem: somebody else's, open to others, or not a folder.
    """
    try:
        os.makedirs(path, mode=0o700, exist_ok=True)
        info = os.lstat(path)
    except OSError as error:
        raise PlaceProblem(f"cannot make the folder {path}: {error.strerror}") from None
    if not stat.S_ISDIR(info.st_mode) or info.st_uid != os.getuid():
        raise PlaceProblem(f"{path} is not a folder of yours; remove it, or set XDG_RUNTIME_DIR and XDG_STATE_HOME")
    if info.st_mode & 0o077:
        os.chmod(path, 0o700)
    return path


def take_lock(state: str) -> int | None:
    """Become the one daemon of a state folder: the descriptor that holds the lock, or None where another has it.

    Raises:
        PlaceProblem: the file system cannot lock.
    """
    handle = os.open(os.path.join(state, LOCK), os.O_RDWR | os.O_CREAT | os.O_CLOEXEC, 0o600)
    try:
        fcntl.flock(handle, fcntl.LOCK_EX | fcntl.LOCK_NB)
    except BlockingIOError:
        os.close(handle)
        return None
    except OSError as error:
        os.close(handle)
        raise PlaceProblem(
            f"{state} is on a file system without locks ({error.strerror}): set XDG_STATE_HOME"
        ) from None
    return handle


def socket_path(state: str, environ: Mapping[str, str]) -> str:
    """Where the daemon of a state folder listens: a short path in a runtime folder of this host, owner-only.

    Raises:
        PlaceProblem: no such folder can be had.
    """
    name = hashlib.sha256(os.fsencode(state)).hexdigest()[:16] + ".sock"
    path = os.path.join(runtime_folder(environ), name)
    # An address of a Unix socket holds 104 bytes on some systems.
    if len(os.fsencode(path)) > 100:
        path = os.path.join(temporary_folder(), name)
    own_folder(os.path.dirname(path))
    return path


def bind(path: str) -> socket.socket:
    """A listening-to-be socket at a path, after whatever a dead daemon left there. The caller holds the lock.

    Raises:
        PlaceProblem: nothing can listen there.
    """
    remove(path)
    listener = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
    try:
        listener.bind(path)
    except OSError as error:
        listener.close()
        raise PlaceProblem(f"cannot listen at {path} ({error}): set XDG_RUNTIME_DIR to a short, local folder") from None
    os.chmod(path, 0o600)
    return listener


def write_note(state: str, text: str) -> None:
    """Leave the note for clients, all of it at once."""
    place = os.path.join(state, NOTE)
    with open(f"{place}.new", "w", encoding="utf-8") as file:
        file.write(text)
    os.replace(f"{place}.new", place)


def remove(path: str) -> None:
    """Take away a note or a socket, there or not."""
    with contextlib.suppress(FileNotFoundError):
        os.unlink(path)


_SHARED = (
    "nfs",
    "cifs",
    "smb",
    "lustre",
    "gpfs",
    "beegfs",
    "ceph",
    "glusterfs",
    "afs",
    "9p",
    "fuse.sshfs",
    "fuse.gvfsd",
)


def is_shared(path: str, mounts: str) -> bool:
    """Whether a path is on a file system that several hosts may share, by the text of ``/proc/self/mountinfo``."""
    best, kind = "", ""
    for line in mounts.splitlines():
        before, _, after = line.partition(" - ")
        if len(before.split()) > 4 and after:
            at = before.split()[4].encode().decode("unicode_escape")
            if (path == at or path.startswith(at.rstrip("/") + "/")) and len(at) >= len(best):
                best, kind = at, after.split()[0]
    return kind.startswith(_SHARED)


def read_mounts() -> str:
    """The text of ``/proc/self/mountinfo``, empty where there is none."""
    try:
        with open("/proc/self/mountinfo", encoding="utf-8", errors="replace") as file:
            return file.read()
    except OSError:
        return ""
