"""Writing values into YAML texts: what is meant stands there afterwards, and everything else is as it was."""

from __future__ import annotations

import random
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ajkit.shared.template.branches import Snippet
from ajkit.shared.template.insertion import insertion, insertions
from ajkit.shared.template.parse import parse
from ajkit.shared.template.query import children
from ajkit.shared.template.tree import Scalar
from ajkit.shared.where import Text, at, parse_keypath
from tests.bench.typing_states import corpus_folder
from tests.shared.template.yaml_drawn import drawn_yaml

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ajkit.shared.problem import Edit
    from ajkit.shared.template.tree import Document, Node
    from ajkit.shared.where import Json, KeyPath

VALUES: list[Json] = [
    "plain",
    "a: b # c",
    "no",
    "1.10",
    "",
    "two\nlines\n",
    "two\nlines",
    " led\nby blanks\n\n",
    None,
    True,
    7,
    1e16,
    {},
    [],
    ["x", ["y", {"z": 1}]],
    {"b": {"c": "x\ny\n"}, "d": [1, {"e": None}]},
]


def document(text: str) -> Document:
    return parse(Text("/x.yaml", text))


def applied(text: str, edits: tuple[Edit, ...]) -> str:
    for each in sorted(edits, key=lambda each: each.span.start, reverse=True):
        text = text[: each.span.start] + each.new_text + text[each.span.end :]
    return text


def inserted(text: str, path: str, value: Json | Snippet) -> str | None:
    edit = insertion(document(text), parse_keypath(path), value)
    return None if edit is None else applied(text, (edit,))


SHAPES = [
    # where, before, after
    ("config.a", "config:\n  b: 1\n", "config:\n  b: 1\n  a: 5\n"),
    ("config.a", "config:\n  b: 1", "config:\n  b: 1\n  a: 5\n"),
    ("config.a", "config:\n  b: 1 # why\nbase: x\n", "config:\n  b: 1 # why\n  a: 5\nbase: x\n"),
    ("config.a", "config:\r\n  b: 1\r\n", "config:\r\n  b: 1\r\n  a: 5\r\n"),
    ("config.a", "config:\n", "config:\n  a: 5\n"),
    ("config.a", "config:  # mine\nbase: x\n", "config:  # mine\n  a: 5\nbase: x\n"),
    ("config.a", "config:\n  # none yet\nbase: x\n", "config:\n  # none yet\n  a: 5\nbase: x\n"),
    ("config.a", "config: {}\n", "config:\n  a: 5\n"),
    ("config.a", "config: {} # mine\n", "config: # mine\n  a: 5\n"),
    ("config.a", "config: null\n", "config:\n  a: 5\n"),
    ("config.a", "config: {b: 1}\n", "config: {b: 1, a: 5}\n"),
    ("config.a", "config: {b: 1,}\n", "config: {b: 1, a: 5,}\n"),
    ("config.a", "config: {b: }\n", "config: {b: , a: 5}\n"),
    ("config.a.c", "config: {a: {}}\n", "config: {a: {c: 5}}\n"),
    ("config.a.c", "config: {a: [], b: 1}\n", "config: {a: {c: 5}, b: 1}\n"),
    ("config.a", "config: {\n  b: 1\n}\n", "config: {\n  b: 1,\n  a: 5\n}\n"),
    ("config.a.b", "base: x\n", "base: x\nconfig:\n  a:\n    b: 5\n"),
    ("config.a.b", "base: x # why\n\n# end\n", "base: x # why\nconfig:\n  a:\n    b: 5\n\n# end\n"),
    ("config.a", "", "config:\n  a: 5\n"),
    ("config.a", "# mine", "# mine\nconfig:\n  a: 5\n"),
    ("config.a", "~\n", "config:\n  a: 5\n"),
    ("config.j[0].a", "base: x\n", "base: x\nconfig:\n  j:\n    - a: 5\n"),
    ("config.j[0].a", "config:\n  j:\n  - b: 1\n    c: 2\n", "config:\n  j:\n  - b: 1\n    c: 2\n    a: 5\n"),
    ("config.j[1].a", "config:\n  j:\n  - b: 1\n", "config:\n  j:\n  - b: 1\n  - a: 5\n"),
    ("config.j[2].a", "config:\n  j:\n  - b: 1\n", "config:\n  j:\n  - b: 1\n  - {}\n  - a: 5\n"),
    ("config.j[0].a", "config:\n  j:\n  -\n  k: 1\n", "config:\n  j:\n  - a: 5\n  k: 1\n"),
    ("config.j[0].a", "config:\n  j: []\n", "config:\n  j:\n    - a: 5\n"),
    ("config.j[1].a", "config:\n  j: [{b: 1}]\n", "config:\n  j: [{b: 1}, {a: 5}]\n"),
    ("config.a.b", "config:\n    x:\n        y: 1\n", "config:\n    x:\n        y: 1\n    a:\n        b: 5\n"),
    ("config.j[0].a", "config:\n  k:\n  - x\n", "config:\n  k:\n  - x\n  j:\n  - a: 5\n"),
    ("config.a", "config:\n  b: |\n    text\n\nbase: x\n", "config:\n  b: |\n    text\n  a: 5\n\nbase: x\n"),
    ("config.a", "config:\n  b: |\n    text", "config:\n  a: 5\n  b: |\n    text"),
    ("config.a", "config:\n  b: |+\n    text\n\nbase: x\n", "config:\n  b: |+\n    text\n\n  a: 5\nbase: x\n"),
    ("config.a", "config:\n  b: one\n    two\n", "config:\n  b: one\n    two\n  a: 5\n"),
    ("config.a", "x-b: &b {}\nconfig:\n  <<: *b\n", "x-b: &b {}\nconfig:\n  a: 5\n  <<: *b\n"),
    ("config.a", "config:\n  a: old # why\n", "config:\n  a: 5 # why\n"),
    ("config.a", "config:\n  a:\n  b: 1\n", "config:\n  a: 5\n  b: 1\n"),
    ("config.a", "config:\n  a: |+\n    old\n\n  b: 1\n", "config:\n  a: 5\n  b: 1\n"),
    ("config.a", "config:\n  b: 1\n  half\n  c: 1\n", "config:\n  b: 1\n  half\n  c: 1\n  a: 5\n"),
]


