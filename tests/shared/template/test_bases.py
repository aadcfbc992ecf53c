"""Bases: where names lead, and every way in which they can go wrong, drawn on the place where it is reported."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from ajkit.shared.files import MemoryFiles
from ajkit.shared.template.chain import CHAIN_LIMIT, Memo
from ajkit.shared.template.resolve import resolve
from tests.drawing import ROOT, draw, seen

if TYPE_CHECKING:
    from random import Random

    from ajkit.shared.problem import Problem

DRAWINGS = {
    "a missing base": """
--- .aj/template/leaf.yaml
base: lo
#     ^^ base.missing
config: {}
""",
    "a missing base further down is reported where it stands": """
--- .aj/template/leaf.yaml
base: mid
#     ^^^ base.broken
config: {}
--- .aj/template/mid.yaml
base: [low, nowhere]
#           ^^^^^^^ base.missing
--- .aj/template/low.yaml
config: {a: 1}
""",
    "every level above a broken base says so": """
--- .aj/template/leaf.yaml
base: mid
#     ^^^ base.broken
--- .aj/template/mid.yaml
base: low
#     ^^^ base.broken
--- .aj/template/low.yaml
- a list
#@ 0-8 template.shape
""",
    "an error in the text of a base": """
--- .aj/template/leaf.yaml
base: low
#     ^^^ base.broken
--- .aj/template/low.yaml
config:
  a: 1
  a: 2
# ^ yaml.duplicate-key
""",
    "a file that is its own base": """
--- .aj/template/leaf.yaml
base: leaf
#     ^^^^ base.cycle
""",
    "a cycle stands on all its names": """
--- .aj/template/leaf.yaml
base: low
#     ^^^ base.cycle
--- .aj/template/low.yaml
base: [x, leaf]
#         ^^^^ base.cycle
--- .aj/template/x.yaml
config: {}
""",
    "the name that leads into a cycle, and what is above it": """
--- .aj/template/leaf.yaml
base: entry
#     ^^^^^ base.broken
--- .aj/template/entry.yaml
base: a
#     ^ base.cycle
--- .aj/template/a.yaml
base: b
#     ^ base.cycle
--- .aj/template/b.yaml
base: a
#     ^ base.cycle
""",
    "names that cannot be names": """
--- .aj/template/leaf.yaml
base:
  - ""
#   ^^ base.name
  - a/b
#   ^^^ base.name
  - .a
#   ^^ base.name
  - a.
#   ^^ base.name
  - a..b
#   ^^^^ base.name
  - 'c:d'
#   ^^^^^ base.name
  - a\\b
#   ^^^ base.name
""",
    "what is not a name": """
--- .aj/template/leaf.yaml
base:
  - 3
#   ^ base.type
  - [low]
#   ^^^^^ base.type
  - on
#   ^^ base.type
  - {x: 1}
#   ^^^^^^ base.type
""",
    "top-level keys": """
--- .aj/template/leaf.yaml
bases: low
#@ 0-5 template.unknown-key
x-anchors: {a: 1}
target: {service: local}
#@ 0-6 template.unknown-key
config: {}
""",
    "a config that is no mapping": """
--- .aj/template/leaf.yaml
config: [1]
#       ^^^ template.shape
""",
    "an empty file is not yet anything": """
