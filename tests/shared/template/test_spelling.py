"""Values spelt on one line are read back as they were, by PyYAML and by us, inside brackets as well."""

from __future__ import annotations

from typing import TYPE_CHECKING

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from ajkit.shared.template.parse import parse
from ajkit.shared.template.spelling import flow, flow_key, scalar
from ajkit.shared.where import Text

if TYPE_CHECKING:
    from ajkit.shared.where import Json

texts = st.text() | st.text(alphabet="ab :#,[]{}?-'\"\\\n\t&*!|>%@`~=<", max_size=6)
scalars = st.none() | st.booleans() | st.integers() | st.floats(allow_nan=False, allow_infinity=False) | texts
values = st.recursive(scalars, lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3))


@settings(max_examples=300, deadline=None)
@given(values, texts)
def test_inside_brackets(value: Json, key: str) -> None:
    text = "a: {" + f"{flow_key(key)} {flow(value)}, b: [{flow(value)}, x]" + "}\n"
    wanted = {"a": {key: value, "b": [value, "x"]} if key != "b" else {"b": [value, "x"]}}
    assert yaml.safe_load(text) == wanted
    document = parse(Text("/t.yaml", text))
    assert document.root is not None
    assert document.root.value == wanted


@settings(max_examples=200, deadline=None)
@given(scalars)
def test_behind_a_key(value: bool | float | str | None) -> None:
    assert yaml.safe_load(f"a: {scalar(value)}  # note\n") == {"a": value}