@pytest.mark.parametrize(("path", "before", "after"), SHAPES)
def test_a_value_in_the_style_of_its_neighbours(path: str, before: str, after: str) -> None:
    assert inserted(before, path, 5) == after


@pytest.mark.parametrize(
    ("path", "text"),
    [
        ("config.a", "config: text\n"),
        ("config.a", "config:\n  - b\n"),
        ("config[0]", "config:\n  b: 1\n"),
        ("config.a", "config:\n  a: {b: 1}\n"),
        ("config.a.c", "x-a: &a {b: 1}\nconfig:\n  a: *a\n"),
        ("config.a.c", "config:\n  a: &a {b: 1}\n  d: *a\n"),
        ("config.a", "config:\n  a: &a 1\n  d: *a\n"),
        ("config.a.c", "x-a: &a {a: {b: 1}}\nconfig:\n  <<: *a\n"),
        ("config.a", "config: !!map\n  b: 1\n"),
        ("config.a", "config:\n  ? b\n  : 1\n"),
        ("config.a", "config:\n  b: 1\n  half\n"),
        ("config.a", "# end\n...\n"),
        ("config.j[1]", "config:\n  j:\n    - |\n      text"),
        ("config.a", "config:\n  <<: {b: 1}\n"),
        ("config[0].c", "config: [a: b]\n"),
    ],
)
def test_what_cannot_be_had_is_refused(path: str, text: str) -> None:
    assert inserted(text, path, 5) is None


def test_several_values_share_the_parents_they_need() -> None:
    text = "config:\n  b: {x: 1}\n"
    edits = insertions(
        document(text),
        {
            ("config", "a", "w"): 1,
            ("config", "b", "w"): 2,
            ("config", "a", "z"): 3,
            ("config", "j", 0, "k"): 4,
            ("config", "b", "x"): 5,
        },
    )
    assert edits is not None
    assert applied(text, edits) == "config:\n  b: {x: 5, w: 2}\n  a:\n    w: 1\n    z: 3\n  j:\n    - k: 4\n"


