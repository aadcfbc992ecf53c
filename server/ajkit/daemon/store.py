"""The code archives a daemon has, by digest: taken in whole or not at all, unpacked once."""

from __future__ import annotations

import asyncio
import contextlib
import hashlib
import os
import re
import shutil
import tempfile
import time
from typing import IO, TYPE_CHECKING

from ajkit.daemon.archive import UnsafeArchive, unpack, verify
from ajkit.shared.job.execution import Snapshot

if TYPE_CHECKING:
    from collections.abc import Iterator

_ARCHIVE = "archive.tar"
_TREE = "tree"
_LEFT_SECONDS = 3600.0
_DIGEST = re.compile("[0-9a-f]{64}")


class WrongDigest(Exception):
    """The bytes are not what their digest says; `got` is what they are."""

    def __init__(self, got: str) -> None:
        self.got = got
        super().__init__(got)


class TooLarge(Exception):
    """More bytes than the store takes."""


class Incoming:
    """An archive on its way in: written as it comes, then kept or dropped."""

    def __init__(self, store: CodeStore, file: IO[bytes]) -> None:
        self._store = store
        self._file = file
        self._sha = hashlib.sha256()
        self._size = 0

    def write(self, data: bytes) -> None:
        """Take some bytes.

        Raises:
            TooLarge: more than the store takes.
        """
        self._size += len(data)
        if self._size > self._store.archive_limit:
            raise TooLarge
        self._sha.update(data)
        self._file.write(data)

    def keep(self, digest: str) -> int:
        """Check what came and keep it under its digest, on the disk when this returns; the size in bytes.

        Raises:
            WrongDigest: it is something else.
            UnsafeArchive: it is not a code folder.
        """
        if self._sha.hexdigest() != digest:
            raise WrongDigest(self._sha.hexdigest())
        self._file.flush()
        os.fsync(self._file.fileno())
        self._file.seek(0)
        verify(self._file, entries=self._store.entries, size=self._store.size)
        home = self._store.folder(digest)
        os.makedirs(home, mode=0o700, exist_ok=True)
        os.replace(self._file.name, os.path.join(home, _ARCHIVE))
        for folder in (home, self._store.root):
            _sync_folder(folder)
        return self._size


class CodeStore:
    """A folder of code archives: ``<root>/<digest>/archive.tar`` and, once a job needs it, ``tree`` beside.

    Several daemons may share one folder: everything appears in it whole or not at all.
    """

    def __init__(self, root: str, *, size: int, entries: int) -> None:
        """`size`: bytes of all files of one archive; `entries`: its files, folders and links."""
        self.root = root
        self.size = size
        self.entries = entries
        # Headers and padding come on top of the content.
        self.archive_limit = size + 2048 * entries
        self._unpacking = asyncio.Lock()
        os.makedirs(root, mode=0o700, exist_ok=True)
        for name in os.listdir(root):
            path = os.path.join(root, name)
            # A younger one may be on its way to another daemon that shares the folder.
            with contextlib.suppress(FileNotFoundError):
                if name.startswith("incoming-") and time.time() - os.stat(path).st_mtime > _LEFT_SECONDS:
                    os.unlink(path)

    def folder(self, digest: str) -> str:
        """Where an archive of a digest lives, there or not."""
        return os.path.join(self.root, digest)

    def size_of(self, digest: str) -> int | None:
        """The size of an archive in bytes, None where there is none. A look keeps it from being forgotten for a day."""
        archive = os.path.join(self.folder(digest), _ARCHIVE)
        try:
            os.utime(archive)
            return os.stat(archive).st_size
        except FileNotFoundError:
            return None

    @contextlib.contextmanager
    def receive(self) -> Iterator[Incoming]:
        """An archive to write to; dropped at the end unless it was kept."""
        with tempfile.NamedTemporaryFile(dir=self.root, prefix="incoming-", delete=False) as file:
            try:
                yield Incoming(self, file)
            finally:
                with contextlib.suppress(FileNotFoundError):
                    os.unlink(file.name)

    async def ready(self, digest: str) -> Snapshot:
        """See `snapshot`. One archive is unpacked at a time, and that takes one thread, however many jobs wait."""
        unpacked = self._unpacked(digest)
        if unpacked is not None:
            return unpacked
        async with self._unpacking:
            return await asyncio.to_thread(self.snapshot, digest)

    def snapshot(self, digest: str) -> Snapshot:
        """An archive with its content unpacked beside it. Blocks while it unpacks.

        Raises:
            FileNotFoundError: it is not here.
            UnsafeArchive: it is not what it was when it came.
        """
        unpacked = self._unpacked(digest)
        if unpacked is not None:
            return unpacked
        home = self.folder(digest)
        tree, archive = os.path.join(home, _TREE), os.path.join(home, _ARCHIVE)
        with open(archive, "rb") as file, _work_folder(home) as work:
            if hashlib.file_digest(file, "sha256").hexdigest() != digest:
                raise UnsafeArchive(f"{archive} was changed on the disk; remove it and submit again")
            file.seek(0)
            unpack(file, os.path.join(work, _TREE))
            _take_place(os.path.join(work, _TREE), tree)
        return Snapshot(digest, tree, archive)

    def _unpacked(self, digest: str) -> Snapshot | None:
        """An archive whose content is unpacked already."""
        home = self.folder(digest)
        tree = os.path.join(home, _TREE)
        return Snapshot(digest, tree, os.path.join(home, _ARCHIVE)) if os.path.isdir(tree) else None

    def forget_unused(self, used: set[str], before: float) -> None:
        """Remove archives that no job refers to and that nobody asked for since a time, in seconds since 1970."""
        for name in os.listdir(self.root):
            archive = os.path.join(self.root, name, _ARCHIVE)
            if not _DIGEST.fullmatch(name) or name in used:
                continue
            with contextlib.suppress(FileNotFoundError):
                if os.stat(archive).st_mtime > before:
                    continue
            shutil.rmtree(self.folder(name), ignore_errors=True)


def _work_folder(home: str) -> tempfile.TemporaryDirectory[str]:
    return tempfile.TemporaryDirectory(dir=home, prefix="tree-", ignore_cleanup_errors=True)


def _take_place(made: str, tree: str) -> None:
    """Give an unpacked folder its name, unless another daemon that shares the place was quicker with the same."""
    try:
        os.rename(made, tree)
    except OSError:
        if not os.path.isdir(tree):
            raise


def _sync_folder(path: str) -> None:
    handle = os.open(path, os.O_RDONLY | os.O_CLOEXEC)
    try:
        os.fsync(handle)
    finally:
        os.close(handle)
