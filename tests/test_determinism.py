"""The same bytes under any hash seed, from any working directory, however often: what people and machines read."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from tests.bench.workspace import Workspace, make_workspace

SEEDS = ("0", "12345")

ENGINE = """
import json, sys
from ajkit.engine import Engine
from ajkit.shared.where import format_keypath, walk

engine = Engine(folder=sys.argv[1])
for path in engine.ours():
    found = engine.resolve(path)
    print(path, sorted(found.reads), json.dumps(found.config))
    for each in engine.problems(found):
        print(each.span, each.code, each.severity.value, each.message, [str(other.span) for other in each.related])
    for keypath, _ in walk(found.config):
        trail = found.trail(keypath)
        if trail is not None:
            print(format_keypath(keypath), trail.rule.value, trail.winner, [str(each) for each in trail.overrode])
graph = engine.graph(engine.home_here())
print([(path, graph.bases(path), graph.all_dependents(path)) for path in graph.paths])
"""


@pytest.fixture(scope="module")
def workspace(tmp_path_factory: pytest.TempPathFactory) -> Workspace:
    made = make_workspace(tmp_path_factory.mktemp("same"), 10)
    (Path(made.home) / "aj.toml").write_text('default = "leaf00003"\nwith = ["account.o00-0"]\n')
    broken = Path(made.path("template/broken"))
    broken.write_text("base: [absent, leaf00001, broken]\nconfig:\n  tagret: {sevice: aml}\n  jobs: [{comand: x}]\n")
    return made


def said(command: list[str], seed: str, folder: Path | str) -> bytes:
    """What a command writes to standard output, and its exit code."""
    environ = {**os.environ, "PYTHONHASHSEED": seed}
    environ.pop("AJ_HOME", None)
    done = subprocess.run(command, cwd=folder, env=environ, capture_output=True, timeout=100, check=False)
    assert done.returncode in (0, 1), done.stderr.decode()
    return done.stdout + b"exit %d" % done.returncode


def aj(*words: str) -> list[str]:
    return [sys.executable, "-m", "ajkit.cli", *words]


def test_all_that_the_engine_knows(workspace: Workspace) -> None:
    folder = str(Path(workspace.home).parent)
    answers = {said([sys.executable, "-c", ENGINE, folder], seed, folder) for seed in SEEDS}
    assert len(answers) == 1
    assert answers.pop().count(b"\n") > 1000


@pytest.mark.parametrize(
    "words",
    [
        ("show",),
        ("show", "--format", "json"),
        ("show", "--with", "account.o00-0", "--set", "target.queue=x", "--env", "A=1"),
        ("run", "--dry-run", "-n", "1", "-p", "1"),
    ],
    ids=" ".join,
)
def test_what_does_not_depend_on_where_one_stands(workspace: Workspace, words: tuple[str, ...]) -> None:
    home = workspace.home
    folders = (Path(home, "template"), Path("/"))
    answers = {said(aj(*words, "--home", home), seed, folder) for seed, folder in zip(SEEDS, folders, strict=True)}
    assert len(answers) == 1
    assert len(answers.pop()) > 100


@pytest.mark.parametrize(
    "words",
    [
        *(("check", "--format", form) for form in ("text", "json", "sarif")),
        ("show", "--origins"),
        ("explain", "jobs[0].submit_args.env"),
        ("list", "--format", "json"),
        ("graph", "--format", "dot"),
    ],
    ids=" ".join,
)
def test_what_is_told_relative_to_where_one_stands(workspace: Workspace, words: tuple[str, ...]) -> None:
    answers = {said(aj(*words), seed, Path(workspace.home).parent) for seed in SEEDS}
    assert len(answers) == 1
    assert len(answers.pop()) > 100
