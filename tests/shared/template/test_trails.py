"""Trails: who set a value, what it overrode, by which rule, along which road."""

from __future__ import annotations

import pytest

from ajkit.shared.files import MemoryFiles
from ajkit.shared.template.overlay import Overlays
from ajkit.shared.template.resolve import Resolved, resolve
from ajkit.shared.where import Origin, Rule, parse_keypath
from tests.drawing import ROOT, draw


def _resolved(text: str, overlays: Overlays | None = None) -> Resolved:
    drawing = draw(text)
    return resolve(drawing.memory(), drawing.first, f"{ROOT}/.aj", overlays=overlays)


def _said(origin: Origin) -> str:
    place = str(origin).rsplit("/", 1)[-1]
    road = " > ".join(origin.road)
    return (
        f"{origin.value!r} {place}"
        + (f" via {road}" if road else "")
        + (f" ×{origin.roads}" if origin.roads > 1 else "")
    )


def _story(found: Resolved, path: str) -> list[str]:
    trail = found.trail(parse_keypath(path))
    assert trail
    story = [trail.rule.value, _said(trail.winner), *(f"over {_said(each)}" for each in trail.overrode)]
    if trail.rule in (Rule.UNION, Rule.CONCAT, Rule.POSITION):
        story += [f"from {_said(each)}" for each in trail.contributors]
    return story


CHAIN = """
--- .aj/template/leaf.yaml
base: common
config:
  target:
    name: mine
--- .aj/template/common.yaml
base: root
config:
  target:
    name: theirs
--- .aj/template/root.yaml
config:
  target:
    name: oldest
    service: aml
"""


def test_the_winner_and_what_it_overrode_nearest_first() -> None:
    assert _story(_resolved(CHAIN), "target.name") == [
        "last value wins",
        "'mine' leaf.yaml:4",
        "over 'theirs' common.yaml:4 via common",
        "over 'oldest' root.yaml:3 via common > root",
    ]


def test_an_inherited_value_keeps_its_own_history() -> None:
    found = _resolved(CHAIN.replace("    name: mine\n", "    queue: q\n"))
    assert _story(found, "target.name") == [
        "last value wins",
        "'theirs' common.yaml:4 via common",
        "over 'oldest' root.yaml:3 via common > root",
    ]
    assert _story(found, "target.service") == ["only value", "'aml' root.yaml:4 via common > root"]


def test_a_merged_mapping_names_all_its_parts() -> None:
    assert _story(_resolved(CHAIN), "target") == [
        "mappings merged key by key",
        "{'name': 'mine'} leaf.yaml:4",
        "from {'name': 'oldest', 'service': 'aml'} root.yaml:3 via common > root",
        "from {'name': 'theirs'} common.yaml:4 via common",
        "from {'name': 'mine'} leaf.yaml:4",
    ]


LISTS = """
--- .aj/template/leaf.yaml
base: [one, two]
config:
  setup: [c]
  jobs:
  - sku: G1
--- .aj/template/one.yaml
config:
  setup: [a]
  jobs: [{sku: G2, name: n}, {name: second}]
--- .aj/template/two.yaml
config:
  setup: [b]
"""


def test_items_of_concatenated_lists_have_their_own_origin() -> None:
    found = _resolved(LISTS)
    assert found.config["setup"] == ["a", "b", "c"]
    assert [_story(found, f"setup[{index}]") for index in range(3)] == [
        ["only value", "'a' one.yaml:2 via one"],
        ["only value", "'b' two.yaml:2 via two"],
        ["only value", "'c' leaf.yaml:3"],
    ]
    assert _story(found, "setup")[0] == "lists concatenated"


def test_items_merged_by_position() -> None:
    found = _resolved(LISTS)
    assert _story(found, "jobs[0].sku") == ["last value wins", "'G1' leaf.yaml:5", "over 'G2' one.yaml:3 via one"]
    assert _story(found, "jobs[1].name") == ["only value", "'second' one.yaml:3 via one"]
    assert _story(found, "jobs")[0] == "lists merged by position"


