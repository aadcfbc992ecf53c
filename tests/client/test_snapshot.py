"""Packing a code folder: what travels, what stays, what is refused, and that the same tree gives the same bytes."""

from __future__ import annotations

import errno
import io
import os
import socket
import tarfile
from typing import TYPE_CHECKING

import pytest

from ajkit.client import snapshot
from ajkit.client.snapshot import Limits, measure, pack
from ajkit.daemon.archive import unpack, verify
from ajkit.shared.problem import Refused

if TYPE_CHECKING:
    from pathlib import Path


def grow(root: Path, *paths: str) -> Path:
    for each in paths:
        place = root / each
        if each.endswith("/"):
            place.mkdir(parents=True, exist_ok=True)
        else:
            place.parent.mkdir(parents=True, exist_ok=True)
            place.write_bytes(b"content of " + os.fsencode(each) + b"\n")
    return root


def names(root: Path, ignore: list[str] | None = None, home: Path | None = None) -> list[str]:
    with (
        pack(str(root), ignore or [], home=str(home) if home else None) as archive,
        tarfile.open(fileobj=archive.open(), encoding="utf-8", errors="surrogateescape") as tar,
    ):
        return tar.getnames()


def refusal(root: Path, limits: Limits | None = None) -> str:
    with pytest.raises(Refused) as refused:
        pack(str(root), [], limits=limits)
    return str(refused.value)


def test_what_would_be_packed_is_measured(tmp_path: Path) -> None:
    grow(tmp_path, "a", "b/c", "left/out")
    found = measure(str(tmp_path), ["left/"])
    assert found == (len(b"content of a\n" + b"content of b/c\n"), 3)
    assert sorted(names(tmp_path, ["left/"])) == ["a", "b", "b/c"]
    with pytest.raises(Refused, match=r"code\.too-large"):
        measure(str(tmp_path), [], limits=Limits(size=3))


def test_how_much_of_it_was_read(tmp_path: Path) -> None:
    (tmp_path / "a").write_bytes(bytes(5000))
    with pack(str(tmp_path), ()) as archive:
        assert archive.read_bytes == 0
        archive.open().read(700)
        assert archive.read_bytes == 700
    assert archive.read_bytes == 0


def test_same_tree_same_bytes(tmp_path: Path) -> None:
    paths = ["b/two", "a", "b/one", "empty/", "ü", "b.txt", "b-/x"]
    digests = set()
    for number, order in enumerate([paths, paths[::-1]]):
        root = grow(tmp_path / str(number), *order)
        (root / "run").write_text("#!/bin/sh\n")
        (root / "run").chmod(0o755 if number else 0o700)
        (root / "a").chmod(0o644 if number else 0o600)
        (root / "link").symlink_to("b/one")
        os.utime(root / "a", (number, number))
        with pack(str(root), []) as archive:
            digests.add((archive.digest, archive.size))
            assert len(archive.open().read()) == archive.size
    assert len(digests) == 1


@pytest.mark.parametrize("change", ["content", "name", "executable", "link"])
def test_another_tree_other_bytes(tmp_path: Path, change: str) -> None:
    digests = set()
    for number in range(2):
        root = grow(tmp_path / str(number), "a", "b")
        (root / "link").symlink_to("b" if number and change == "link" else "a")
        if number and change == "content":
            (root / "a").write_text("Content of a\n")
        elif number and change == "name":
            (root / "a").rename(root / "c")
        elif number and change == "executable":
            (root / "a").chmod(0o755)
        with pack(str(root), []) as archive:
            digests.add(archive.digest)
    assert len(digests) == 2


def test_rules_of_the_folder_and_of_sub_folders(tmp_path: Path) -> None:
    grow(tmp_path, "a.bin", "keep.bin", "sub/a.bin", "sub/b.txt", "sub/deep/b.txt", "out/x", "other/.codeignore")
    (tmp_path / ".ajignore").write_text("not-read-here.txt\n")
    grow(tmp_path, "not-read-here.txt", "other/gone", "other/.amltignore")
    (tmp_path / "sub/.ajignore").write_text("!a.bin\n/b.txt\n")
    (tmp_path / "other/.codeignore").write_text("gone\n")
    (tmp_path / "other/.amltignore").write_text(".codeignore\n")
    found = names(tmp_path, ["*.bin", "!keep.bin", "out/"])
    assert sorted(found) == [
        ".ajignore",
        "keep.bin",
        "not-read-here.txt",
        "other",
        "other/.amltignore",
        "other/.codeignore",
        "sub",
        "sub/.ajignore",
        "sub/a.bin",
        "sub/deep",
        "sub/deep/b.txt",
    ]


def test_what_never_travels_cannot_be_brought_back(tmp_path: Path) -> None:
    grow(tmp_path, ".git/config", ".venv/x", "web/node_modules/y", "p/__pycache__/z", "p/code.py", "p/.gitignore")
    assert names(tmp_path, ["*", "!*/", "!*.py", "!.git", "!.venv/**"]) == ["p", "web", "p/code.py"]


def test_of_aj_home_only_scripts_travel(tmp_path: Path) -> None:
    grow(tmp_path, ".aj/template/t.yaml", ".aj/scripts/run.sh", ".aj/aj.toml", "main.py", "scripts/x")
    found = names(tmp_path, home=tmp_path / ".aj")
    assert sorted(found) == [".aj", ".aj/scripts", ".aj/scripts/run.sh", "main.py", "scripts", "scripts/x"]


