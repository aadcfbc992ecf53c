"""What `deploy/` and the page about the daemon tell people to run is what `aj serve` takes."""

from __future__ import annotations

import re
import shlex
from configparser import RawConfigParser
from typing import TYPE_CHECKING

import click
import pytest

from ajkit.cli.serve import command
from tests.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

UNITS = sorted((ROOT / "deploy").glob("*.service"))
PAGES = [*UNITS, ROOT / "deploy/Containerfile", ROOT / "deploy/README.md", ROOT / "docs/daemon.md"]


def lines() -> Iterator[str]:
    """Every command line with `aj serve` in it."""
    for page in PAGES:
        for line in page.read_text("utf-8").splitlines():
            if found := re.search(r"(?:^|[ =/])aj (serve [^`;]*?)(?:`|$)", line):
                yield found[1].strip()


def parsed(group: click.Group, words: list[str]) -> None:
    """Read a command line down to its last verb, running none."""
    with group.make_context("serve", list(words)) as context:
        rest = [*context._protected_args, *context.args] if hasattr(context, "_protected_args") else context.args
        if rest:
            below = group.commands[rest[0]]
            if isinstance(below, click.Group):
                parsed(below, rest[1:])
            else:
                below.make_context(rest[0], rest[1:], parent=context).close()


@pytest.mark.parametrize("line", sorted(set(lines())))
def test_every_command_line_is_one(line: str) -> None:
    assert shlex.split(line)[0] == "serve"
    parsed(command, shlex.split(line)[1:])


def test_there_are_some() -> None:
    assert len(set(lines())) >= 6


@pytest.mark.parametrize("unit", UNITS, ids=lambda path: path.stem)
def test_units(unit: Path) -> None:
    parser = RawConfigParser(strict=False)
    parser.optionxform = str  # type: ignore[assignment,method-assign]
    parser.read_string(unit.read_text("utf-8"))
    assert parser.sections() == ["Unit", "Service", "Install"]
    service = parser["Service"]
    # Jobs outlive the daemon; what it makes is its own.
    assert (service["KillMode"], service["UMask"], service["Restart"]) == ("process", "0077", "on-failure")
    assert service["ExecStart"].startswith(("/", "%h/"))
