"""Merge lints: each is drawn where it is reported; what must stay silent is drawn without expectation."""

from __future__ import annotations

import gc
import weakref

import pytest

from ajkit.engine import Engine
from ajkit.shared.files import MemoryFiles
from ajkit.shared.template.resolve import resolve
from tests.drawing import ROOT, draw, seen

DRAWINGS = {
    "an empty key clears": """
--- .aj/template/leaf.yaml
base: low
config:
  v:
# ^ merge.clears
  w: null
  x: ~
  y:
  z:
--- .aj/template/low.yaml
config: {v: {a: 1}, w: 1, x: [1], y: [], z: null}
""",
    "an empty key of a base clears what another one set": """
--- .aj/template/leaf.yaml
base: [low, none, after]
config:
  l: [9]
--- .aj/template/low.yaml
config: {l: [1], m: {k: 1}, n: {k: {x: 1}}, o: [{k: 1}], p: 1, q: 1}
--- .aj/template/none.yaml
config:
  l:
# ^ merge.clears
  m: ~
  n:
    k:
#   ^ merge.clears
  o:
    - k:
#     ^ merge.clears
  p: null
--- .aj/template/after.yaml
config:
  p:
  r:
  q:
# ^ merge.clears
""",
    "an empty key that is told where it stands is not told again": """
--- .aj/template/leaf.yaml
base: [low, mid]
--- .aj/template/mid.yaml
base: low
config:
  v:
# ^ merge.clears
--- .aj/template/low.yaml
config: {v: 1}
""",
    "another kind in the next base": """
--- .aj/template/leaf.yaml
base: [low, other]
config: {a: {k: 2}}
--- .aj/template/low.yaml
config: {a: {k: 1}, b: [1], c: text, d: {k: 1}}
--- .aj/template/other.yaml
config: {a: text, b: {k: 1}, c: [1], d: {}}
#           ^^^^ merge.type-change
#                    ^^^^^^ merge.type-change
""",
    "a mapping or list replaced by another kind": """
--- .aj/template/leaf.yaml
base: low
config:
  a: text
#    ^^^^ merge.type-change
  b: {k: 1}
#    ^^^^^^ merge.type-change
  c: [1]
#    ^^^ merge.type-change
  d: {k: 1}
  e: null
  f: [run.sh]
#     ^^^^^^ merge.type-change
--- .aj/template/low.yaml
config: {a: {k: 1}, b: [1], c: {k: 1}, d: text, e: {k: 1}, f: [{a: 1}, {b: 2}]}
""",
    "what is inherited anyway": """
--- .aj/template/leaf.yaml
base: low
config:
  a: 1
#    ^ merge.redundant
  b: {c: x, d: 2}
#        ^ merge.redundant
  e: true
  f: {}
  g: [{k: 1}]
#         ^ merge.redundant
--- .aj/template/low.yaml
config: {a: 1, b: {c: x, d: 1}, e: 1, f: {k: 1}, g: [{k: 1}]}
""",
    "the same value spelt alike: a variable is its spelling": """
--- .aj/template/leaf.yaml
base: low
config:
  jobs:
  - submit_args:
      env: {A: on, B: 1.10, C: 017, D: "x", E: true, F: "1", G: null}
#                                      ^^^ merge.redundant
#                                              ^^^^ merge.redundant
#                                                       ^^^ merge.redundant
#                                                               ^^^^ merge.redundant
--- .aj/template/low.yaml
config: {jobs: [{submit_args: {env: {A: yes, B: 1.1, C: 15, D: x, E: true, F: '1', G: ~}}}]}
""",
    "concatenation that repeats": """
--- .aj/template/leaf.yaml
base: low
config:
  ignore: [out/, data/]
#                ^^^^^ merge.repeats
  other: [3]
  numbers: [010, 2]
#           ^^^ merge.repeats
--- .aj/template/low.yaml
config: {ignore: [data/], other: [1, 2], numbers: [8]}
""",
    "a diamond that the file makes up for": """
--- .aj/template/leaf.yaml
base: [left, right]
config: {image: own, setup: null}
--- .aj/template/left.yaml
base: root
config: {image: mine}
--- .aj/template/right.yaml
base: root
--- .aj/template/root.yaml
config: {image: old, setup: [a]}
""",
    "a diamond doubles and undoes": """
--- .aj/template/leaf.yaml
base: [left, right]
#            ^^^^^ merge.diamond
config: {}
--- .aj/template/left.yaml
base: root
config: {image: mine}
--- .aj/template/right.yaml
base: root
--- .aj/template/root.yaml
config: {image: old, setup: [x]}
""",
    "a diamond without effect": """
--- .aj/template/leaf.yaml
base: [left, right]
config: {image: set here again}
--- .aj/template/left.yaml
base: root
config: {image: mine}
--- .aj/template/right.yaml
base: root
--- .aj/template/root.yaml
config: {image: old, other: 1}
""",
    "a base named twice": """
--- .aj/template/leaf.yaml
base: [low, low]
#           ^^^ merge.diamond
--- .aj/template/low.yaml
config: {v: [1]}
""",
    "a diamond is told once, where the roads meet": """
--- .aj/template/leaf.yaml
base: meet
--- .aj/template/meet.yaml
base: [left, right]
#            ^^^^^ merge.diamond
--- .aj/template/left.yaml
base: root
--- .aj/template/right.yaml
base: root
--- .aj/template/root.yaml
config: {setup: [x]}
""",
    "silenced in place": """
--- .aj/template/leaf.yaml
base: low
config:
  a: 1  # aj: ignore[merge.redundant]
  # aj: ignore[merge.type-change, merge.redundant]
  b: 1
  c: 1  # aj: ignore[merge.repeats]
#    ^ merge.redundant
--- .aj/template/low.yaml
config: {a: 1, b: {k: 1}, c: 1}
""",
}


