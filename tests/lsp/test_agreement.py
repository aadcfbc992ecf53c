"""The editor and `aj check` say the same: over the examples, and over real files where they are there."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from ajkit.engine import Engine
from ajkit.lsp import convert
from ajkit.lsp.session import Session
from ajkit.shared.problem import summed
from ajkit.shared.template.graph import read_graph
from tests.bench.typing_states import corpus_folder
from tests.repository import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from ajkit.shared.problem import Problem


def said(problems: list[Problem]) -> list[tuple[object, ...]]:
    """Problems as both show them."""
    return [
        (each.span.path, each.span.start, each.span.end, each.code, each.severity.value, each.message)
        for each in problems
        if each.span is not None
    ]


def in_the_editor(home: Path) -> list[tuple[object, ...]]:
    """What stands in an editor that has opened every template of a home."""
    session = Session(folder=str(home), environ_home=str(home))
    session.graph_is_read(read_graph(session.files, str(home)))
    for path in sorted(home.rglob("*.yaml")):
        session.open(convert.uri_of(str(path)), path.read_bytes().decode(), 1, "yaml")
    return said(summed(problem for view in session.views() for problem in view.problems))


def on_the_command_line(home: Path) -> list[tuple[object, ...]]:
    """What `aj check` says of the whole home."""
    engine = Engine(environ_home=str(home), folder=str(home))
    return said(engine.check(engine.ours()))


def test_over_the_examples() -> None:
    home = ROOT / "examples" / ".azure_jobs"
    assert in_the_editor(home) == on_the_command_line(home)


@pytest.mark.optional("the corpus may not be copied into the repository")
@pytest.mark.parametrize("name", ["gitlab-kubespray", "RT-DETR", "detectron2", "PaddleDetection"])
def test_over_real_files(name: str) -> None:
    folder = corpus_folder()
    if folder is None:
        pytest.skip("the corpus of real files is not here (AJ_CORPUS names its folder)")
    found = in_the_editor(folder / name)
    assert found == on_the_command_line(folder / name)
    assert found
