"""Files on disk: the one place where the engine touches the file system."""

from __future__ import annotations

import os
import stat
from typing import TYPE_CHECKING

from ajkit.shared.files import FileProblem

if TYPE_CHECKING:
    from collections.abc import Iterable

Stamp = tuple[int, int, int]
"""What tells versions of a file apart: time of change in nanoseconds, size, inode."""


def _stamp(status: os.stat_result) -> Stamp:
    return status.st_mtime_ns, status.st_size, status.st_ino


def stamp_of(path: str) -> Stamp | None:
    """The stamp of a path as it is now; None where nothing is."""
    try:
        return _stamp(os.stat(path))
    except (OSError, ValueError):
        return None


def problems_page() -> str | None:
    """The path of the page of problems: as installed with the package; in a checkout, where people edit it."""
    package = os.path.dirname(__file__)
    for place in (("cli", "problems.md"), ("..", "..", "docs", "problems.md")):
        path = os.path.normpath(os.path.join(package, *place))
        if os.path.isfile(path):
            return path
    return None


class DiskFiles:
    """`Files` on the local disk.

    Real paths of folders are remembered for the life of the object (a home of thousands of files would ask for the same
    few again and again); `refresh` forgets them. `stamps` tells of everything that was read the version that was met
    first, None for what was not there, until it is `forgotten`: who remembers a file may have met that one.
    """

    def __init__(self) -> None:
        self._folders: dict[str, str] = {}
        self.stamps: dict[str, Stamp | None] = {}

    def refresh(self) -> None:
        """Forget what was remembered about links."""
        self._folders = {}  # a new one: another thread may be about to write down what it saw before

    def forgotten(self, paths: Iterable[str]) -> None:
        """Nobody remembers these files any more: the versions that are read next count."""
        for path in paths:
            self.stamps.pop(path, None)

    def read(self, path: str, limit: int) -> bytes:
        """See `Files.read`."""
        try:
            # Not blocking: a named pipe in the way must not hang the reader.
            handle = os.open(path, os.O_RDONLY | os.O_NONBLOCK | os.O_CLOEXEC)
        except (FileNotFoundError, NotADirectoryError) as error:
            self.stamps.setdefault(path, None)
            raise FileProblem("missing", f"{path}: no such file") from error
        except (OSError, ValueError) as error:
            raise FileProblem("unreadable", f"{path}: {_reason(error)}") from error
        try:
            status = os.fstat(handle)
            mode = status.st_mode
            self.stamps.setdefault(path, _stamp(status))
            if stat.S_ISDIR(mode):
                raise FileProblem("directory", f"{path}: is a directory")
            if not stat.S_ISREG(mode):
                raise FileProblem("unreadable", f"{path}: is not a regular file")
            return _read_up_to(handle, min(limit, status.st_size) + 1)
        except OSError as error:
            raise FileProblem("unreadable", f"{path}: {_reason(error)}") from error
        finally:
            os.close(handle)

    def kind(self, path: str) -> str:
        """See `Files.kind`."""
        try:
            mode = os.stat(path).st_mode
        except (OSError, ValueError):
            return "missing"
        return "directory" if stat.S_ISDIR(mode) else "file"

    def real(self, path: str) -> str:
        """See `Files.real`."""
        folder, _, name = path.rpartition("/")
        if not folder or name in ("", ".", ".."):
            return os.path.realpath(path)
        folders = self._folders
        known = folders.get(folder)
        if known is None:
            known = folders[folder] = self.real(folder)
        whole = f"{known.rstrip('/')}/{name}"
        try:
            if stat.S_ISLNK(os.lstat(whole).st_mode):
                return os.path.realpath(whole)
        except (OSError, ValueError):
            pass
        return whole

    def names(self, folder: str) -> list[str]:
        """See `Files.names`."""
        try:
            return sorted(os.listdir(folder))
        except (OSError, ValueError):
            return []

    def walk(self, folder: str) -> list[tuple[str, str]]:
        """See `Files.walk`."""
        found: list[tuple[str, str]] = []
        entered: set[str] = set()
        todo = [(folder, os.path.realpath(folder))]
        while todo:
            here, real = todo.pop()
            if real in entered:
                continue
            entered.add(real)
            try:
                entries = list(os.scandir(here))
            except OSError:
                continue
            for entry in entries:
                inside = os.path.realpath(entry.path) if entry.is_symlink() else f"{real}/{entry.name}"
                if _is_folder(entry):
                    todo.append((entry.path, inside))
                else:
                    found.append((entry.path, inside))
        return sorted(found)


def _is_folder(entry: os.DirEntry[str]) -> bool:
    try:
        return entry.is_dir()
    except OSError:
        # A link to itself; whoever reads it will be told.
        return False


def _read_up_to(handle: int, size: int) -> bytes:
    """At most `size` bytes, where one more than the file has was asked for: a read that is one short is its end."""
    data = os.read(handle, size)
    while 0 < len(data) < size - 1 and (more := os.read(handle, size - len(data))):
        data += more
    return data


def _reason(error: OSError | ValueError) -> str:
    return error.strerror.lower() if isinstance(error, OSError) and error.strerror else str(error)