@pytest.mark.parametrize("text", DRAWINGS.values(), ids=DRAWINGS.keys())
def test_drawing(text: str) -> None:
    drawing = draw(text)
    found = resolve(drawing.memory(), drawing.first, f"{ROOT}/.aj")
    assert seen(found.problems) == drawing.expected


def _only(text: str) -> tuple[str, list[str]]:
    drawing = draw(text)
    (found,) = resolve(drawing.memory(), drawing.first, f"{ROOT}/.aj").problems
    return found.message, [fix.title for fix in found.fixes]


def test_a_diamond_names_what_it_does() -> None:
    message, _ = _only(DRAWINGS["a diamond doubles and undoes"])
    assert message == (
        "`right` brings in root.yaml again, after `left`: "
        "that undoes `image` of `left` and doubles the items of `setup`"
    )


def test_clearing_by_accident_has_two_ways_out() -> None:
    message, fixes = _only(DRAWINGS["an empty key clears"])
    assert (
        message == "an empty `v:` clears what is inherited ({a: 1}): write null if that is meant, else delete the line"
    )
    assert fixes == ["Write null", "Delete the line"]


def test_what_repeats_is_shown_as_the_value_that_it_is() -> None:
    drawing = draw(DRAWINGS["concatenation that repeats"])
    messages = [each.message for each in resolve(drawing.memory(), drawing.first, f"{ROOT}/.aj").problems]
    assert messages == [
        "`data/` is already inherited: lists are concatenated, so `ignore` holds it twice",
        "`8` is already inherited: lists are concatenated, so `numbers` holds it twice",
    ]


def test_a_base_that_clears_another_is_named() -> None:
    message, fixes = _only("""
--- .aj/template/leaf.yaml
base: [low, none]
--- .aj/template/low.yaml
config: {api_token: 0123456789abcdef}
--- .aj/template/none.yaml
config:
  api_token:
""")
    assert message == (
        'an empty `api_token:` clears what is set before `none` ("***"): '
        "write null if that is meant, else delete the line"
    )
    assert fixes == ["Write null"]


def test_a_base_is_not_kept_alive_by_one_that_it_follows() -> None:
    drawing = draw(DRAWINGS["a diamond doubles and undoes"])
    files = drawing.memory()
    leaf, other = (resolve(files, drawing.first, f"{ROOT}/.aj") for _ in range(2))
    assert leaf.problems == other.problems
    left, right = leaf.merged.bases()
    _, same_again = other.merged.bases()
    assert left.meeting(right) is left.meeting(right)
    assert left.meeting(right).clash is not None
    dropped = weakref.ref(right)
    del leaf, right
    gc.collect()
    assert dropped() is None
    assert left.meeting(same_again).clash is None, "what was known of another state of it"


def test_lints_of_a_file_that_stayed_are_compared_without_a_look_for_their_fixes(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    leaf = "base: b\nconfig:\n  a: 1\n  l: [x, y]\n  n:\n"
    files = MemoryFiles({"/w/leaf.yaml": leaf, "/w/b.yaml": "config: {a: 1, l: [x], n: {m: 1}}\n"})
    engine = Engine(files=files, home="/w")
    before = engine.resolve("/w/leaf.yaml", named=True)
    engine.forget(["/w/b.yaml"])
    after = engine.resolve("/w/leaf.yaml", named=True, leaf=before.merged.file)
    with monkeypatch.context() as patched:
        patched.setattr("ajkit.shared.template.lint.removal_at", None)
        patched.setattr("ajkit.shared.template.lint.item_removal", None)
        assert before.problems == after.problems
    titles = {each.code: [fix.title for fix in each.fixes] for each in after.problems}
    assert titles == {
        "merge.redundant": ["Delete it"],
        "merge.repeats": ["Delete it"],
        "merge.clears": ["Write null", "Delete the line"],
    }


def test_a_fix_is_there_when_the_document_is_gone() -> None:
    files = MemoryFiles({"/w/leaf.yaml": "base: b\nconfig:\n  a: 1\n", "/w/b.yaml": "config: {a: 1}\n"})
    found = Engine(files=files, home="/w").check(["/w/leaf.yaml"])
    ((edit,),) = [fix.edits for each in found if each.code == "merge.redundant" for fix in each.fixes]
    assert edit.span.written == "  a: 1\n"
