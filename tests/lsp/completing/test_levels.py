"""What is open at a line: containers from the outermost in, with their columns."""

from __future__ import annotations

import pytest

from ajkit.lsp.completing.levels import levels
from ajkit.shared.template.parse import parse
from ajkit.shared.where import Text, format_keypath


def drawn(text: str) -> list[str]:
    """The levels at the line of the cursor, each as ``sort path @column``, with ``!`` where more follows below."""
    before = text[: text.index("§")]
    document = parse(Text("/t.yaml", text.replace("§", "")))
    return [
        f"{each.sort} {format_keypath(each.path) or '/'} @{each.column}{'!' if each.inside else ''}"
        for each in levels(document, before.count("\n"))
    ]


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("§", ["open / @-1"]),
        ("a§", ["open / @-1"]),
        ("a:\n§", ["mapping / @0", "open a @0"]),
        ("a:\n  b: 1\n§", ["mapping / @0", "mapping a @2", "closed a.b @2"]),
        ("a:\n§\n  b: 1\n", ["mapping / @0", "mapping a @2!"]),
        ("a:\n  b: 1\n§\n  c: 2\n", ["mapping / @0", "mapping a @2!", "closed a.b @2"]),
        ("a:\n  - b\n  §\nc: 1\n", ["mapping / @0!", "sequence a @2", "closed a[0] @2"]),
        ("a:\n- b: 1\n§", ["mapping / @0", "sequence a @0", "mapping a[0] @2", "closed a[0].b @2"]),
        ("a:\n  -\n§", ["mapping / @0", "sequence a @2", "open a[0] @2"]),
        ("a: |\n  x\n§", ["mapping / @0", "text a @0"]),
        ("a: x\n  §\n  y\n", ["mapping / @0", "text a @0!"]),
        ("a: {b: 1}\n§", ["mapping / @0", "closed a @0"]),
        ("a: &x\n  b: 1\nc: *x\n§", ["mapping / @0", "closed c @0"]),
        ("a:\n  n§\n  c: 1\n", ["mapping / @0", "mapping a @2!"]),
        ("a:\n  n§: 2\n  c: 1\n", ["mapping / @0", "mapping a @2!"]),
    ],
)
def test_what_is_open(text: str, wanted: list[str]) -> None:
    assert drawn(text) == wanted


def test_a_giant_mapping_is_not_walked() -> None:
    lines = [f"  k{number}:\n    v: 1" for number in range(3000)]
    text = "a:\n" + "\n".join([*lines[:1500], "§", *lines[1500:]])
    assert drawn(text) == ["mapping / @0", "mapping a @2!", "mapping a.k1499 @4", "closed a.k1499.v @4"]