def test_what_a_whole_replacement_took_away_is_overridden_too() -> None:
    found = _resolved(
        """
--- .aj/template/leaf.yaml
base: [one, two]
config: {v: {k: 3}}
--- .aj/template/one.yaml
config: {v: {k: 1}}
--- .aj/template/two.yaml
config: {v: word}
"""
    )
    assert _story(found, "v.k") == ["last value wins", "3 leaf.yaml:2", "over 1 one.yaml:1 via one"]
    assert _story(found, "v") == [
        "last value wins",
        "{'k': 3} leaf.yaml:2",
        "over 'word' two.yaml:1 via two",
        "over {'k': 1} one.yaml:1 via one",
    ]


def test_one_written_value_by_several_roads_is_one_entry() -> None:
    found = _resolved(
        """
--- .aj/template/leaf.yaml
base: [left, right]
config: {v: 2}
--- .aj/template/left.yaml
base: root
--- .aj/template/right.yaml
base: mid
--- .aj/template/mid.yaml
base: root
--- .aj/template/root.yaml
config: {v: 1, w: 1}
"""
    )
    assert _story(found, "v") == ["last value wins", "2 leaf.yaml:2", "over 1 root.yaml:1 via left > root ×2"]
    assert _story(found, "w")[1] == "1 root.yaml:1 via left > root ×2"


def test_a_ladder_of_diamonds_counts_its_roads_without_walking_them() -> None:
    files = {"/p/.aj/template/n24.yaml": "config: {v: 1}\n"}
    for level in range(24):
        for side in ("a", "b"):
            files[f"/p/.aj/template/{side}{level}.yaml"] = f"base: n{level + 1}\n"
        files[f"/p/.aj/template/n{level}.yaml"] = f"base: [a{level}, b{level}]\n"
    trail = resolve(MemoryFiles(dict(files)), "/p/.aj/template/n0.yaml", "/p/.aj").trail(("v",))
    assert trail
    assert trail.winner.roads == 2**24
    assert len(trail.winner.road) == 48


def test_the_key_and_the_text_as_written() -> None:
    found = _resolved("--- .aj/template/leaf.yaml\nconfig: {v: 1.10, w: 'x y', u: on}\n")
    assert [found.written((key,)) for key in "vwu"] == ["1.10", "x y", "on"]
    trail = found.trail(("w",))
    assert trail
    assert trail.winner.span
    assert trail.winner.key
    assert (trail.winner.key.written, trail.winner.span.written) == ("w", "'x y'")


def test_there_is_no_trail_of_what_is_not_there() -> None:
    found = _resolved(CHAIN)
    assert found.trail(("target", "nothing")) is None
    assert found.trail(("target", "name", 0)) is None
    assert found.trail((0,)) is None


@pytest.mark.parametrize(
    ("overlays", "path", "story"),
    [
        (
            Overlays(sets=("target.name=flag",)),
            "target.name",
            ["'flag' --set target.name=flag", "over 'mine' leaf.yaml:4"],
        ),
        (Overlays(bases=("over",)), "target.name", ["'overlay' over.yaml:1 via over", "over 'mine' leaf.yaml:4"]),
        (
            Overlays(bases=("over",), sets=("target.name=flag",)),
            "target.name",
            ["'flag' --set target.name=flag", "over 'overlay' over.yaml:1 via over"],
        ),
    ],
)
def test_overlays_win_and_say_so(overlays: Overlays, path: str, story: list[str]) -> None:
    found = _resolved(CHAIN + "--- .aj/template/over.yaml\nconfig: {target: {name: overlay}}\n", overlays)
    assert _story(found, path)[1:3] == story


def test_an_index_replaces_the_item_and_remembers_what_stood_there() -> None:
    found = _resolved(LISTS, Overlays(sets=("jobs[0].sku=G8", "setup[1]=B")))
    assert _story(found, "jobs[0].sku") == [
        "set by index on the command line",
        "'G8' --set jobs[0].sku=G8",
        "over 'G1' leaf.yaml:5",
        "over 'G2' one.yaml:3 via one",
    ]
    assert _story(found, "setup[1]")[1:] == ["'B' --set setup[1]=B", "over 'b' two.yaml:2 via two"]
    assert found.config["setup"] == ["a", "B", "c"]
