"""Keys as they are spelt, to be written elsewhere."""

from __future__ import annotations

import pytest

from ajkit.shared.template.parse import parse
from ajkit.shared.template.snippets import snippet_of
from ajkit.shared.template.tree import node_at
from ajkit.shared.where import Text, parse_keypath


@pytest.mark.parametrize(
    ("path", "text", "lines", "inline"),
    [
        ("a", "a: on  # why\n", ["a: on  # why"], "on"),
        ("c.a", "c:\n  a:\n    # note\n    b: 1.10\n  d: 1\n", ["a:", "  # note", "  b: 1.10"], "{b: 1.10}"),
        ("c.a", "c: {a: {b: on}, d: 1}\n", ["a: {b: on}"], "{b: on}"),
        ("c.a", "c: {a: [1,\n  2]}\n", [], "[1, 2]"),
        ("a", "a: |\r\n    x\r\n\r\n    y\r\nb: 1\r\n", ["a: |", "    x", "", "    y"], '"x\\n\\ny\\n"'),
        ("j[0].a", "j:\n  - a:\n    - x: '1'\n    b: 1\n", ["a:", "- x: '1'"], '[{x: "1"}]'),
        ("a", 'a: "one\n  two"\n', ['a: "one', '  two"'], "one two"),
        ("a", "a:\n", ["a:"], "null"),
        ("a", "a: {}\n", ["a: {}"], "{}"),
    ],
)
def test_lines_and_the_value_on_one(path: str, text: str, lines: list[str], inline: str) -> None:
    document = parse(Text("/x.yaml", text))
    assert document.root is not None
    found = node_at(document.root, parse_keypath(path))
    assert found is not None
    assert found[1] is not None
    snippet = snippet_of(document, found[1])
    assert snippet is not None
    assert (list(snippet.lines), snippet.inline) == (lines, inline)


@pytest.mark.parametrize(
    "text", ["a: &x 1\nb: *x\n", "x: &x {}\na: *x\n", "x: &x {c: 1}\na:\n  <<: *x\n", "? a\n: 1\n"]
)
def test_what_means_something_only_where_it_stands(text: str) -> None:
    document = parse(Text("/x.yaml", text))
    assert document.root is not None
    found = node_at(document.root, ("a",))
    assert found is not None
    assert found[1] is not None
    snippet = snippet_of(document, found[1])
    assert snippet is None or not snippet.lines
