"""The code folder: where it is, and what never travels."""

from __future__ import annotations

import pytest

from ajkit.shared.job.code import always_ignored, code_folder
from ajkit.shared.job.request import JobRequest
from ajkit.shared.template.model import typed
from tests.shared.job.asking import LEAF, ask, resolved


@pytest.mark.parametrize(
    ("local_dir", "given", "folder"),
    [
        (None, None, "/w/proj"),
        (".", None, "/w/proj"),
        ("src", None, "/w/proj/src"),
        ("../beside", None, "/w/beside"),
        ("$CONFIG_DIR", None, "/w/proj/.aj/template"),
        ("$CONFIG_DIR/../../src", None, "/w/proj/src"),
        ("${CONFIG_DIR}/x", None, "/w/proj/.aj/template/x"),
        ("$CONFIG_DIRS/x", None, "/w/proj/$CONFIG_DIRS/x"),
        ("/abs", None, "/abs"),
        ("src", "other", "/w/proj/other"),
        ("src", "/abs", "/abs"),
    ],
)
def test_it_is_relative_to_the_project_folder(local_dir: str | None, given: str | None, folder: str) -> None:
    found = resolved(f"config: {{code: {{local_dir: '{local_dir}'}}}}" if local_dir else "config: {}")
    assert code_folder(found, typed(found.config), JobRequest(LEAF, code_dir=given)) == folder


@pytest.mark.parametrize("written", ["$CONFIG_DIR/../../src", ".", "src/"])
def test_it_travels_as_written(written: str) -> None:
    text = f"config: {{target: {{service: local}}, code: {{local_dir: '{written}'}}, jobs: [{{command: [x]}}]}}"
    assert ask(text, nodes=1, selector=1).require().code.dir == written
    assert ask(text, nodes=1, selector=1, code_dir="other").require().code.dir == "other"


@pytest.mark.parametrize(
    ("folder", "home", "lines"),
    [
        ("/p", None, []),
        ("/p", "/elsewhere/.aj", []),
        ("/p/src", "/p/.aj", []),
        ("/p", "/p/.aj", ["/.aj/*", "!/.aj/scripts/"]),
        ("/p/", "/p/sub/.azure_jobs", ["/sub/.azure_jobs/*", "!/sub/.azure_jobs/scripts/"]),
        ("/p", "/p/[x] #1/.aj", ["/\\[x\\]\\ \\#1/.aj/*", "!/\\[x\\]\\ \\#1/.aj/scripts/"]),
    ],
)
def test_of_an_aj_home_only_its_scripts_travel(folder: str, home: str | None, lines: list[str]) -> None:
    assert always_ignored(folder, home) == [".git", ".venv", "node_modules", "__pycache__", *lines]


def test_nothing_of_the_daemons_state_travels() -> None:
    assert always_ignored("/p", None, "/p/.local/state/aj")[-1] == "/.local/state/aj/"
    assert always_ignored("/p", "/p/.aj", "/q/state")[-1] == "!/.aj/scripts/"
