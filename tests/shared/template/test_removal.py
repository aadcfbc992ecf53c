"""Taking keys out of YAML texts: the key is gone, nothing else changes, nothing is left that would clear a value."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ajkit.shared.template.parse import parse
from ajkit.shared.template.query import children
from ajkit.shared.template.removal import item_removal, removal_at
from ajkit.shared.template.tree import Mapping, Sequence, node_at
from ajkit.shared.where import Text, parse_keypath
from tests.shared.template.yaml_drawn import drawn_yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ajkit.shared.template.tree import Document, Node
    from ajkit.shared.where import Json, KeyPath


def document(text: str) -> Document:
    return parse(Text("/x.yaml", text))


def removed(text: str, path: KeyPath) -> str | None:
    edit = removal_at(document(text), path)
    return None if edit is None else text[: edit.span.start] + edit.new_text + text[edit.span.end :]


@pytest.mark.parametrize(
    ("index", "before", "after"),
    [
        (0, "l:\n  - a\n  - b\n", "l:\n  - b\n"),
        (1, "l:\n- a\n- b  # why\n- c", "l:\n- a\n- c"),
        (1, "l:\n- a\n- b", "l:\n- a\n"),
        (0, "l:\r\n- a\r\n- b\r\n", "l:\r\n- b\r\n"),
        (0, "l:\n- |\n  text\n- b\n", "l:\n- b\n"),
        (0, "l: [a, b]\n", "l: [b]\n"),
        (1, "l: [a, b , c]\n", "l: [a , c]\n"),
        (2, "l: [a, b, c,]\n", "l: [a, b,]\n"),
        (0, "l: [a]\n", None),
        (0, "l:\n- &x a\n- *x\n", None),
    ],
)
def test_an_item_of_a_list(index: int, before: str, after: str | None) -> None:
    found = document(before)
    assert found.root is not None
    place = node_at(found.root, ("l",))
    assert place is not None
    assert isinstance(place[0], Sequence)
    edit = item_removal(found, place[0], index)
    shown = None if edit is None else before[: edit.span.start] + edit.new_text + before[edit.span.end :]
    assert shown == after
    if after is not None:
        kept = [each for position, each in enumerate(place[0].value) if position != index]
        assert document(after).root.value == {"l": kept}  # type: ignore[union-attr]


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("config.a.b", "config:\n  a:\n    b: 1\n    c: 2\n", "config:\n  a:\n    c: 2\n"),
        ("config.a.c", "config:\n  a:\n    b: 1\n    c: 2", "config:\n  a:\n    b: 1\n"),
        ("config.a.b", "config:\n  a:\n    b: 1  # why\n  d: 1\n", "config:\n  d: 1\n"),
        ("config.a.b", "config:\n  a:\n    b: 1\nbase: x\n", "config:\nbase: x\n"),
        ("config.a.b", "config: {a: {b: 1, c: 2}}\n", "config: {a: {c: 2}}\n"),
        ("config.a.c", "config: {a: {b: 1, c: 2}}\n", "config: {a: {b: 1}}\n"),
        ("config.a.b", "config: {a: {b: 1}, c: 2}\n", "config: {c: 2}\n"),
        ("config.j[0].b", "config:\n  j:\n    - b: 1\n      c: 2\n", "config:\n  j:\n    - c: 2\n"),
        ("config.j[0].b", "config:\n  j:\n    - b: 1\n    - c: 2\n", "config:\n  j:\n    - {}\n    - c: 2\n"),
        ("config.j[0].b", "config:\n  j:\n    - b: 1\n  c: 2\n", "config:\n  c: 2\n"),
        ("config.a", "config:\r\n  a: 1\r\n  b: 2\r\n", "config:\r\n  b: 2\r\n"),
        ("config.a", "config:\n  a: |+\n    text\n\n  b: 2\n", "config:\n  b: 2\n"),
        ("config.a", "config:\n  a:\n  b: 2\n", "config:\n  b: 2\n"),
        ("config.a.b", "config:\n  a:\n    b: &b 1\n    c: *b\n", None),
        ("config.a.c", "config:\n  a:\n    b: &b 1\n    c: *b\n", "config:\n  a:\n    b: &b 1\n"),
        ("config.a.b", "x-a: &a {b: 1}\nconfig:\n  a: *a\n", None),
        ("config.a.b", "x-a: &a {b: 1}\nconfig:\n  a:\n    <<: *a\n", None),
        ("config.gone", "config:\n  a: 1\n", None),
        ("config.j[0]", "config:\n  j: [1]\n", None),
    ],
)
def test_the_key_and_what_would_be_left_empty(path: str, before: str, after: str | None) -> None:
    assert removed(before, parse_keypath(path)) == after


def keys(node: Node, path: KeyPath = ()) -> Iterator[KeyPath]:
    for step, below in children(node):
        if isinstance(node, Mapping) and path:
            yield (*path, step)
        yield from keys(below, (*path, step))


def without(value: Json, path: KeyPath) -> Json:
    """A value without a key and the parents it leaves empty, as `removal_at` says it; the top level stays."""
    kept = _without(value, path)
    return kept if kept is not None else {str(path[0]): None}


def _without(value: Json, path: KeyPath, depth: int = 0) -> Json:
    step, *rest = path
    if isinstance(value, dict):
        below = _without(value[str(step)], tuple(rest), depth + 1) if rest else None
        if below is not None:
            return {**value, str(step): below}
        if depth == 0:
            return {**value, str(step): None}
        return {key: each for key, each in value.items() if key != step} or None
    assert isinstance(value, list)
    assert isinstance(step, int)
    below = _without(value[step], tuple(rest), depth + 1)
    if below is None and len(value) == 1:
        return None if depth > 1 else [{}]
    return [*value[:step], {} if below is None else below, *value[step + 1 :]]


def same(one: Json, other: Json) -> bool:
    """Equal, where an empty container of the top level may as well be null."""
    if isinstance(one, dict) and isinstance(other, dict):
        return one.keys() == other.keys() and all((one[key] or None) == (other[key] or None) for key in one)
    return one == other


@settings(max_examples=150, deadline=None)
@given(drawn_yaml(), st.data())
def test_nothing_else_changes(text: str, data: st.DataObject) -> None:
    before = document(text)
    paths = list(keys(before.root)) if isinstance(before.root, Mapping) else []
    if not paths:
        return
    assert before.root is not None
    path = data.draw(st.sampled_from(paths))
    after = removed(text, path)
    assert after is not None, (text, path)
    root = document(after).root
    assert not document(after).problems, (text, path)
    assert same(root.value if root else None, without(before.root.value, path)), (text, path, after)