--- .aj/template/leaf.yaml
""",
}


@pytest.mark.parametrize("text", DRAWINGS.values(), ids=DRAWINGS.keys())
def test_drawing(text: str) -> None:
    drawing = draw(text)
    found = resolve(drawing.memory(), drawing.first, f"{ROOT}/.aj")
    assert seen(found.problems) == drawing.expected


def _problems(
    files: dict[str, str], leaf: str = "/p/.aj/template/leaf.yaml", home: str | None = "/p/.aj"
) -> list[Problem]:
    return list(resolve(MemoryFiles(dict(files)), leaf, home).problems)


def _message(files: dict[str, str], code: str) -> str:
    return next(each.message for each in _problems(files) if each.code == code)


LEAF = "/p/.aj/template/leaf.yaml"


def test_a_missing_base_names_the_path_tried_and_near_names() -> None:
    files = {LEAF: "base: comon\n", "/p/.aj/template/common.yaml": "config: {}\n"}
    problem = _problems(files)[0]
    assert "there is no /p/.aj/template/comon.yaml" in problem.message
    assert "did you mean `common`?" in problem.message
    assert [fix.title for fix in problem.fixes] == ['Replace with "common"', "Create base file"]


def test_a_quoted_name_stays_quoted_when_replaced() -> None:
    files = {LEAF: "base: 'comon'\n", "/p/.aj/template/common.yaml": "config: {}\n"}
    assert _problems(files)[0].fixes[0].edits[0].new_text == "'common'"


@pytest.mark.parametrize("name", ["common.yaml", "common.yml"])
@pytest.mark.parametrize("home", ["/p/.aj", None])
def test_a_file_name_in_place_of_a_base_name(name: str, home: str | None) -> None:
    files = {LEAF: f"base: {name}\n", "/p/.aj/template/common.yaml": "config: {}\n"}
    problem = _problems(files, LEAF, home)[0]
    assert problem.message.endswith("; did you mean `common`?")
    assert problem.fixes[0].title == 'Replace with "common"'


@pytest.mark.parametrize(
    ("name", "file", "hint"),
    [
        ("low", "/p/.aj/template/low.yml", "low.yml is there, but only .yaml files are bases"),
        ("low", "/p/.aj/template/low.yaml/x.yaml", "is a directory"),
        ("env.gpu.big", "/p/.aj/env/gpu.big.yaml", "a file with dots in its name cannot be a base"),
        ("gpu.big", "/p/.aj/template/gpu.big.yaml", "gpu.big.yaml is there, but every dot of a name is a folder"),
        ("low.yml", "/p/.aj/template/low.yml", "low.yml is there, but only .yaml files are bases"),
    ],
)
def test_what_stands_in_the_way_is_named(name: str, file: str, hint: str) -> None:
    assert hint in _message({LEAF: f"base: {name}\n", file: "config: {}\n"}, "base.missing")


@pytest.mark.parametrize(
    ("name", "file"),
    [("low", "low.yaml/x.yaml"), ("gpu.big", "gpu.big.yaml"), ("gpu.bi", "gpu.big.yaml"), ("low", ".low.yaml")],
)
def test_only_what_a_name_can_lead_to_is_proposed(name: str, file: str) -> None:
    files = {LEAF: f"base: {name}\n", f"/p/.aj/template/{file}": "config: {}\n"}
    assert "did you mean" not in _message(files, "base.missing")


def test_a_file_with_dots_is_named_without_a_home_too() -> None:
    files = {"/p/leaf.yaml": "base: gpu.big\n", "/p/gpu.big.yaml": "config: {}\n"}
    assert "gpu.big.yaml is there" in _problems(files, "/p/leaf.yaml", None)[0].message


def test_a_dotted_name_without_a_home() -> None:
    found = _problems({"/p/leaf.yaml": "base: [a.b, low]\n", "/p/low.yaml": "config: {}\n"}, "/p/leaf.yaml", None)
    assert [each.code for each in found] == ["base.no-home"]


def test_a_plain_name_in_an_unsaved_buffer() -> None:
    found = _problems({"untitled:Untitled-1": "base: low\n"}, "untitled:Untitled-1")
    assert [(each.code, each.severity.value) for each in found] == [("base.unsaved", "information")]


def test_a_cycle_is_walked_from_the_entry_in_order() -> None:
    files = {
        LEAF: "base: x\n",
        "/p/.aj/template/x.yaml": "base: y\n",
        "/p/.aj/template/y.yaml": "base: z\n",
        "/p/.aj/template/z.yaml": "base: x\n",
    }
    problem = next(each for each in _problems(files) if each.span and each.span.path == LEAF)
    assert "template/x.yaml → template/y.yaml → template/z.yaml → template/x.yaml" in problem.message
    assert [each.span.path.rsplit("/", 1)[1] for each in problem.related] == ["x.yaml", "y.yaml", "z.yaml"]


def test_between_files_of_a_cycle_a_name_gives_nothing_and_leading_in_gives_the_file() -> None:
    files = {
        LEAF: "base: a\nconfig: {own: 1}\n",
        "/p/.aj/template/a.yaml": "base: [outside, b]\nconfig: {a: 1}\n",
        "/p/.aj/template/b.yaml": "base: a\nconfig: {b: 1}\n",
        "/p/.aj/template/outside.yaml": "config: {o: 1}\n",
    }
    memory = MemoryFiles(dict(files))
    assert resolve(memory, LEAF, "/p/.aj").config == {"o": 1, "a": 1, "own": 1}
    assert resolve(memory, "/p/.aj/template/b.yaml", "/p/.aj").config == {"b": 1}


def test_the_cause_is_named_in_the_dependent() -> None:
    files = {LEAF: "base: low\n", "/p/.aj/template/low.yaml": "config: 5\n"}
    problem = next(each for each in _problems(files) if each.code == "base.broken")
    assert "template/low.yaml:1: `config` must be a mapping" in problem.message
    assert [each.span.path for each in problem.related] == ["/p/.aj/template/low.yaml"]


def test_a_missing_leaf() -> None:
    assert [each.code for each in _problems({"/p/other.yaml": ""})] == ["template.missing"]


@pytest.mark.parametrize(
    ("levels", "codes"), [(CHAIN_LIMIT, []), (CHAIN_LIMIT + 1, ["limit.chain"]), (2000, ["limit.chain"])]
)
def test_the_chain_budget(levels: int, codes: list[str]) -> None:
    files = {
        f"/p/.aj/template/n{index}.yaml": f"base: n{index + 1}\nconfig: {{k{index}: 1}}\n"
        for index in range(levels - 1)
    }
    files[f"/p/.aj/template/n{levels - 1}.yaml"] = "config: {last: 1}\n"
    assert [each.code for each in _problems(files, "/p/.aj/template/n0.yaml")] == codes


def test_links_are_followed_and_files_are_shown_under_the_home_as_reached() -> None:
    memory = MemoryFiles(
        {"/real/.aj/template/leaf.yaml": "base: low\n", "/real/.aj/template/low.yaml": "config: [\n"},
        {"/link": "/real"},
    )
    found = resolve(memory, "/link/.aj/template/leaf.yaml", "/link/.aj")
    assert {each.span.path for each in found.problems if each.span} == {
        "/link/.aj/template/leaf.yaml",
        "/link/.aj/template/low.yaml",
    }


def test_every_path_looked_at_is_known() -> None:
    files = {LEAF: "base: [low, gone, env.gpu]\n", "/p/.aj/template/low.yaml": "config: {}\n"}
    reads = resolve(MemoryFiles(dict(files)), LEAF, "/p/.aj").reads
    assert reads == {LEAF, "/p/.aj/template/low.yaml", "/p/.aj/template/gone.yaml", "/p/.aj/env/gpu.yaml"}


@st.composite
def graphs(draw: st.DrawFn) -> dict[str, str]:
    """Files that extend one another as they like: in circles, twice, themselves, what is not there."""
    names = [f"n{index}" for index in range(draw(st.integers(2, 6)))]
    bases = st.lists(st.sampled_from([*names, "missing"]), max_size=3)
    return {
        f"/p/.aj/template/{name}.yaml": f"base: {json.dumps(draw(bases))}\nconfig: {{{name}: [1], all: [{name}]}}\n"
        for name in names
    }


@settings(max_examples=150)
@given(graphs(), st.randoms(use_true_random=False))
def test_what_was_resolved_before_never_shows(graph: dict[str, str], random: Random) -> None:
    files = MemoryFiles(dict(graph))
    memo = Memo()
    for path in random.sample([*graph], len(graph)):
        found = [resolve(files, path, "/p/.aj", memo=each) for each in (memo, None)]
        first, second = [
            (json.dumps(each.config), each.problems, each.reads, [file.path for file in each.chain]) for each in found
        ]
        assert first == second