def test_empty_folders_travel_and_sockets_do_not(tmp_path: Path) -> None:
    grow(tmp_path, "empty/", "file")
    os.mkfifo(tmp_path / "pipe")
    with socket.socket(socket.AF_UNIX) as sock:
        sock.bind(str(tmp_path / "sock"))
    assert names(tmp_path) == ["empty", "file"]


def test_names_of_any_kind_survive(tmp_path: Path) -> None:
    odd = ["line\nbreak", "back\\slash", " space ", "ünïcode", "x" * 200, "\udcff-not-utf-8"]
    root = grow(tmp_path / "from", *odd)
    with pack(str(root), []) as archive:
        verify(archive.open(), entries=100, size=10_000)
        unpack(archive.open(), str(tmp_path / "to"))
    assert sorted(os.listdir(tmp_path / "to")) == sorted(odd)


@pytest.mark.parametrize("target", ["/etc/passwd", "../outside", "sub/../../outside", "sub/up/../../../outside"])
def test_links_that_leave_are_refused(tmp_path: Path, target: str) -> None:
    root = grow(tmp_path / "root", "sub/file")
    (root / "sub/up").symlink_to("..")
    (root / "bad").symlink_to(target)
    said = refusal(root)
    assert said.startswith("code.link: ")
    assert f"  bad → {target}" in said
    assert "bad" not in names(root, ["bad"])


@pytest.mark.parametrize("target", ["a", "sub/file", "gone", "./a"])
def test_links_that_stay_travel(tmp_path: Path, target: str) -> None:
    root = grow(tmp_path, "a", "sub/file", "sub/deep/")
    (root / "good").symlink_to(target)
    (root / "sub/deep/up").symlink_to("../../a")
    assert {"good", "sub/deep/up"} <= set(names(root))


def test_a_link_to_itself_is_no_trap(tmp_path: Path) -> None:
    (tmp_path / "loop").symlink_to("loop")
    assert names(tmp_path) == ["loop"]


def test_too_large_names_the_largest(tmp_path: Path) -> None:
    for number in range(8):
        (tmp_path / f"file{number}").write_bytes(b"x" * 1000 * number)
    said = refusal(tmp_path, limits=Limits(size=20_000))
    assert [line.split()[-1] for line in said.splitlines() if line.startswith("  ")] == [
        "file7",
        "file6",
        "file5",
        "file4",
        "file3",
    ]
    assert "code.ignore" in said


def test_too_many_entries(tmp_path: Path) -> None:
    grow(tmp_path, *(f"f{number}" for number in range(12)))
    assert "in 12 entries; at most" in refusal(tmp_path, limits=Limits(entries=11))


def test_no_folder(tmp_path: Path) -> None:
    assert "code.missing" in refusal(tmp_path / "nowhere")
    assert "code.missing" in refusal(grow(tmp_path, "file") / "file")


@pytest.mark.skipif(os.geteuid() == 0, reason="root can read everything")
@pytest.mark.optional("root can read everything")
def test_unreadable(tmp_path: Path) -> None:
    grow(tmp_path, "file")
    (tmp_path / "file").chmod(0)
    assert "code.unreadable" in refusal(tmp_path)


def test_only_files_are_ignore_files(tmp_path: Path) -> None:
    grow(tmp_path, "piped/a", "foldered/.ajignore/", "foldered/a", "foldered/b")
    (tmp_path / "foldered/.codeignore").write_text("b\n")
    os.mkfifo(tmp_path / "piped/.ajignore")
    (tmp_path / "turning").mkdir()
    (tmp_path / "turning/.ajignore").symlink_to(".ajignore")
    assert "turning/.ajignore cannot be read" in refusal(tmp_path)
    (tmp_path / "turning/.ajignore").unlink()
    assert {"piped/a", "foldered/a"} <= {*names(tmp_path)}
    assert "foldered/b" not in names(tmp_path)


def test_paths_too_long_to_be_read(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.chdir(tmp_path)
    for _ in range(25):
        os.mkdir("d" * 200)
        monkeypatch.chdir("d" * 200)
    open("file", "w").close()
    found = refusal(tmp_path)
    assert "code.unreadable" in found
    assert "File name too long" in found


def test_a_file_that_goes_away_meanwhile(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    grow(tmp_path, "a", "b")
    add = snapshot._add

    def adding(tar: tarfile.TarFile, root: str, entry: snapshot._Entry) -> None:
        (tmp_path / "b").unlink(missing_ok=True)
        add(tar, root, entry)

    monkeypatch.setattr(snapshot, "_add", adding)
    assert f"{tmp_path}/b changed while it was packed; run again" in refusal(tmp_path)


def test_no_room_for_the_archive_is_no_fault_of_the_code(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Full(io.BytesIO):
        def write(self, _: object, /) -> int:
            raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC))

    monkeypatch.setattr("tempfile.SpooledTemporaryFile", lambda *_: Full())
    for path in ("folder/", "file"):
        with pytest.raises(snapshot.NoRoom, match=r"No space left on device.*set TMPDIR"):
            pack(str(grow(tmp_path, path)), [])
