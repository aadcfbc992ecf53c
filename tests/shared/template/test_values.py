"""Plain values of ordinary texts: they are those of the located tree, and whatever is not ordinary is left to that."""

from __future__ import annotations

import json

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ajkit.shared.template.parse import parse, parse_bytes
from ajkit.shared.template.values import SIZE_LIMIT, plain_values
from ajkit.shared.where import Text
from tests.shared.template.test_parse_property import PIECES, TEMPLATES

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
    """What plain values claim is what the tree says, without any problem."""
    found = plain_values(content, pure=pure)
    if found is None:
        return
    document = parse(Text("x.yaml", content), pure=pure)
    assert not document.problems
    assert not document.broken
    assert document.root is not None
    assert json.dumps(found[0]) == json.dumps(document.root.value)
    assert found[1] == document.nodes


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


def test_the_tree_of_a_file_is_there_when_somebody_asks() -> None:
    document = parse_bytes("x.yaml", b"a: {b: [1, c]}\n")
    assert document.value == {"a": {"b": [1, "c"]}}
    root = document.root
    assert root is not None
    assert root.value == document.value
    assert document.root is root
