"""The engine against an independent reading of the contract, and every trail against the file it points into."""

from __future__ import annotations

import copy
import itertools
import json
from typing import Any

import yaml
from hypothesis import given, settings
from hypothesis import strategies as st

from ajkit.shared.files import MemoryFiles
from ajkit.shared.template.resolve import resolve
from ajkit.shared.where import walk

HOME = "/p/.aj"

SCALARS = st.none() | st.booleans() | st.integers(-3, 3) | st.sampled_from(["x", "y", "no", "1.10", "a b", ""])
KEYS = st.sampled_from(["a", "b", "c"])
VALUES = st.recursive(
    SCALARS,
    lambda below: st.lists(below, max_size=3) | st.dictionaries(KEYS, below, max_size=3),
    max_leaves=8,
)
CONFIGS = st.dictionaries(KEYS, VALUES, max_size=3)


@st.composite
def workspaces(draw: st.DrawFn) -> list[tuple[list[int], dict[str, Any]]]:
    """Files as (numbers of their bases, config); bases have higher numbers, so that there are no cycles."""
    count = draw(st.integers(1, 6))
    files = []
    for number in range(count):
        above = list(range(number + 1, count))
        bases = draw(st.lists(st.sampled_from(above), max_size=3)) if above else []
        files.append((bases, draw(CONFIGS)))
    if draw(st.booleans()):
        marks = itertools.count()
        files = [(bases, _marked(config, marks)) for bases, config in files]
    return files


def _marked(value: Any, marks: itertools.count[int]) -> Any:
    """The same value with every scalar made unlike all others, so that an origin can be told by its value."""
    if isinstance(value, dict):
        return {key: _marked(below, marks) for key, below in value.items()}
    if isinstance(value, list):
        return [_marked(below, marks) for below in value]
    return f"s{next(marks)}"


def reading(files: list[tuple[list[int], dict[str, Any]]], number: int) -> Any:
    """What contract section 2 says a file is."""
    bases, config = files[number]
    return together([*(reading(files, base) for base in bases), config])


def together(values: list[Any]) -> Any:
    """What the table of contract section 3 says of the values at one key."""
    if all(isinstance(value, dict) for value in values):
        keys = list(dict.fromkeys(key for value in values for key in value))
        return {key: together([value[key] for value in values if key in value]) for key in keys}
    if all(isinstance(value, list) for value in values):
        if any(isinstance(item, dict) for value in values for item in value):
            places = range(max(len(value) for value in values))
            return [together([value[place] for value in values if place < len(value)]) for place in places]
        return [item for value in values for item in value]
    return copy.deepcopy(values[-1])


def written(files: list[tuple[list[int], dict[str, Any]]]) -> MemoryFiles:
    """The workspace as files; flow style, so that the text at any span can be read again by itself."""
    texts: dict[str, str | bytes] = {}
    for number, (bases, config) in enumerate(files):
        names = json.dumps([f"n{base}" for base in bases])
        texts[f"{HOME}/template/n{number}.yaml"] = f"base: {names}\nconfig: {json.dumps(config)}\n"
    return MemoryFiles(texts)


@settings(max_examples=200, deadline=None)
@given(workspaces())
def test_the_engine_reads_the_contract_as_we_do(files: list[tuple[list[int], dict[str, Any]]]) -> None:
    found = resolve(written(files), f"{HOME}/template/n0.yaml", HOME)
    assert not any(each.is_error for each in found.problems)
    assert json.dumps(found.config) == json.dumps(reading(files, 0))


@settings(max_examples=100, deadline=None)
@given(workspaces())
def test_every_trail_leads_to_the_value_it_claims(files: list[tuple[list[int], dict[str, Any]]]) -> None:
    found = resolve(written(files), f"{HOME}/template/n0.yaml", HOME)
    for path, value in walk(found.config):
        if not path:
            continue
        trail = found.trail(path)
        assert trail is not None
        assert trail.value == value
        assert found.span(path) == trail.winner.span
        assert found.written(path) == trail.winner.written
        for origin in (trail.winner, *trail.overrode, *trail.contributors):
            assert origin.span
            assert yaml.safe_load(origin.span.written) == origin.value
            if origin.key and isinstance(path[-1], str):
                assert yaml.safe_load(origin.key.written) == path[-1]
        if not isinstance(value, dict | list):
            assert (type(trail.winner.value), trail.winner.value) == (type(value), value)
