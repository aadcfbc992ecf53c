"""The output of pods as it is taken bit by bit, whatever overlaps."""

from __future__ import annotations

import contextlib
import threading
from functools import partial
from typing import TYPE_CHECKING, Any

from ajkit.backends.volcano.podlogs import PodLog

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

ALL = b"""\
2026-01-02T03:04:05.000000001Z one
2026-01-02T03:04:05.1Z two
2026-01-02T03:04:05.100000000Z three
2026-01-02T05:04:05.100000000+02:00 four
2026-01-02T03:04:06.5Z 10%\r20%
2026-01-02T03:04:07Z \xff\xfe bytes
"""
PLAIN = b"one\ntwo\nthree\nfour\n10%\r20%\n\xff\xfe bytes\n"


def _given(text: bytes, _since: str | None) -> bytes:
    return text


def test_taken_in_every_way(tmp_path: Path) -> None:
    lines = [each + b"\n" for each in ALL.split(b"\n")[:-1]]
    for first in range(len(lines) + 1):
        for second in range(first, len(lines) + 1):
            log = PodLog(str(tmp_path / f"{first}-{second}"), "node-0")
            for upto in (first, second, len(lines)):
                log.take(partial(_given, b"".join(lines[:upto])), final=False)
            assert log.read(0, 999, complete=False).data == PLAIN
            assert log.read(4, 3, complete=True).data == b"two"


def test_since_when(tmp_path: Path) -> None:
    log = PodLog(str(tmp_path), "node-0")
    asked: list[str | None] = []

    def fetch(since: str | None) -> bytes:
        asked.append(since)
        return ALL if since is None else ALL[ALL.index(b"2026-01-02T03:04:07Z") :]

    for _ in range(2):
        log.take(fetch, final=False)
    assert asked == [None, "2026-01-02T03:04:07Z"]
    assert log.read(0, 999, complete=False).data == PLAIN


def test_a_line_that_goes_on_waits_for_its_end(tmp_path: Path) -> None:
    log = PodLog(str(tmp_path), "node-0")
    begun = b"2026-01-02T03:04:05.0Z one\n2026-01-02T03:04:06.0Z tw"
    log.take(lambda _: begun, final=False, whole=False)
    assert log.read(0, 99, complete=False).data == b"one\n"
    log.take(lambda _: begun + b"o", final=True)
    chunk = log.read(0, 99, complete=log.is_final())
    assert (chunk.data, chunk.complete) == (b"one\ntwo", True)


def test_what_was_written_and_not_counted_is_written_again(tmp_path: Path) -> None:
    log = PodLog(str(tmp_path), "node-0")
    log.take(lambda _: ALL[:35], final=False)
    with open(tmp_path / "node-0.log", "ab") as file:
        file.write(b"half of wha")
    log.take(lambda _: ALL, final=True)
    assert log.read(0, 999, complete=True).data == PLAIN


def test_what_somebody_else_takes_meanwhile_counts(tmp_path: Path) -> None:
    """Who follows the log hears less than who asks after the job, which is over by then, and is slower."""
    log, asked = PodLog(str(tmp_path), "node-0"), list[str | None]()

    def late(since: str | None) -> bytes:
        asked.append(since)
        if len(asked) == 1:
            PodLog(str(tmp_path), "node-0").take(lambda _: ALL, final=True)
        return ALL[:35]

    log.take(late, final=False)
    assert asked == [None]
    assert log.is_final()
    assert log.read(0, 999, complete=True).data == PLAIN


def test_what_is_new_beside_what_somebody_else_has_taken(tmp_path: Path) -> None:
    log, asked = PodLog(str(tmp_path), "node-0"), list[str | None]()

    def late(since: str | None) -> bytes:
        asked.append(since)
        if len(asked) == 1:
            PodLog(str(tmp_path), "node-0").take(lambda _: ALL[:35], final=False)
        return ALL

    log.take(late, final=True)
    assert asked == [None, "2026-01-02T03:04:05Z"]
    assert log.is_final()
    assert log.read(0, 999, complete=True).data == PLAIN


def test_who_writes_at_the_same_time_is_waited_for(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    writes, both = PodLog._keep, threading.Barrier(2)

    def met(log: PodLog, *words: Any, **more: Any) -> None:
        with contextlib.suppress(threading.BrokenBarrierError):
            both.wait(0.3)
        writes(log, *words, **more)

    monkeypatch.setattr(PodLog, "_keep", met)
    failed: list[BaseException] = []
    monkeypatch.setattr(threading, "excepthook", lambda told: failed.append(told.exc_value))
    taking = [
        threading.Thread(
            target=PodLog(str(tmp_path), "node-0").take, args=(partial(_given, ALL),), kwargs={"final": True}
        )
        for _ in range(2)
    ]
    for each in taking:
        each.start()
    for each in taking:
        each.join(60)
    assert failed == []
    assert both.broken, "only one of them had something to write"
    assert PodLog(str(tmp_path), "node-0").read(0, 999, complete=True).data == PLAIN


def test_nothing_yet(tmp_path: Path) -> None:
    log = PodLog(str(tmp_path), "node-0")
    assert not log.exists()
    assert log.read(5, 10, complete=False).next_offset == 5
    log.take(lambda _: b"", final=True)
    assert log.exists()
    assert log.read(0, 10, complete=log.is_final()).complete
