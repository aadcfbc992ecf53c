"""Writing to standard output and standard error: whole, visible, in colour only where a person looks."""

from __future__ import annotations

import re
import sys
from typing import TYPE_CHECKING

import click

from ajkit.shared.problem import AjError

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

_HIDDEN = re.compile("[\x00-\x08\x0b-\x1f\x7f-\x9f\u2028\u2029\u202a-\u202e\u2066-\u2069\ufeff]")
_ESCAPES = {"\r": "\\r", "\x1b": "\\e", "\x0b": "\\v", "\x0c": "\\f"}


class OutputFailed(AjError):
    """An answer that could not be written; `str()` says why."""


def write(text: str, *, err: bool = False) -> None:
    """Write text as it is; styles are left out where nobody looks (no terminal, NO_COLOR).

    Raises:
        BrokenPipeError: the reader went away.
        OutputFailed: it cannot be written.
    """
    if not err and sys.stdout is None:
        raise OutputFailed("cannot write the answer: standard output is closed")
    try:
        click.echo(text, nl=False, err=err)
    except BrokenPipeError:
        raise
    except OSError as error:
        if not err:
            raise OutputFailed(f"cannot write the answer: {error.strerror or error}") from error


def say(text: str) -> None:
    """Write a line for the person to standard error."""
    write(f"{text}\n", err=True)


def wants_colour(environ: Mapping[str, str]) -> bool | None:
    """False where the environment refuses colours; None leaves it to whether a terminal listens."""
    return False if environ.get("NO_COLOR") or environ.get("TERM") == "dumb" else None


def visible(text: str) -> str:
    """Text with characters that would act on a terminal, or hide, written as escapes."""
    return _HIDDEN.sub(lambda found: _ESCAPES.get(found[0]) or f"\\x{ord(found[0]):02x}", text)


def one_line(text: str) -> str:
    """Text with its line ends written as escapes too."""
    return visible(text).replace("\n", "\\n").replace("\t", " ")


def width(text: str) -> int:
    """The number of terminal columns that a text takes."""
    if text.isascii():
        return len(text)
    from unicodedata import combining, east_asian_width

    return sum(0 if combining(each) else 2 if east_asian_width(each) in "WF" else 1 for each in text)


def columns(rows: Sequence[Sequence[str]], *, gap: int = 2) -> str:
    """Rows of cells as aligned lines; the last cell of a row is not padded. Cells may carry styles."""
    plain = [[click.unstyle(cell) for cell in row] for row in rows]
    widths = [max(width(cell) for cell in column) for column in zip(*plain, strict=True)] if rows else []
    lines = []
    for row, bare in zip(rows, plain, strict=True):
        padded = [cell + " " * (most - width(text) + gap) for cell, text, most in zip(row, bare, widths, strict=True)]
        lines.append("".join(padded).rstrip() + "\n")
    return "".join(lines)
