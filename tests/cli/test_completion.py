"""Completion in shells: verbs, options, template names, without reading a template or importing a verb in vain."""

from __future__ import annotations

import os
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.cli.conftest import Person


def answer(person: Person, line: str, count: int) -> str:
    """What bash is told for a line whose word number `count` is being typed."""
    environ = {**os.environ, "_AJ_COMPLETE": "bash_complete", "COMP_WORDS": line, "COMP_CWORD": str(count)}
    environ.pop("AJ_HOME", None)
    done = subprocess.run(
        [sys.executable, "-m", "ajkit.cli"], cwd=person.folder, env=environ, capture_output=True, text=True, check=True
    )
    assert done.stderr == ""
    return done.stdout


def completed(person: Person, line: str, count: int) -> list[str]:
    """What bash would be offered."""
    return [each.partition(",")[2] for each in answer(person, line, count).split()]


def test_verbs(person: Person) -> None:
    assert completed(person, "aj s", 1) == ["show", "serve", "schema"]
    assert "--version" in completed(person, "aj --", 1)


def test_template_names(person: Person) -> None:
    person.draw(
        "--- .aj/template/train.yaml\n: broken [\n--- .aj/template/team/try.yaml\n--- .aj/template/x.yml\n"
        "--- other/template/tree.yaml\n"
    )
    assert completed(person, "aj show t", 2) == ["team.try", "train"]
    assert completed(person, "aj run -t tr", 3) == ["train"]
    assert completed(person, "aj explain tr", 2) == ["train"]
    assert completed(person, "aj show --home other t", 4) == ["tree"]


def test_options_and_their_words(person: Person) -> None:
    assert "--origins" in completed(person, "aj show --or", 2)
    assert completed(person, "aj check --format s", 3) == ["sarif"]
    assert completed(person, "aj schema j", 2) == ["jobspec"]
    assert completed(person, "aj jobs c", 2) == ["cancel"]


def offered(person: Person, line: str, count: int) -> list[str]:
    """What bash would be offered, each with its kind: ``plain``, or what it completes itself."""
    return answer(person, line, count).split()


def test_what_is_no_template_name_is_completed_by_the_shell(person: Person) -> None:
    assert offered(person, "aj show t", 2) == ["file,t"]
    person.draw("--- .aj/template/train.yaml\n")
    assert offered(person, "aj show t", 2) == ["plain,train"]
    assert offered(person, "aj check t", 2) == ["plain,train"]
    assert offered(person, "aj check ./t", 2) == ["file,./t"]
    assert offered(person, "aj run -t ./t", 3) == ["file,./t"]
    assert offered(person, "aj run python t", 3) == ["file,t"]
    assert offered(person, "aj run --code t", 3) == ["dir,t"]
    assert offered(person, "aj list --home t", 3) == ["dir,t"]


@pytest.mark.parametrize("shell", ["bash", "zsh", "fish"])
def test_the_script_for_each_shell(shell: str) -> None:
    environ = {**os.environ, "_AJ_COMPLETE": f"{shell}_source"}
    done = subprocess.run([sys.executable, "-m", "ajkit.cli"], env=environ, capture_output=True, text=True, check=True)
    assert "_AJ_COMPLETE" in done.stdout
