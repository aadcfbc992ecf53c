"""The YAML that people are shown: for their eyes, and for any reader the values that were written."""

from __future__ import annotations

from typing import TYPE_CHECKING

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from ajkit.shared.template.parse import parse
from ajkit.shared.template.tree import node_at
from ajkit.shared.template.yamltext import yaml_lines, yaml_text
from ajkit.shared.where import Text, walk

if TYPE_CHECKING:
    from ajkit.shared.where import Json

values = st.recursive(
    st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | st.text(),
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=5), inner, max_size=3),
    max_leaves=8,
)
mappings = st.dictionaries(st.text(max_size=5), values, max_size=4)


@settings(max_examples=300)
@given(mappings)
def test_it_is_read_back_as_it_was(value: dict[str, Json]) -> None:
    text = yaml_text(value)
    assert yaml.safe_load(text) == value
    written = [path for _, path in yaml_lines(value)]
    assert len({*written}) == len(written)
    assert {path for path, below in walk(value) if not below and path} <= {*written}


@settings(max_examples=100)
@given(mappings)
def test_every_key_path_is_found_in_it_again(value: dict[str, Json]) -> None:
    root = parse(Text("/t.yaml", yaml_text(value))).root
    assert root is not None
    for path, below in walk(value):
        found = node_at(root, path)
        assert found is not None
        assert found[0].value == below


def test_it_is_for_people() -> None:
    shared: Json = {"a": 1}
    text = yaml_text({"z": "line one\nline two\n", "b": [shared, shared], "on": "on", "d": "2024-01-01", "u": "é"})
    assert text == 'z: |\n  line one\n  line two\nb:\n  - a: 1\n  - a: 1\n"on": "on"\nd: "2024-01-01"\nu: é\n'


def test_nothing_is_an_empty_mapping() -> None:
    assert yaml_text({}) == "{}\n"
