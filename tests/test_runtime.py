"""Which folder of this host is taken for sockets and locks."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING

import pytest

from ajkit.runtime import runtime_folder, temporary_folder

if TYPE_CHECKING:
    from pathlib import Path


def test_the_runtime_folder_of_the_session(tmp_path: Path) -> None:
    assert runtime_folder({"XDG_RUNTIME_DIR": str(tmp_path)}) == f"{tmp_path}/aj"


@pytest.mark.parametrize("named", ["", "gone", "file", "others", "closed"])
def test_one_that_is_not_ours_to_use_is_passed_over(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, named: str
) -> None:
    (tmp_path / "file").touch()
    for each in ("others", "closed"):
        (tmp_path / each).mkdir()
    if named == "others":
        owner = os.getuid()
        monkeypatch.setattr(os, "getuid", lambda: owner + 1)
    if named == "closed":
        monkeypatch.setattr(os, "access", lambda *_: False)
    found = runtime_folder({"XDG_RUNTIME_DIR": str(tmp_path / named) if named else ""})
    assert found == temporary_folder() == os.path.join(os.path.dirname(temporary_folder()), f"aj-{os.getuid()}")
