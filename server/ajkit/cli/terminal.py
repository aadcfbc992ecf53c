"""Writing to standard output and standard error: whole, visible, in colour only where a person looks."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import click

from ajkit.shared.problem import AjError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence
    from typing import TextIO

_ESCAPES = {"\r": "\\r", "\x1b": "\\e", "\x0b": "\\v", "\x0c": "\\f"}
_HARMLESS = frozenset("\n\t\u00a0\u200d")
"""Not printable to Python, but fine on a terminal."""
_USUAL_COLUMNS = 80


class OutputFailed(AjError):
    """An answer that could not be written; `str()` says why."""


class ReaderGone(Exception):
    """Who read our output went away, and wants no more of it."""


def write(text: str, *, err: bool = False, colour: bool | None = None) -> None:
    """Write text as it is; styles are left out where nobody looks (no terminal, NO_COLOR).

    `colour` decides on styles where no verb is running that has decided already.

    Raises:
        ReaderGone: nobody reads it any more.
        OutputFailed: it cannot be written.
    """
    if not err and sys.stdout is None:
        raise OutputFailed("cannot write the answer: standard output is closed")
    try:
        click.echo(text, nl=False, err=err, color=colour)
    except BrokenPipeError:
        raise ReaderGone from None
    except OSError as error:
        if not err:
            raise OutputFailed(f"cannot write the answer: {error.strerror or error}") from error


def say(text: str) -> None:
    """Write a line for the person to standard error."""
    write(f"{text}\n", err=True)


def wants_colour(environ: Mapping[str, str]) -> bool | None:
    """False where the environment refuses colours; None leaves it to whether a terminal listens."""
    return False if environ.get("NO_COLOR") or _is_dumb(environ) else None


def _is_dumb(environ: Mapping[str, str]) -> bool:
    return environ.get("TERM") == "dumb"


def visible(text: str) -> str:
    """Text with characters that would act on a terminal, or hide, written as escapes."""
    return text if text.isprintable() else "".join(map(_shown, text))


def _shown(character: str) -> str:
    if character.isprintable() or character in _HARMLESS:
        return character
    return _ESCAPES.get(character) or (
        f"\\x{ord(character):02x}" if character < "\u0100" else f"\\u{ord(character):04x}"
    )


def one_line(text: str) -> str:
    """Text with its line ends written as escapes too."""
    return visible(text).replace("\n", "\\n").replace("\t", " ")


def width(text: str) -> int:
    """The number of terminal columns that a text takes."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(each) else 2 if east_asian_width(each) in "WF" else 1 for each in text)


def terminal_columns(stream: TextIO | None) -> int | None:
    """The columns of the terminal that a stream goes to; None where there is none, or it does not say."""
    if stream is None or not stream.isatty():
        return None
    return os.get_terminal_size(stream.fileno()).columns or None


def fitted(text: str, room: int) -> str:
    """Text in at most so many terminal columns, ending in … where something was cut off."""
    if width(text) <= room:
        return text
    text = text[:room]
    while width(text) >= room > 0:
        text = text[:-1]
    return f"{text}…"


def columns(rows: Sequence[Sequence[str]], *, gap: int = 2) -> str:
    """Rows of cells as aligned lines; the last cell of a row is not padded. Cells may carry styles."""
    plain = [[click.unstyle(cell) for cell in row] for row in rows]
    widths = [max(width(cell) for cell in column) for column in zip(*plain, strict=True)] if rows else []
    lines = []
    for row, bare in zip(rows, plain, strict=True):
        padded = [cell + " " * (most - width(text) + gap) for cell, text, most in zip(row, bare, widths, strict=True)]
        lines.append("".join(padded).rstrip() + "\n")
    return "".join(lines)


def pour(text: str) -> None:
    """Write text to standard output at once and untouched: a job's output, styles of its own included.

    Raises:
        ReaderGone: nobody reads it any more.
        OutputFailed: it cannot be written.
    """
    if sys.stdout is None:
        raise OutputFailed("cannot write the answer: standard output is closed")
    try:
        sys.stdout.write(text)
        sys.stdout.flush()
    except BrokenPipeError:
        raise ReaderGone from None
    except OSError as error:
        raise OutputFailed(f"cannot write the answer: {error.strerror or error}") from error


class Progress:
    """One line on a terminal that says what is going on, and goes away; nothing where no terminal can do that."""

    def __init__(self, environ: Mapping[str, str]) -> None:
        self._live = sys.stderr is not None and sys.stderr.isatty() and not _is_dumb(environ)
        self._shown = False

    def show(self, text: str) -> None:
        """Put a text in the line's place."""
        if self._live:
            self._shown = True
            # A line that wraps could not be taken away again.
            room = (terminal_columns(sys.stderr) or _USUAL_COLUMNS) - 1
            sys.stderr.write(f"\r\x1b[K{fitted(f'… {one_line(text)}', room)}")
            sys.stderr.flush()

    def clear(self) -> None:
        """Take the line away."""
        if self._shown:
            self._shown = False
            sys.stderr.write("\r\x1b[K")
            sys.stderr.flush()


class Tagged:
    """The output of the processes of a job, line by line, each with its process in front where there are several."""

    def __init__(self, *, several: bool) -> None:
        self._several = several
        self._open: dict[str, list[str]] = {}

    def add(self, stream: str, text: str) -> None:
        """Print what came of a stream; of several, a line is printed once it is whole."""
        if not self._several:
            pour(text)
            return
        ended, end, rest = text.rpartition("\n")
        if end:
            lines = "".join([*self._open.pop(stream, ()), ended]).split("\n")
            pour("".join(f"{_tag(stream)}{line}\n" for line in lines))
        if rest:
            self._open.setdefault(stream, []).append(rest)

    def finish(self) -> None:
        """Print lines that were never ended."""
        for stream, parts in self._open.items():
            pour(f"{_tag(stream)}{''.join(parts)}\n")
        self._open.clear()


def _tag(stream: str) -> str:
    return f"[{one_line(stream)}] "
