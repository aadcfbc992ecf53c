"""Tabs that the parser refuses are told as tabs wherever they stand, and what is meant is read."""

from __future__ import annotations

import pytest

from ajkit.shared.template.parse import parse
from ajkit.shared.where import Json, Text

REFUSED: list[tuple[str, Json, list[str]]] = [
    ("a:\n\tb: 1\n\tc: 2\n", {"a": {"b": 1, "c": 2}}, ["2:1"]),
    ("a: 1\n\t# why\nb: 2\n", {"a": 1, "b": 2}, ["2:1"]),
    # lines that hold nothing else
    ("a: 1\n\t\nb: 2\n", {"a": 1, "b": 2}, ["2:1"]),
    ("\t\na: 1\n", {"a": 1}, ["1:1"]),
    ("a: 1\n\t", {"a": 1}, ["2:1"]),
    ("a: 1\n\t\n \t\nb: 2\n\t\n", {"a": 1, "b": 2}, ["2:1"]),
    # in block texts and brackets
    ("a: |\n  x\n\t\n  y\n", {"a": "x\n\ny\n"}, ["3:1"]),
    ("a: |\n \tx\n  y\n", {"a": "x\ny\n"}, ["2:1"]),
    ("a: [1,\n\t2\n\t]\nb: 3\n", {"a": [1, 2], "b": 3}, ["3:1"]),
    # after a dash
    ("a:\n-\tx\n- y\n-\tz: 1\n", {"a": ["x", "y", {"z": 1}]}, ["2:2"]),
    ("a:\n- -\tx\n", {"a": [["x"]]}, ["2:4"]),
]


@pytest.mark.parametrize(("content", "value", "places"), REFUSED)
def test_refused(content: str, value: Json, places: list[str]) -> None:
    document = parse(Text("x.yaml", content))
    assert document.root is not None
    assert document.root.value == value
    found = []
    for each in document.problems:
        assert each.span is not None
        assert each.code == "yaml.tab-indent"
        found.append(f"{each.span.first.line + 1}:{each.span.first.column + 1}")
    assert found == places


@pytest.mark.parametrize(
    "content", ["a:\tb\n", "a: 1\t# why\n", 'a: "x\n\ty"\n', "a: {\n\tb: 1}\n", "a: |\n  x\n  \ty\n"]
)
def test_accepted(content: str) -> None:
    assert not parse(Text("x.yaml", content)).problems


def test_one_fix_replaces_them_all() -> None:
    document = parse(Text("x.yaml", "a:\n-\tx\n-\ty\n"))
    (problem,) = document.problems
    assert problem.message == "a tab stands here where YAML wants spaces (and on 1 more line)"
    (fix,) = problem.fixes
    assert [(each.span.start, each.new_text) for each in fix.edits] == [(4, " "), (8, " ")]
