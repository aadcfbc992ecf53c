"""What a cluster dropped of an object."""

from __future__ import annotations

from typing import Any

import pytest

from ajkit.backends.volcano.pruning import pruned


@pytest.mark.parametrize(
    ("sent", "got", "gone"),
    [
        ({"a": {"b": 1}}, {"a": {"b": 2, "c": 3}, "d": 4}, []),
        ({"a": {"b": 1, "x.y/z": 2}}, {"a": {"b": 1}}, ['a["x.y/z"]']),
        ({"a": [{"b": 1}, {"c": 1}]}, {"a": [{"b": 1}, {}]}, ["a[1].c"]),
        ({"a": [1, 2]}, {"a": [1]}, ["a[1]"]),
        ({"a": {"b": 1}}, {"a": "text"}, ["a.b"]),
        ({"env": [{"name": "A", "value": ""}], "b": {}, "c": [], "d": None, "e": False}, {"env": [{"name": "A"}]}, []),
    ],
)
def test_pruned(sent: Any, got: Any, gone: list[str]) -> None:
    assert pruned(sent, got) == gone
