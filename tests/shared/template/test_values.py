"""Plain values of ordinary texts, and their places: they are those of the tree, to which all other texts are left."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ajkit.shared.template.parse import parse, parse_bytes
from ajkit.shared.template.tree import Entry, Mapping, Node, Scalar, Sequence, node_at
from ajkit.shared.template.unplaced import Unplaced
from ajkit.shared.template.values import SIZE_LIMIT, plain_values
from ajkit.shared.where import Text, walk
from tests.shared.template.test_parse_property import PIECES, TEMPLATES

if TYPE_CHECKING:
    from ajkit.shared.where import KeyPath

ORDINARY = {
    "block": "base: [a, b.c]\nconfig:\n  jobs:\n    - sku: G1\n      n: 2\n    - {x: 1.5, y: [], z: {}}\n",
    "quotes": "a: 'it''s'\n\"b c\": \"\\u00e9\\n\"\n? 'd'\n: e\n",
    "nulls": "a:\nb: ~\nc: null\nd:\n  -\n  - ''\n",
    "YAML 1.1": "on: yes\n1: 0o17\n2: 017\n3: 1_000\n4: 190:20:30\n5: 2026-01-31\n6: =\n7: 1e5\n8: +.5\n",
    "block texts": "a: |+\n  x\n\nb: >-\n  folded\n  line\nc:\n- |\n  y\n",
    "plain text over lines": "a: one\n  two\nb: a - c\n",
    "markers": "%YAML 1.1\n---\na: 1\n...\n",
    "CRLF": "a: 1\r\nb:\r\n- c\r\n",
    "operators": "command: cp *.txt && rm -f !x & echo '<<' > y\n",
}
UNUSUAL = {
    "anchor of a value": "a: &x 1\n",
    "anchor of a mapping": "a: &x {b: 1}\n",
    "anchor of a list": "a: &x [1]\n",
    "anchor of a key": "&x a: 1\n",
    "anchor of an item": "a:\n- &x b\n",
    "alias": "a: &x 1\nb: *x\n",
    "merge key": "a:\n  <<: {b: 1}\n",
    "quoted merge key": "a:\n  '<<': {b: 1}\n",
    "tag": "a: !!str 1\n",
    "tag of a key": "!!str a: 1\n",
    "tag of a mapping": "a: !!map {}\n",
    "tag of an item": "- !!str a\n",
    "bare tag": "a: ! 1\n",
    "key twice": "a: 1\na: 2\n",
    "key that is a list": "? [a]\n: 1\n",
    "no JSON": "a: .inf\n",
    "no JSON in a list": "a: [.nan]\n",
    "two documents": "a: 1\n---\nb: 2\n",
    "no mapping": "- a\n",
    "a single value": "a\n",
    "nothing": "",
    "comment": "# nothing\n",
    "root with an anchor": "&x\na: 1\n",
    "no YAML": "a: [1\n",
    "lone surrogate": "a: \ud800\n",
    "too deep": "a: " + "[" * 101 + "]" * 101,
}


def agrees(content: str, *, pure: bool) -> None:
    """What is claimed of a text, and of every place in it, is what its tree says; it has no problem."""
    found = plain_values(content, pure=pure)
    if found is None:
        return
    text = Text("x.yaml", content)
    document = parse(text, pure=pure)
    assert not document.problems
    assert not document.broken
    assert document.root is not None
    assert json.dumps(found.value) == json.dumps(document.root.value)
    assert found.nodes == document.nodes
    for path, _ in walk(found.value):
        there = Unplaced(text, found.events, pure=pure).node(path)
        assert shown(there) == shown(node_at(document.root, path)), path
    for events in (found.events, []):
        tree = Unplaced(text, events, pure=pure).tree()
        assert tree is not None
        assert shown((tree, None)) == shown((document.root, None))


def shown(found: tuple[Node, Entry | None] | None) -> object:
    """All there is to a node and what is below it, and to the entry it stands under."""
    if found is None:
        return None
    node, entry = found
    below: object = (node.raw, node.plain) if isinstance(node, Scalar) else None
    if isinstance(node, Mapping):
        below = [(key, shown((each.node, each))) for key, each in node.entries.items()]
    elif isinstance(node, Sequence):
        below = [shown((each, None)) for each in node.items]
    return (entry and (entry.start, entry.end)), type(node), node.start, node.end, json.dumps(node.value), below


@pytest.mark.parametrize("pure", [False, True])
@pytest.mark.parametrize("content", ORDINARY.values(), ids=ORDINARY)
def test_ordinary_texts_are_read(content: str, pure: bool) -> None:
    assert plain_values(content, pure=pure) is not None
    agrees(content, pure=pure)


@pytest.mark.parametrize("pure", [False, True])
@pytest.mark.parametrize("content", UNUSUAL.values(), ids=UNUSUAL)
def test_all_others_are_left_to_the_tree(content: str, pure: bool) -> None:
    assert plain_values(content, pure=pure) is None


def test_a_text_that_may_hold_too_much_is_left_to_the_tree() -> None:
    assert plain_values("a: 1 #" + "-" * SIZE_LIMIT) is None


@settings(max_examples=500)
@given(st.lists(st.sampled_from(PIECES), max_size=30).map("".join), st.booleans())
def test_any_text_agrees(content: str, pure: bool) -> None:
    agrees(content, pure=pure)


@settings(max_examples=300)
@given(st.sampled_from(TEMPLATES), st.integers(0, 400), st.integers(0, 12), st.sampled_from(PIECES))
def test_a_template_with_a_piece_in_the_place_of_another_agrees(text: str, at: int, size: int, piece: str) -> None:
    agrees(text[:at] + piece + text[at + size :], pure=False)


@pytest.mark.parametrize("kept", [False, True])
def test_places_are_there_when_somebody_asks(kept: bool) -> None:
    document = parse_bytes("x.yaml", b"a: {b: [1, c]}\n")
    if kept:
        document.keep()
    assert document.value == {"a": {"b": [1, "c"]}}
    assert document.written(("a", "z")) is None
    assert document.written(("a", "b", 2)) is None
    found = document.written(("a", "b", 1))
    assert found is not None
    assert document.span(found[0]).written == "c"
    root = document.root
    assert root is not None
    assert root.value == document.value
    assert document.root is root
    assert document.written(("a", "b", 1)) == node_at(root, ("a", "b", 1))


@pytest.mark.parametrize("path", [("z",), ("a", 0), ("a", "b", "c"), ("a", "b", 2), ("a", "b", 0, 0)])
def test_nothing_stands_where_nothing_is(path: KeyPath) -> None:
    found = plain_values("a: {b: [1, c]}\n")
    assert found is not None
    assert Unplaced(Text("x.yaml", "a: {b: [1, c]}\n"), found.events, pure=False).node(path) is None
