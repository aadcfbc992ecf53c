"""The code folder as one archive, known by its content: the same tree gives the same bytes."""

from __future__ import annotations

import hashlib
import io
import os
import stat
import tarfile
import tempfile
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, NamedTuple, Self

from ajkit.client.ignore import IgnoreRules, is_ignored
from ajkit.shared.job.code import IGNORE_FILES, always_ignored
from ajkit.shared.problem import AjError, Refused, problem

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence
    from types import TracebackType

    from typing_extensions import Buffer

_IN_MEMORY = 16 * 2**20
_SHOWN = 5


@dataclass(frozen=True, slots=True)
class Limits:
    """How much code may travel: bytes of all files together, and how many entries."""

    size: int = 2**30
    entries: int = 100_000


class Extent(NamedTuple):
    """How much code there is: bytes of all files together, and how many entries."""

    size: int
    entries: int


class Archive:
    """A packed code folder: its digest (SHA-256 of the tar), size in bytes, and the bytes themselves until closed."""

    def __init__(self, file: IO[bytes], digest: str, size: int) -> None:
        file.seek(0)  # nothing of it has been read for anybody yet
        self._file = file
        self.digest = digest
        self.size = size

    def open(self) -> IO[bytes]:
        """The bytes, from the start; belongs to the archive, which closes it."""
        self._file.seek(0)
        return self._file

    @property
    def read_bytes(self) -> int:
        """How many of the bytes have been read since it was opened."""
        return 0 if self._file.closed else self._file.tell()

    def close(self) -> None:
        """Let go of the bytes."""
        self._file.close()

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()


class NoRoom(AjError):
    """The packed code cannot be kept until it is sent; `str()` says where and why."""


@dataclass(frozen=True, slots=True)
class _Entry:
    path: str
    mode: int
    size: int


def pack(
    folder: str,
    ignore: Sequence[str],
    *,
    home: str | None = None,
    state: str | None = None,
    limits: Limits | None = None,
) -> Archive:
    """Pack a code folder, leaving out what the rules say.

    `ignore` are the rules of the folder itself (``code.ignore`` of a JobSpec); ignore files of sub-folders are read
    here. `home` is AJ_HOME: of it only ``scripts`` travels; `state` is where the daemon keeps its state: of it nothing
    does. Empty folders travel; sockets and devices do not.

    Raises:
        Refused: no such folder, an unreadable file, a link that leaves the folder, more than the limits.
        NoRoom: the archive has no place on this machine.
    """
    root, entries = _chosen(folder, ignore, (home, state), limits)
    file = tempfile.SpooledTemporaryFile(_IN_MEMORY)  # noqa: SIM115 - the archive closes it
    try:
        hashing = _Hashing(file)
        with tarfile.open(
            fileobj=hashing, mode="w|", format=tarfile.PAX_FORMAT, encoding="utf-8", errors="surrogateescape"
        ) as tar:
            for entry in entries:
                _add(tar, root, entry)
    except BaseException:
        file.close()
        raise
    return Archive(file, hashing.sha.hexdigest(), hashing.size)


def measure(folder: str, ignore: Sequence[str], *, home: str | None = None, limits: Limits | None = None) -> Extent:
    """How much `pack` would pack; nothing is read but the folders.

    Raises:
        Refused: what `pack` would refuse by what it sees in the folders.
    """
    _, entries = _chosen(folder, ignore, (home, None), limits)
    return Extent(sum(each.size for each in entries if stat.S_ISREG(each.mode)), len(entries))


def _chosen(
    folder: str, ignore: Sequence[str], ours: tuple[str | None, str | None], limits: Limits | None
) -> tuple[str, list[_Entry]]:
    """The real path of a code folder and what of it travels."""
    root = os.path.realpath(folder)
    if not os.path.isdir(root):
        raise _refused(
            "code.missing", f"the code folder {folder} does not exist: set code.local_dir, or give --code DIR"
        )
    never = IgnoreRules(always_ignored(root, *(os.path.realpath(each) if each else None for each in ours)))
    entries = list(_walk(root, never, IgnoreRules(ignore)))
    _check_limits(folder, entries, limits or Limits())
    _check_links(root, entries)
    return root, entries


class _Hashing(io.RawIOBase):
    """A file to write to that hashes what passes."""

    def __init__(self, file: IO[bytes]) -> None:
        super().__init__()
        self._file = file
        self.sha = hashlib.sha256()
        self.size = 0

    def write(self, data: Buffer, /) -> int:
        self.sha.update(data)
        try:
            written = self._file.write(data)
        except OSError as error:
            where = tempfile.gettempdir()
            raise NoRoom(f"the packed code cannot be kept in {where} ({error.strerror}): set TMPDIR") from None
        self.size += written
        return written