def test_a_snippet_keeps_its_spelling() -> None:
    snippet = Snippet(("b:  # why", "  c: on"), "{c: on}")
    assert inserted("config:\n  a: 1\n", "config.b", snippet) == "config:\n  a: 1\n  b:  # why\n    c: on\n"
    assert inserted("config: {a: 1}\n", "config.b", snippet) == "config: {a: 1, b: {c: on}}\n"


def places(node: Node, path: KeyPath = ()) -> Iterator[tuple[KeyPath, Node]]:
    """Where something can be added: every container, and what is null."""
    if not isinstance(node, Scalar):
        yield path, node
        for step, below in children(node):
            yield from places(below, (*path, step))
    elif node.value is None and node.plain:
        yield path, node


def changed(value: Json, path: KeyPath, new: Json) -> Json:
    """A value with another one at a key path, as the contract of `insertions` says it."""
    if not path:
        return new
    step, *rest = path
    if isinstance(step, int):
        items = list(value) if isinstance(value, list) else []
        items += [{}] * (step + 1 - len(items))
        items[step] = changed(items[step], tuple(rest), new)
        return items
    below = dict(value) if isinstance(value, dict) else {}
    return {**below, step: changed(below.get(step), tuple(rest), new)}


def check(text: str, path: KeyPath, value: Json) -> bool:
    """Whether a value could be written; where it was, nothing else may have changed."""
    before = document(text)
    edit = insertion(before, path, value)
    if edit is None:
        return False
    after = document(applied(text, (edit,)))
    assert not after.problems, (text, edit)
    assert after.root is not None
    assert after.root.value == changed(before.root.value if before.root else None, path, value), (text, edit)
    return True


@settings(max_examples=150, deadline=None)
@given(drawn_yaml(), st.data())
def test_nothing_else_changes(text: str, data: st.DataObject) -> None:
    before = document(text)
    assert not before.problems, text
    if before.root is None:
        return
    path, node = data.draw(st.sampled_from(list(places(before.root))))
    steps: list[KeyPath] = [("new",), ("new", "below"), ("new", 1, "below")]
    if not isinstance(node.value, dict):
        more = len(node.value) if isinstance(node.value, list) else 0
        steps = [(more,), (more, "below"), (more + 1, "below")] if node.value else [*steps, (0, "below")]
    check(text, path + data.draw(st.sampled_from(steps)), data.draw(st.sampled_from(VALUES)))


@settings(max_examples=60, deadline=None)
@given(drawn_yaml(), st.data())
def test_a_scalar_is_replaced_and_nothing_else(text: str, data: st.DataObject) -> None:
    before = document(text)
    paths = [path for path, value in _walk(before.root) if not isinstance(value, dict | list) or not value]
    if paths:
        check(text, data.draw(st.sampled_from(paths)), data.draw(st.sampled_from(VALUES)))


def _walk(node: Node | None, path: KeyPath = ()) -> Iterator[tuple[KeyPath, Json]]:
    if node is not None:
        yield path, node.value
        for step, below in children(node):
            yield from _walk(below, (*path, step))


def test_in_real_files_there_is_room_for_almost_everything() -> None:
    folder = corpus_folder()
    if folder is None:
        pytest.skip("real files are in the corpus, which is not here (AJ_CORPUS)")
    chosen = random.Random(7)
    paths = sorted(each for each in folder.rglob("*.yaml") if each.stat().st_size < 4_000)
    tried = written = 0
    for path in chosen.sample(paths, min(len(paths), 150)):
        text = path.read_text("utf-8")
        before = document(text)
        if before.root is None or before.problems:
            continue
        where, node = chosen.choice(list(places(before.root)))
        step = len(node.value) if isinstance(node.value, list) else "a new key"
        tried += 1
        written += check(text, (*where, step), chosen.choice(VALUES))
    assert tried > 100
    assert written >= 0.95 * tried


def test_the_value_is_where_it_was_put() -> None:
    text = inserted("config:\n  jobs:\n    - sku: G1\n", "config.jobs[0].submit_args.env.A", "on")
    assert text is not None
    root = document(text).root
    assert root is not None
    assert at(root.value, parse_keypath("config.jobs[0].submit_args.env")) == {"A": "on"}
