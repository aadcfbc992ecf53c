"""`aj.toml`: what it may say, and what is said of the rest."""

from __future__ import annotations

import pytest

from ajkit.shared.problem import Severity, problem
from ajkit.shared.template.settings import Settings, read_settings

GOOD = """
default = "train"
templates = ["jobs/*.yaml"]
with = ["site", "storage.default"]

[severity]
"merge.redundant" = "off"
"merge.diamond" = "hint"
"""


def _read(text: str) -> Settings:
    return read_settings("/p/.aj/aj.toml", text.encode())


def test_all_settings() -> None:
    found = _read(GOOD)
    assert found.problems == ()
    assert (found.default, found.templates) == ("train", ("jobs/*.yaml",))
    assert [ref.name for ref in found.overlays] == ["site", "storage.default"]
    assert found.overlays[0].span.written == "site"
    assert found.severity == {"merge.redundant": None, "merge.diamond": Severity.HINT}


@pytest.mark.parametrize(
    ("text", "message", "line"),
    [
        ("defualt = 'x'\n", "did you mean `default`?", 0),
        ("\ndefault = 3\n", "takes the name of a template", 1),
        ("\ndefault = '../x'\n", "takes the name of a template", 1),
        ("templates = [1]\n", "takes a list of text", 0),
        ("with = ['a/b']\n", "not a path", 0),
        ("severity = 1\n", "is a table", 0),
        ("[severity]\n'merge.redundant' = 'none'\n", "a severity is one of", 1),
        ("[severity]\n'base.missing' = 'hint'\n", "stays an error", 1),
        ("[severity]\n'merge.redundent' = 'hint'\n", "did you mean `merge.redundant`?", 1),
        ("[severity]\nredundant = 'off'\n", "`redundant` is not a problem code", 1),
        ("[severity]\nmerge.redundant = 'off'\n", "put the code in quotes", 1),
        ("a = \n", "aj.toml is not TOML", 0),
        ("x = 1\nx = 2\n", "aj.toml is not TOML", 1),
    ],
)
def test_what_is_wrong_is_said_where_it_stands(text: str, message: str, line: int) -> None:
    (found,) = _read(text).problems
    assert found.code == "settings.invalid"
    assert message in found.message
    assert found.span
    assert found.span.first.line == line


def test_what_is_right_beside_a_mistake_is_used() -> None:
    found = _read("nonsense = 1\ndefault = 'x'\n")
    assert found.default == "x"


def test_bytes_that_are_no_text() -> None:
    assert [each.code for each in read_settings("/p/.aj/aj.toml", b"\xff").problems] == ["settings.invalid"]


def test_regrading() -> None:
    settings = _read(GOOD)
    problems = [problem(code, "m", None) for code in ("merge.redundant", "merge.diamond", "base.missing", "jobs.extra")]
    assert [(each.code, each.severity.value) for each in settings.regrade(problems)] == [
        ("merge.diamond", "hint"),
        ("base.missing", "error"),
        ("jobs.extra", "information"),
    ]
