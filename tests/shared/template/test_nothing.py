"""The empty defaults of models: the same one for all of them, which nobody can fill, and plain when written down."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

import pytest
from pydantic import BaseModel

from ajkit.shared.template.model import typed
from ajkit.shared.template.nothing import NO_ENTRIES, NO_ITEMS

if TYPE_CHECKING:
    from collections.abc import Callable


class Box(BaseModel):
    labels: dict[str, int] = NO_ENTRIES
    lines: list[str] = NO_ITEMS


def test_models_share_them() -> None:
    assert Box().labels is Box().labels is NO_ENTRIES
    assert typed({}).job.command is typed({}).environment.setup is NO_ITEMS


@pytest.mark.parametrize(
    "fill",
    [
        lambda: NO_ENTRIES.__setitem__("a", 1),
        lambda: NO_ENTRIES.update(a=1),
        lambda: NO_ENTRIES.setdefault("a", 1),
        lambda: NO_ENTRIES.__ior__({"a": 1}),
        lambda: NO_ITEMS.append("a"),
        lambda: NO_ITEMS.extend("a"),
        lambda: NO_ITEMS.insert(0, "a"),
        lambda: NO_ITEMS.__iadd__(["a"]),
        lambda: NO_ITEMS.__setitem__(slice(0, 0), ["a"]),
    ],
)
def test_nobody_fills_them(fill: Callable[[], Any]) -> None:
    with pytest.raises(TypeError, match="make a new collection"):
        fill()
    assert (NO_ENTRIES, NO_ITEMS) == ({}, [])


def test_they_are_plain_when_written_down_or_copied() -> None:
    dumped = Box().model_dump()
    assert (type(dumped["labels"]), type(dumped["lines"])) == (dict, list)
    assert Box().model_dump_json() == '{"labels":{},"lines":[]}'
    properties = Box.model_json_schema()["properties"]
    assert (properties["labels"]["default"], properties["lines"]["default"]) == ({}, [])
    assert copy.deepcopy(Box()) == Box()
