"""Files behind buffers: where links lead is looked up once, and again once anything has changed."""

from __future__ import annotations

import asyncio
import os
from typing import TYPE_CHECKING

from ajkit.disk import DiskFiles, stamp_of
from ajkit.lsp.documents import BufferedFiles
from ajkit.lsp.indexing import read_graph
from ajkit.lsp.session import Session

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_links_are_followed_once_until_something_changes(tmp_path: Path) -> None:
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    link = tmp_path / "link"
    link.symlink_to("one")
    files = BufferedFiles(DiskFiles())
    asked = f"{link}/a.yaml"
    assert files.real(asked) == f"{tmp_path}/one/a.yaml"
    link.unlink()
    link.symlink_to("two")
    assert files.real(asked) == f"{tmp_path}/one/a.yaml"
    files.refresh()
    assert files.real(asked) == f"{tmp_path}/two/a.yaml"


def test_who_looked_before_something_changed_is_not_believed_after(tmp_path: Path) -> None:
    """A thread may look where a link leads, and tell of it late."""
    for name in ("one", "two"):
        (tmp_path / name).mkdir()
    link = tmp_path / "link"
    link.symlink_to("one")
    asked = f"{link}/a.yaml"

    class Late(DiskFiles):
        def real(self, path: str) -> str:
            found = super().real(path)
            if path == str(link) and os.readlink(link) == "one":
                link.unlink()
                link.symlink_to("two")
                files.refresh()
            return found

    files = BufferedFiles(Late())
    assert files.real(asked) == f"{tmp_path}/one/a.yaml"
    assert files.real(asked) == f"{tmp_path}/two/a.yaml"


def test_a_keystroke_looks_at_no_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """On a slow disk each look is felt."""
    home = tmp_path / ".aj/template"
    home.mkdir(parents=True)
    (home / "base.yaml").write_text("config: {target: {queue: q}}\n")
    (home / "leaf.yaml").write_text("base: base\nconfig:\n  description: x\n")
    session = Session()
    uri = (home / "leaf.yaml").as_uri()
    session.open(uri, (home / "leaf.yaml").read_text(), 1, "yaml")
    view = session.view(uri)
    assert view is not None
    assert view.resolved.config["target"] == {"queue": "q"}
    looked: list[str] = []
    for name in ("stat", "lstat", "open", "listdir", "scandir"):
        monkeypatch.setattr(os, name, lambda path, *_, **__: looked.append(str(path)))
    for version in range(2, 6):
        session.change(uri, [{"text": f"base: base\nconfig:\n  description: x{version}\n"}], version)
        view = session.view(uri)
        assert view is not None
        assert view.resolved.config["description"] == f"x{version}"
        assert view.resolved.config["target"] == {"queue": "q"}
    assert looked == []


def test_a_path_has_the_uri_that_its_editor_gave_it(tmp_path: Path) -> None:
    session = Session()
    path = f"{tmp_path}/a b.yaml"
    odd = f"file://{tmp_path}/a b.yaml"
    usual = session.uri_of(path)
    session.open(odd, "config: {}\n", 1, "yaml")
    assert session.uri_of(path) == odd != usual
    session.close(odd)
    assert session.uri_of(path) == usual


def test_a_change_is_seen_whoever_reads_the_file_first(tmp_path: Path) -> None:
    """The index, say, may read a base after it changed, and templates still show what stood there before."""
    home = tmp_path / ".aj/template"
    home.mkdir(parents=True)
    base = home / "base.yaml"
    base.write_text("config: {target: {queue: q}}\n")
    (home / "leaf.yaml").write_text("base: base\n")
    session = Session()
    uri = (home / "leaf.yaml").as_uri()

    def queue() -> object:
        view = session.view(uri)
        assert view is not None
        return view.resolved.config.get("target")

    def changed() -> list[str]:
        return [path for path, stamp in session.stamps().items() if stamp_of(path) != stamp]

    session.open(uri, "base: base\n", 1, "yaml")
    assert queue() == {"queue": "q"}
    base.unlink()
    assert changed() == [str(base)]
    session.changed(changed())
    assert (queue(), changed()) == (None, [])
    base.write_text("config: {target: {queue: other}}\n")
    asyncio.run(read_graph(session, f"{tmp_path}/.aj"))
    assert (queue(), changed()) == (None, [str(base)])
    session.changed(changed())
    assert (queue(), changed()) == ({"queue": "other"}, [])


def test_what_was_saved_is_no_change_from_outside(tmp_path: Path) -> None:
    home = tmp_path / ".aj/template"
    home.mkdir(parents=True)
    (home / "base.yaml").write_text("config: {}\n")
    (home / "leaf.yaml").write_text("base: base\n")
    session = Session()
    leaf, base = ((home / f"{name}.yaml").as_uri() for name in ("leaf", "base"))
    session.open(leaf, "base: base\n", 1, "yaml")
    assert session.views()
    session.open(base, "config: {}\n", 1, "yaml")
    session.change(base, [{"text": "config: {description: x}\n"}], 2)
    (home / "base.yaml").write_text("config: {description: x}\n")
    session.saved(base)
    session.close(base)
    assert session.views()
    assert {path: stamp_of(path) for path in session.stamps()} == session.stamps()
