"""The examples of `docs/problems.md` bring their problem about, and nothing else that stops a build."""

from __future__ import annotations

import pytest

from ajkit.engine import Engine
from ajkit.shared.files import MemoryFiles
from ajkit.shared.job.request import JobRequest
from tests.docs.pages import Example, examples
from tests.repository import ROOT

PAGE = list(examples((ROOT / "docs/problems.md").read_text("utf-8")))

TOGETHER = {
    "base.cycle": {"base.broken"},
    "base.broken": {"base.missing"},
    "yaml.implicit-type": {"schema.type"},
}
"""Other errors that must come with an example's own."""


def found(example: Example) -> dict[str, bool]:
    """The codes that an example's files give, each with whether it is an error."""
    folder = "/page" if example.options.get("home") == "none" else "/page/.aj"
    files: dict[str, str | bytes] = {f"{folder}/{name}": text for name, text in example.files.items()}
    engine = Engine(files=MemoryFiles(dict(files)), folder="/page")
    asked = example.options
    if "run" in asked:
        nodes, selector = (int(asked[each]) if each in asked else None for each in ("nodes", "selector"))
        problems = [*engine.plan(JobRequest(template=next(iter(files)), nodes=nodes, selector=selector)).problems]
    else:
        problems = engine.check(files if "home" in asked else engine.ours(), named=files if "home" in asked else ())
    return {each.code: each.is_error for each in problems}


@pytest.mark.parametrize("example", PAGE, ids=lambda example: example.heading)
def test_an_example_gives_its_problem(example: Example) -> None:
    codes = found(example)
    assert example.heading in codes
    errors = {code for code, is_error in codes.items() if is_error}
    assert errors - {example.heading} <= TOGETHER.get(example.heading, set())


def test_most_sections_have_an_example() -> None:
    assert len({example.heading for example in PAGE}) > 40
