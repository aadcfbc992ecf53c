"""`README.md`: the tour is taken as written, and the two commands it promises are there."""

from __future__ import annotations

import os
import re
import signal
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.docs.console import Saved, Terminal, matches, steps
from tests.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PAGE = (ROOT / "README.md").read_text("utf-8")


def steady(text: str) -> str:
    """A text without what differs from run to run: the ids of jobs and the time."""
    text = re.sub(r"\b(?:[a-z0-9]{10}(?=  tour-)|(?<=tour-)[a-z0-9]{10}\b)", "<id>", text)
    return re.sub(r"\d{4}-\d\d-\d\d \d\d:\d\d:\d\d", "<time>", text)


@pytest.fixture
def terminal(tmp_path: Path) -> Iterator[Terminal]:
    """A terminal in an empty project, with a daemon of its own that ends with the test."""
    project, runtime = tmp_path / "tour", tmp_path / "run"
    project.mkdir()
    runtime.mkdir(mode=0o700)
    kept = {name: value for name, value in os.environ.items() if not name.startswith("AJ_")}
    places = {"XDG_STATE_HOME": str(tmp_path / "state"), "XDG_RUNTIME_DIR": str(runtime)}
    yield Terminal(project, {**kept, **places, "PATH": f"{sys.prefix}/bin:{os.environ['PATH']}", "NO_COLOR": "1"})
    for note in tmp_path.glob("state/aj/*/endpoint.json"):
        pid = re.search(r'"pid": *(\d+)', note.read_text())
        assert pid is not None
        os.kill(int(pid[1]), signal.SIGTERM)


def test_the_tour_shows_what_happens(terminal: Terminal) -> None:
    for step in steps(PAGE):
        if isinstance(step, Saved):
            terminal.save(step.path, step.content)
            continue
        shown = terminal.run(step.command)
        assert matches(steady(step.output), steady(shown)), f"README.md:{step.line}: {step.command} prints\n{shown}"


def test_the_two_commands_are_there() -> None:
    verbs = re.findall(r"^\$ make (\w+)", PAGE, re.MULTILINE)
    assert verbs == ["demo", "test"]
    for verb in verbs:
        subprocess.run(["make", "--dry-run", verb], cwd=ROOT, check=True, capture_output=True)


def test_the_demo_shows_the_output_of_a_job() -> None:
    environment = {**os.environ, "AJ": f"{sys.prefix}/bin/aj"}
    demo = [str(ROOT / "tests/demo.sh")]
    done = subprocess.run(["bash", *demo], env=environment, capture_output=True, text=True, timeout=300, check=False)
    assert done.returncode == 0, done.stderr
    assert "\nhello, world, from node 0 of 1\n" in done.stdout
    assert len(re.findall(r"^  \(\d+ ms\)$", done.stdout, re.MULTILINE)) == done.stdout.count("\n$ aj ")
