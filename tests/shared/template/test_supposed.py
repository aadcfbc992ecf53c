"""What a template would come to if files said something else is what it comes to when they do."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ajkit.engine import Engine
from ajkit.shared.files import MemoryFiles
from ajkit.shared.template.parse import parse
from ajkit.shared.template.removal import removal_at
from ajkit.shared.template.supposed import supposed, with_value, without_value
from ajkit.shared.template.tree import Mapping
from ajkit.shared.where import Text, parse_keypath
from tests.drawing import draw
from tests.shared.template.yaml_drawn import drawn_yaml

if TYPE_CHECKING:
    from ajkit.shared.where import Json, KeyPath

CHAIN = """
--- .aj/template/leaf.yaml
base: [left, right]
config: {a: {x: leaf}, l: [leaf]}
--- .aj/template/left.yaml
base: root
config: {a: {x: left, y: left}}
--- .aj/template/right.yaml
base: root
--- .aj/template/root.yaml
config: {a: {x: root, z: root}, l: [root], j: [{k: root}]}
--- .aj/template/over.yaml
config: {a: {z: over}}
--- .aj/aj.toml
with = ["over"]
"""


@pytest.mark.parametrize(
    ("name", "text"),
    [
        ("root", "config: {a: {z: new}, j: [{k: new}, {m: 1}], l: [r, s]}\n"),
        ("right", "base: root\nconfig: {a: {x: right, w: right}, l: null}\n"),
        ("left", "base: root\nconfig: {}\n"),
        ("leaf", "base: [left, right]\nconfig: {a: {z: leaf}, target: {service: local}, jobs: [{}]}\n"),
        ("over", "config: {a: {x: over}}\n"),
    ],
)
def test_a_file_that_says_something_else(name: str, text: str) -> None:
    files = draw(CHAIN).files
    path, changed = "/w/.aj/template/leaf.yaml", f"/w/.aj/template/{name}.yaml"
    before = Engine(files=MemoryFiles(dict(files)), folder="/w").resolve(path)
    after = Engine(files=MemoryFiles({**files, changed: text}), folder="/w").resolve(path)
    root = parse(Text(changed, text)).root
    assert isinstance(root, Mapping)
    own = root.value["config"]
    assert isinstance(own, dict)
    assert supposed(before.merged, {changed: own}) == after.config
    assert supposed(before.merged, {}) == before.config


@pytest.mark.parametrize(
    ("path", "before", "after"),
    [
        ("a", {}, {"a": 5}),
        ("a.b", {"a": {"c": 1}}, {"a": {"c": 1, "b": 5}}),
        ("a.b", {"a": None}, {"a": {"b": 5}}),
        ("j[1].b", {"j": [{"c": 1}]}, {"j": [{"c": 1}, {"b": 5}]}),
        ("j[1].b", {}, {"j": [{}, {"b": 5}]}),
    ],
)
def test_with_a_value(path: str, before: dict[str, Json], after: dict[str, Json]) -> None:
    assert with_value(before, parse_keypath(path), 5) == after


def key_paths(value: Json, path: KeyPath = ()) -> list[KeyPath]:
    if isinstance(value, dict):
        return [each for key, below in value.items() for each in ((*path, key), *key_paths(below, (*path, key)))]
    if isinstance(value, list):
        return [each for index, below in enumerate(value) for each in key_paths(below, (*path, index))]
    return []


@settings(max_examples=100, deadline=None)
@given(drawn_yaml(), st.data())
def test_without_a_value_is_what_its_removal_leaves(text: str, data: st.DataObject) -> None:
    text = "config:\n" + "".join(f"  {line}\n" if line else "\n" for line in text.split("\n") if line != "---")
    document = parse(Text("/x.yaml", text))
    config = document.root.value.get("config") if isinstance(document.root, Mapping) else None
    paths = key_paths(config)
    if not isinstance(config, dict) or document.problems or not paths:
        return
    path = data.draw(st.sampled_from(paths))
    edit = removal_at(document, ("config", *path))
    assert edit is not None
    after = parse(Text("/x.yaml", text[: edit.span.start] + edit.new_text + text[edit.span.end :])).root
    assert isinstance(after, Mapping)
    assert (after.value["config"] or {}) == without_value(config, path)
