"""Runs the `console` blocks of a docs page as a person would type them, and compares what is printed.

A line that begins with ``$ `` is typed, lines that begin with ``> `` continue it; the lines after it are what appears,
standard output and standard error together. ``...`` in such a line stands for any text in it, a line of ``...`` alone
for any lines. A block with the word `unchecked` after `console` is not run; one of `yaml file=PATH` is saved.
"""

from __future__ import annotations

import re
import subprocess
from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping
    from pathlib import Path

_BLOCK = re.compile(
    r"^```(?:console(?P<words>[^\n]*)|yaml file=(?P<path>\S+))\n(?P<body>.*?)^```$", re.MULTILINE | re.DOTALL
)
PATIENCE = 60.0


@dataclass(frozen=True)
class Typed:
    """One command, the line of the page it stands on, and the output that the page shows."""

    line: int
    command: str
    output: str


@dataclass(frozen=True)
class Saved:
    """One file that the page shows and the reader is to have."""

    path: str
    content: str


def steps(page: str) -> Iterator[Typed | Saved]:
    """What a reader of the page does, in order."""
    for block in _BLOCK.finditer(page):
        if block["path"]:
            yield Saved(block["path"], block["body"])
            continue
        if "unchecked" in block["words"].split():
            continue
        line = page.count("\n", 0, block.start("body")) + 1
        for part in re.split(r"^(?=\$ )", block["body"], flags=re.MULTILINE):
            if part.startswith("$ "):
                typed = re.match(r"\$ .*\n(?:> .*\n)*", part)
                assert typed is not None
                lines = [each[2:] for each in typed[0].splitlines()]
                yield Typed(line, "\n".join(lines), part[typed.end() :])
            line += part.count("\n")


def matches(expected: str, actual: str) -> bool:
    """Whether an output is what the page shows, ellipses considered; trailing blanks do not count."""
    pattern = ""
    for line in expected.rstrip().split("\n"):
        if line.strip() == "...":
            pattern += r"(?:.*\n)*"
        else:
            pattern += r".*".join(re.escape(each) for each in line.rstrip().split("...")) + r"[ \t]*\n"
    return re.fullmatch(pattern, actual.rstrip() + "\n") is not None


class Terminal:
    """A place to type commands in: a folder that `cd` changes, and an environment."""

    def __init__(self, folder: Path, environment: Mapping[str, str]) -> None:
        self.folder = folder
        self.environment = dict(environment)

    def run(self, command: str) -> str:
        """Type a command; what appears."""
        script = f"{command}\nprintf '\\0%s' \"$PWD\""
        done = subprocess.run(
            ["bash", "-c", script],
            cwd=self.folder,
            env=self.environment,
            stdin=subprocess.DEVNULL,
            stdout=subprocess.PIPE,
            stderr=subprocess.STDOUT,
            text=True,
            timeout=PATIENCE,
            check=False,
        )
        shown, _, folder = done.stdout.rpartition("\0")
        self.folder = type(self.folder)(folder)
        return shown

    def save(self, path: str, content: str) -> None:
        """Save a file, relative to where one is."""
        place = self.folder / path
        place.parent.mkdir(parents=True, exist_ok=True)
        place.write_text(content, "utf-8")
