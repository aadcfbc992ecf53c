"""Archives that try something: each is refused before anything of it is written."""

from __future__ import annotations

import io
import os
import tarfile
from typing import TYPE_CHECKING

import pytest

from ajkit.daemon.archive import UnsafeArchive, unpack, verify

if TYPE_CHECKING:
    from pathlib import Path

FILE, FOLDER, LINK, HARD, DEVICE = (
    tarfile.REGTYPE,
    tarfile.DIRTYPE,
    tarfile.SYMTYPE,
    tarfile.LNKTYPE,
    tarfile.CHRTYPE,
)


def tar(*members: tuple[str, bytes, str]) -> io.BytesIO:
    """An archive of (name, type, content or target)."""
    out = io.BytesIO()
    with tarfile.open(fileobj=out, mode="w:") as made:
        for name, kind, text in members:
            info = tarfile.TarInfo(name)
            info.type = kind
            if kind == FILE:
                info.size = len(text)
                made.addfile(info, io.BytesIO(text.encode()))
            else:
                info.linkname = text
                made.addfile(info)
    out.seek(0)
    return out


@pytest.mark.parametrize(
    ("members", "said"),
    [
        ([("/etc/cron", FILE, "x")], "not a path inside"),
        ([("../up", FILE, "x")], "not a path inside"),
        ([("a/../../up", FILE, "x")], "not a path inside"),
        ([("a//b", FILE, "x")], "not a path inside"),
        ([("./a", FILE, "x")], "not a path inside"),
        ([("a", LINK, "/etc")], "leaves the folder"),
        ([("a", LINK, "..")], "leaves the folder"),
        ([("a/b", LINK, "../../etc")], "leaves the folder"),
        ([("a", LINK, "x/../y")], "leaves the folder"),
        ([("a", LINK, "")], "leaves the folder"),
        ([("a", LINK, "."), ("a/b", FILE, "x")], "below something that is not a folder"),
        ([("a", FILE, "x"), ("a/b", FILE, "x")], "below something that is not a folder"),
        ([("a", FILE, "x"), ("a", FILE, "y")], "there twice"),
        ([("a/b", FILE, "x"), ("a", LINK, "c")], "there twice"),
        ([("a", HARD, "/etc/passwd")], "neither a folder"),
        ([("a", DEVICE, "")], "neither a folder"),
        ([("a", tarfile.FIFOTYPE, "")], "neither a folder"),
        ([(f"f{each}", FILE, "") for each in range(6)], "more than 5 entries"),
        ([("big", FILE, "x" * 101)], "or 100 bytes"),
    ],
)
def test_refused(members: list[tuple[str, bytes, str]], said: str) -> None:
    with pytest.raises(UnsafeArchive, match=said):
        verify(tar(*members), entries=5, size=100)


@pytest.mark.parametrize("cut", [0, 10, 511, 512, 1000, 1536, 2047])
def test_cut_off(cut: int) -> None:
    whole = tar(("a", FILE, "x" * 300), ("b", FILE, "y")).getvalue()
    with pytest.raises(UnsafeArchive):
        verify(io.BytesIO(whole[:cut]), entries=5, size=1000)


def test_not_a_tar() -> None:
    for content in (b"PK\x03\x04" + b"x" * 2000, b"\x1f\x8b" + b"x" * 2000, b"x" * 5000):
        with pytest.raises(UnsafeArchive, match="tar"):
            verify(io.BytesIO(content), entries=5, size=1000)


def test_unpacked(tmp_path: Path) -> None:
    made = tar(
        ("a", FOLDER, ""),
        ("a/link", LINK, "../top"),
        ("top", FILE, "text"),
        ("deep/er/file", FILE, "more"),
    )
    verify(made, entries=5, size=1000)
    made.seek(0)
    target = tmp_path / "out"
    unpack(made, str(target))
    assert (target / "a" / "link").read_text() == "text"
    assert (target / "deep/er/file").read_text() == "more"
    assert os.readlink(target / "a" / "link") == "../top"
    made.seek(0)
    with pytest.raises(FileExistsError):
        unpack(made, str(target))
