"""Code archives that arrived: checked member by member, and only then unpacked, never through a link."""

from __future__ import annotations

import os
import shutil
import tarfile
from typing import IO, TYPE_CHECKING

from ajkit.shared.problem import AjError

if TYPE_CHECKING:
    from collections.abc import Iterator


class UnsafeArchive(AjError):
    """An archive that is not one, or that tries to reach outside its folder; `str()` names the member."""


def verify(file: IO[bytes], *, entries: int, size: int) -> None:
    """Read an archive to its end and refuse what a code folder cannot be.

    A member is a folder, a file or a link; its path goes down only; its parent is a folder of the archive or of no
    entry, never a link or a file; a link is relative and stays inside by climbing first and then going down.

    Raises:
        UnsafeArchive: with the member and the reason.
    """
    kinds: dict[str, str] = {}
    total = 0
    for member in _members(file):
        name = member.name
        total += member.size
        if len(kinds) >= entries or total > size:
            raise UnsafeArchive(f"more than {entries} entries or {size} bytes when unpacked")
        steps = name.split("/")
        if not name or "\0" in name or any(step in {"", ".", ".."} for step in steps):
            raise UnsafeArchive(f"{name!r} is not a path inside the folder")
        if name in kinds:
            raise UnsafeArchive(f"{name!r} is there twice")
        for count in range(1, len(steps)):
            if kinds.setdefault("/".join(steps[:count]), "folder") != "folder":
                raise UnsafeArchive(f"{name!r} lies below something that is not a folder")
        if member.isdir():
            kinds[name] = "folder"
        elif member.isreg() and not member.issparse():
            kinds[name] = "file"
        elif member.issym():
            _check_link(name, member.linkname)
            kinds[name] = "link"
        else:
            raise UnsafeArchive(f"{name!r} is neither a folder, a file nor a symbolic link")


def _check_link(name: str, target: str) -> None:
    steps = target.split("/")
    climbs = next((at for at, step in enumerate(steps) if step != ".."), len(steps))
    if not target or "\0" in target or target.startswith("/") or climbs > name.count("/") or ".." in steps[climbs:]:
        raise UnsafeArchive(f"the link {name!r} leaves the folder: {target!r}")


def _members(file: IO[bytes]) -> Iterator[tarfile.TarInfo]:
    """The members of an archive; an archive without its end mark was cut off and is refused."""
    try:
        with tarfile.open(fileobj=file, mode="r:", encoding="utf-8", errors="surrogateescape") as tar:
            yield from tar
            file.seek(tar.offset)
            if file.read(tarfile.BLOCKSIZE) != tarfile.NUL * tarfile.BLOCKSIZE:
                raise UnsafeArchive("the archive is cut off or damaged")
    except (tarfile.TarError, EOFError, ValueError, OverflowError) as error:
        raise UnsafeArchive(f"not a tar archive: {error}") from None


def unpack(file: IO[bytes], folder: str) -> None:
    """Write a verified archive into a new folder. Links come last, so that nothing is ever written through one.

    Raises:
        FileExistsError: the folder, or something in it, is there.
    """
    os.makedirs(folder, mode=0o700)
    links: list[tarfile.TarInfo] = []
    with tarfile.open(fileobj=file, mode="r:", encoding="utf-8", errors="surrogateescape") as tar:
        for member in tar:
            place = os.path.join(folder, member.name)
            if member.isdir():
                os.makedirs(place, mode=0o755, exist_ok=True)
            elif member.issym():
                links.append(member)
            else:
                os.makedirs(os.path.dirname(place), mode=0o755, exist_ok=True)
                content = tar.extractfile(member)
                flags = os.O_WRONLY | os.O_CREAT | os.O_EXCL | os.O_NOFOLLOW | os.O_CLOEXEC
                with open(os.open(place, flags, 0o600), "wb") as out:
                    if content is not None:
                        shutil.copyfileobj(content, out, 2**18)
                    os.fchmod(out.fileno(), 0o755 if member.mode & 0o100 else 0o644)
    for member in links:
        place = os.path.join(folder, member.name)
        os.makedirs(os.path.dirname(place), mode=0o755, exist_ok=True)
        os.symlink(member.linkname, place)
