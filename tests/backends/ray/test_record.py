"""What a driver prints, taken apart again."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ajkit.backends.ray.driver import Lines
from ajkit.backends.ray.record import has_started, keep, kept, last_word, read, taken_apart

if TYPE_CHECKING:
    from pathlib import Path

    import pytest


def test_what_goes_in_comes_out(capsys: pytest.CaptureFixture[str]) -> None:
    lines = Lines()
    said = [("node-0", b"one\nt"), ("node-1.0", b"x | y\r\n"), ("node-0", b"wo\n\n  thr"), ("node-0", b"ee \xff+")]
    for name, data in said:
        lines.add(name, data)
    lines.flush(everything=True)
    lines.add("node-0", b"!\nend\n")
    printed = capsys.readouterr().out
    assert taken_apart(printed) == {
        "node-0": "one\ntwo\n\n  three �+!\nend\n".encode(),
        "node-1.0": b"x | y\r\n",
    }


def test_a_prompt_is_not_held_back_for_long(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ajkit.backends.ray.driver._LISTEN_SECONDS", 3600.0)
    lines = Lines()
    lines.add("node-0", b"password:")
    lines.flush()
    assert capsys.readouterr().out == ""
    monkeypatch.setattr("ajkit.backends.ray.driver._LISTEN_SECONDS", -1.0)
    lines.flush()
    assert capsys.readouterr().out == "node-0 + password:\n"


PRINTED = """\
2026-11-29 19:40:12,418\tINFO job_manager.py:581 -- Runtime env is setting up.
Running entrypoint for job aj-x: python -m aj_job
warning of Ray
aj: waiting for 2 nodes
aj: all nodes have started
node-0 | said
aj: node-0 exited with 3
node-0 | not who"""


def test_what_ray_and_the_driver_say() -> None:
    driver = b"warning of Ray\naj: waiting for 2 nodes\naj: node-0 exited with 3\n"
    assert taken_apart(PRINTED) == {"driver": driver, "node-0": b"said\n"}
    assert has_started(PRINTED)
    assert not has_started(PRINTED.partition("aj: all")[0])
    assert last_word(PRINTED) == "node-0 exited with 3"
    assert last_word("node-0 | aj: x\n") == ""


def test_logs_grow(tmp_path: Path) -> None:
    folder = str(tmp_path / "logs")
    assert (kept(folder), read(folder, "node-0", 0, 9)) == ({}, b"")
    keep(folder, "node-0 | one\nnode-0 | tw")
    keep(folder, "node-0 | one\nnode-0 | two\n")
    assert kept(folder) == {"node-0": 8}
    assert read(folder, "node-0", 4, 3) == b"two"