def _walk(root: str, never: IgnoreRules, ignore: IgnoreRules) -> Iterator[_Entry]:
    """Every entry that travels, folders before what is in them, in byte order of the names.

    What `never` ignores cannot be brought back: a rule like ``!*/`` is not meant for ``.git``.
    """
    pending: list[tuple[str, tuple[tuple[str, IgnoreRules], ...]]] = [("", (("", ignore),))]
    while pending:
        below, rules = pending.pop()
        folder = os.path.join(root, below)
        found = _scan(folder)
        if below:
            lines = _ignore_lines(found)
            rules = (*rules, (below, IgnoreRules(lines))) if lines else rules
        folders = []
        for each in found:
            path = below + each.name
            is_folder = each.is_dir(follow_symlinks=False)
            if never.says(path, is_folder=is_folder) or is_ignored(rules, path, is_folder=is_folder):
                continue
            try:
                info = each.stat(follow_symlinks=False)
            except OSError as error:
                raise _unreadable(each.path, error) from None
            if is_folder:
                folders.append((f"{path}/", rules))
            if is_folder or stat.S_ISREG(info.st_mode) or stat.S_ISLNK(info.st_mode):
                yield _Entry(path, info.st_mode, info.st_size)
        pending.extend(reversed(folders))


def _scan(folder: str) -> list[os.DirEntry[str]]:
    try:
        with os.scandir(folder) as found:
            return sorted(found, key=lambda each: os.fsencode(each.name))
    except OSError as error:
        raise _unreadable(folder, error) from None


def _ignore_lines(found: list[os.DirEntry[str]]) -> list[str]:
    """The lines of the ignore file of a folder; what is no file (a folder, a pipe) is none."""
    named = {each.name: each for each in found if each.name in IGNORE_FILES}
    for each in (named[name] for name in IGNORE_FILES if name in named):
        try:
            if each.is_file():
                with open(each.path, encoding="utf-8-sig", errors="surrogateescape") as file:
                    return file.read().split("\n")
        except OSError as error:
            raise _unreadable(each.path, error) from None
    return []


def _check_limits(folder: str, entries: list[_Entry], limits: Limits) -> None:
    files = [each for each in entries if stat.S_ISREG(each.mode)]
    total = sum(each.size for each in files)
    if total <= limits.size and len(entries) <= limits.entries:
        return
    largest = sorted(files, key=lambda each: (-each.size, each.path))[:_SHOWN]
    named = "\n".join(f"  {_megabytes(each.size)}  {each.path}" for each in largest)
    raise _refused(
        "code.too-large",
        f"the code folder {folder} holds {_megabytes(total)} in {len(entries)} entries; at most "
        f"{_megabytes(limits.size)} in {limits.entries} travel with a job. The largest files:\n{named}\n"
        f"Name what the job does not need in code.ignore or in {IGNORE_FILES[0]}; keep data in storage.",
    )


def _megabytes(size: int) -> str:
    return f"{size / 2**20:.1f} MiB"


def _check_links(root: str, entries: list[_Entry]) -> None:
    """Refuse links that would mean something else, or nothing, in a copy of the folder elsewhere."""
    wrong = []
    for each in entries:
        if stat.S_ISLNK(each.mode):
            place = os.path.join(root, each.path)
            target = os.readlink(place)
            steps = target.split("/")
            climbs = next((at for at, step in enumerate(steps) if step != ".."), len(steps))
            inside = os.path.realpath(place) == root or os.path.realpath(place).startswith(root.rstrip("/") + "/")
            if os.path.isabs(target) or not inside or ".." in steps[climbs:] or climbs > each.path.count("/"):
                wrong.append(f"  {each.path} → {target}")
    if wrong:
        more = f"\n  and {len(wrong) - _SHOWN} more" if len(wrong) > _SHOWN else ""
        raise _refused(
            "code.link",
            "these links leave the code folder, so the job would not find what they point to:\n"
            + "\n".join(wrong[:_SHOWN])
            + f"{more}\nMake them relative links to something inside, or ignore them.",
        )


def _add(tar: tarfile.TarFile, root: str, entry: _Entry) -> None:
    """Add one entry with nothing in its header that differs between machines or days."""
    place = os.path.join(root, entry.path)
    header = tarfile.TarInfo(entry.path)
    header.mode = 0o755 if stat.S_ISDIR(entry.mode) or entry.mode & stat.S_IXUSR else 0o644
    if stat.S_ISDIR(entry.mode):
        header.type = tarfile.DIRTYPE
        tar.addfile(header)
    elif stat.S_ISLNK(entry.mode):
        header.type, header.mode, header.linkname = tarfile.SYMTYPE, 0o777, os.readlink(place)
        tar.addfile(header)
    else:
        try:
            with open(place, "rb") as file:
                header.size = os.fstat(file.fileno()).st_size
                tar.addfile(header, file)
        except OSError as error:
            raise _unreadable(place, error) from None


def _unreadable(place: str, error: OSError) -> Refused:
    """What cannot be read, or is another file than a moment ago: it went away, or ended early (which has no number)."""
    if isinstance(error, FileNotFoundError) or error.errno is None:
        return _refused("code.unreadable", f"{place} changed while it was packed; run again")
    return _refused("code.unreadable", f"{place} cannot be read ({error.strerror}); make it readable, or ignore it")


def _refused(code: str, message: str) -> Refused:
    return Refused([problem(code, message, None)])
