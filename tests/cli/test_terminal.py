"""Text on a terminal: made visible, measured, put into columns, marked with its process."""

from __future__ import annotations

import fcntl
import os
import pty
import struct
import sys
import termios
import time

import pytest
from click import style

from ajkit.cli.terminal import Progress, Tagged, columns, fitted, one_line, visible, wants_colour, width


@pytest.mark.parametrize(
    ("text", "shown"),
    [
        ("plain", "plain"),
        ("tab\tand\nline", "tab\tand\nline"),
        ("\x1b[31mred\x07\x7f", "\\e[31mred\\x07\\x7f"),
        ("back\r\x0b\x0c", "back\\r\\v\\f"),
        ("\u202eover\u2028", "\\u202eover\\u2028"),
        ("日本 🚀\u00a0", "日本 🚀\u00a0"),
        ("\udcff", "\\udcff"),
    ],
)
def test_nothing_acts_on_a_terminal_or_hides(text: str, shown: str) -> None:
    assert visible(text) == shown


def test_one_line_is_one_line() -> None:
    assert one_line("a\nb\tc") == "a\\nb c"


def test_widths() -> None:
    assert [width(each) for each in ("abc", "日本", "e\u0301", "🚀x")] == [3, 4, 1, 3]


def test_what_is_too_wide_is_cut_to_fit() -> None:
    assert [fitted(each, 4) for each in ("abcd", "abcde", "日本語", "", "e\u0301" * 9)] == [
        "abcd",
        "abc…",
        "日…",
        "",
        "e\u0301e\u0301…",
    ]


@pytest.mark.parametrize("wide", [0, 20])
def test_progress_stays_on_its_line(monkeypatch: pytest.MonkeyPatch, wide: int) -> None:
    ours, theirs = pty.openpty()
    fcntl.ioctl(theirs, termios.TIOCSWINSZ, struct.pack("HHHH", 24, wide, 0, 0))
    with os.fdopen(theirs, "w", encoding="utf-8") as stream:
        monkeypatch.setattr(sys, "stderr", stream)
        Progress({}).show("waits for its turn " * 9)
        shown = os.read(ours, 4096).decode()
    os.close(ours)
    assert shown.startswith("\r\x1b[K… waits for its")
    assert width(shown.removeprefix("\r\x1b[K")) == (wide or 80) - 1


def test_columns_are_aligned_whatever_the_styles() -> None:
    rows = [[style("日", fg="red"), "x"], ["abc", "y"], ["", ""]]
    assert [each.rstrip() for each in columns(rows).splitlines()] == [f"{style('日', fg='red')}   x", "abc  y", ""]
    assert columns([]) == ""


def test_no_color_and_dumb_terminals() -> None:
    assert wants_colour({"NO_COLOR": "1"}) is False
    assert wants_colour({"TERM": "dumb"}) is False
    assert wants_colour({"NO_COLOR": "", "TERM": "xterm"}) is None


def test_one_process_speaks_for_itself(capsys: pytest.CaptureFixture[str]) -> None:
    lines = Tagged(several=False)
    lines.add("node-0", "50%\r")
    lines.add("node-0", "100%")
    lines.finish()
    assert capsys.readouterr().out == "50%\r100%"


def test_lines_of_several_are_whole_and_marked(capsys: pytest.CaptureFixture[str]) -> None:
    lines = Tagged(several=True)
    lines.add("node-0", "a")
    lines.add("node-1", "x\ny")
    lines.add("node-0", "b\n")
    assert capsys.readouterr().out == "[node-1] x\n[node-0] ab\n"
    lines.finish()
    assert capsys.readouterr().out == "[node-1] y\n"
    lines.finish()
    assert capsys.readouterr().out == ""


def test_a_line_that_does_not_end_costs_no_more_than_its_length(capsys: pytest.CaptureFixture[str]) -> None:
    lines, piece, began = Tagged(several=True), "x" * 4096, time.process_time()
    for _ in range(8192):
        lines.add("node-0", piece)
    lines.finish()
    assert time.process_time() - began < 5
    assert capsys.readouterr().out == f"[node-0] {piece * 8192}\n"
