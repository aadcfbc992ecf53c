"""The supervisor of a job by itself: what it does where the disk fails it."""

from __future__ import annotations

import errno
import json
import os
from typing import TYPE_CHECKING

import pytest

from ajkit.backends.local import supervise

if TYPE_CHECKING:
    from pathlib import Path


@pytest.mark.parametrize("full", [errno.ENOSPC, errno.EDQUOT])
def test_the_result_waits_for_room_on_the_disk(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, full: int) -> None:
    lacking = [OSError(full, os.strerror(full))] * 2
    write_whole = supervise.write_whole

    def write(folder: str, name: str, content: dict[str, object]) -> None:
        if lacking:
            raise lacking.pop()
        write_whole(folder, name, content)

    monkeypatch.setattr(supervise, "write_whole", write)
    monkeypatch.setattr(supervise, "_ROOM_SECONDS", 0)
    plan = {
        "folder": str(tmp_path),
        "argv": ["/bin/true"],
        "umask": 0o022,
        "time_limit": None,
        "grace": 1,
        "gpus": None,
    }
    supervise.Supervisor({**plan, "meet": None, "processes": []}).write_down({"state": "done"})
    assert json.loads((tmp_path / supervise.RESULT).read_text()) == {"state": "done"}
