"""Overlays: `--with`, `--set` and `--env` laid over a leaf."""

from __future__ import annotations

from typing import Any

import pytest

from ajkit.shared.template.overlay import Overlays
from ajkit.shared.template.resolve import Resolved, resolve
from tests.drawing import ROOT, draw

WORKSPACE = """
--- .aj/template/leaf.yaml
base: low
config:
  target: {name: leaf}
  setup: [leaf]
--- .aj/template/low.yaml
config: {setup: [low], jobs: [{sku: G1, submit_args: {env: {A: 1}}}, {name: two}]}
--- .aj/template/over.yaml
config: {target: {name: over}, setup: [over]}
--- .aj/sub/other.yaml
config: {target: {name: other}}
"""


def _resolved(**overlays: tuple[str, ...]) -> Resolved:
    drawing = draw(WORKSPACE)
    return resolve(drawing.memory(), drawing.first, f"{ROOT}/.aj", overlays=Overlays(**overlays))


JOBS: list[Any] = [{"sku": "G1", "submit_args": {"env": {"A": 1}}}, {"name": "two"}]


@pytest.mark.parametrize(
    ("overlays", "key", "expected"),
    [
        ({"bases": ("over",)}, "target", {"name": "over"}),
        ({"bases": ("over",)}, "setup", ["low", "leaf", "over"]),
        ({"bases": ("over", "sub.other")}, "target", {"name": "other"}),
        ({"bases": ("over",), "sets": ("target.name=flag",)}, "target", {"name": "flag"}),
        ({"sets": ("target.name=a", "target.queue=q")}, "target", {"name": "a", "queue": "q"}),
        ({"sets": ("target.name=a", "target.name=b")}, "target", {"name": "b"}),
        ({"sets": ("setup=[x]",)}, "setup", ["low", "leaf", "x"]),
        ({"sets": ("setup=null",)}, "setup", None),
        ({"sets": ("new.key=1.5",)}, "new", {"key": 1.5}),
        ({"sets": ("new=",)}, "new", None),
        ({"sets": ("new='no'",)}, "new", "no"),
        ({"sets": ("new={a: [1, {b: 2}]}",)}, "new", {"a": [1, {"b": 2}]}),
        ({"sets": ('labels["a.b/c"]=v',)}, "labels", {"a.b/c": "v"}),
        ({"sets": ('labels."a=b"=c=d',)}, "labels", {"a=b": "c=d"}),
        ({"sets": ("jobs[0].sku=G8",)}, "jobs", [{"sku": "G8", "submit_args": {"env": {"A": 1}}}, {"name": "two"}]),
        ({"sets": ("jobs[1]={name: new}",)}, "jobs", [JOBS[0], {"name": "new"}]),
        ({"sets": ("jobs[2].name=three",)}, "jobs", [*JOBS, {"name": "three"}]),
        ({"sets": ("setup[0]=first",)}, "setup", ["first", "leaf"]),
        ({"env": ("B=on", "A=x=y")}, "jobs", [{"sku": "G1", "submit_args": {"env": {"A": "x=y", "B": "on"}}}, JOBS[1]]),
    ],
)
def test_what_comes_out(overlays: dict[str, tuple[str, ...]], key: str, expected: object) -> None:
    found = _resolved(**overlays)
    assert [each.message for each in found.problems if each.is_error] == []
    assert found.config[key] == expected


@pytest.mark.parametrize(
    ("overlays", "code", "message"),
    [
        ({"sets": ("target",)}, "overlay.keypath", "write --set KEYPATH=VALUE"),
        ({"sets": ("=1",)}, "overlay.keypath", "write --set KEYPATH=VALUE"),
        ({"sets": ("a..b=1",)}, "overlay.keypath", "not a key path"),
        ({"sets": ("a=[1",)}, "overlay.keypath", "the value is not YAML"),
        ({"sets": ("jobs[9].sku=G1",)}, "overlay.keypath", "the list has only 2 items"),
        ({"sets": ("target[0]=1",)}, "overlay.keypath", "there is no list"),
        ({"sets": (".".join("a" * 101) + "=1",)}, "overlay.keypath", "this key path has 101 steps"),
        ({"sets": ("a" + "[0]" * 5_000 + "=1",)}, "overlay.keypath", "this key path has 5,001 steps"),
        ({"sets": (f"a[{'9' * 5_000}]=1",)}, "overlay.keypath", "not a key path"),
        ({"sets": ("setup[0].x=1",)}, "overlay.keypath", "there is no mapping to set `x` in"),
        ({"env": ("NOVALUE",)}, "overlay.keypath", "write --env NAME=VALUE"),
        ({"bases": ("a/b",)}, "base.name", "not a path"),
        ({"bases": ("ovr",)}, "base.missing", "did you mean `over`?"),
        ({"bases": ("leaf",)}, "base.cycle", "its own base"),
    ],
)
def test_what_is_refused(overlays: dict[str, tuple[str, ...]], code: str, message: str) -> None:
    found = _resolved(**overlays)
    problem = next(each for each in found.problems if each.is_error)
    assert problem.code == code
    assert message in problem.message
    assert problem.span
    assert problem.span.path == "command line"


def test_the_chain_names_the_overlay() -> None:
    assert [each.path.rsplit("/", 1)[1] for each in _resolved(bases=("over",)).chain] == [
        "leaf.yaml",
        "low.yaml",
        "over.yaml",
    ]


def test_a_memo_is_not_spoilt_by_overlays() -> None:
    drawing = draw(WORKSPACE)
    files = drawing.memory()
    from ajkit.shared.template.chain import Memo

    memo = Memo()
    resolve(files, drawing.first, f"{ROOT}/.aj", overlays=Overlays(bases=("over",)), memo=memo)
    assert resolve(files, drawing.first, f"{ROOT}/.aj", memo=memo).config["target"] == {"name": "leaf"}


DIAMOND = """
--- .aj/template/leaf.yaml
base: low
config: {setup: [leaf], name: leaf}
--- .aj/template/low.yaml
config: {setup: [low], name: low}
--- .aj/template/over.yaml
base: low
config: {queue: over}
--- .aj/template/other.yaml
config: {setup: [other]}
"""


@pytest.mark.parametrize(
    ("overlays", "effects"),
    [
        (Overlays(bases=("over",)), ["undoes `name` and doubles the items of `setup`"]),
        (Overlays(bases=("low",)), ["undoes `name` and doubles the items of `setup`"]),
        (Overlays(bases=("over",), sets=("name=flag",)), ["doubles the items of `setup`"]),
        (Overlays(bases=("over",), sets=("name=flag", "setup=null")), []),
        (Overlays(bases=("over",), sets=("setup=[more]",)), ["undoes `name` and doubles the items of `setup`"]),
        (Overlays(bases=("other",)), []),
        (Overlays(bases=("other", "other")), ["doubles the items of `setup`"]),
        (Overlays(sets=("name=low",)), []),
    ],
)
def test_a_diamond_through_an_overlay(overlays: Overlays, effects: list[str]) -> None:
    drawing = draw(DIAMOND)
    found = resolve(drawing.memory(), drawing.first, f"{ROOT}/.aj", overlays=overlays)
    diamonds = [each for each in found.problems if each.code == "merge.diamond"]
    assert [each.message.partition(": that ")[2] for each in diamonds] == effects
    assert all(each.span and each.span.path == "command line" for each in diamonds)
