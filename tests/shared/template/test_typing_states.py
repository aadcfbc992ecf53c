"""While a line is being typed the rest of the file stays: the goals of the project, on a small draw."""

from __future__ import annotations

import statistics

import pytest

from ajkit.shared.template.parse import parse
from ajkit.shared.where import Text
from tests.bench.typing_states import KINDS, ROOT, State, break_line, corpus_folder, intact, measure, states, texts

OWN = [
    (each.name, each.read_text("utf-8"))
    for folder in (ROOT / "tests" / "data" / "typing", ROOT / "examples", ROOT / "server" / "ajkit" / "backends")
    for each in sorted(folder.rglob("*.yaml"))
]
OWN = [(name, text) for name, text in OWN if text.count("\n") >= 8 and not parse(Text(name, text)).problems]


@pytest.mark.parametrize(("broken", "goal"), [(1, 99.0), (2, 95.0)])
def test_typing_states_of_our_own_files(broken: int, goal: float) -> None:
    _meet(list(states(OWN, 240, 11, broken)), goal)


@pytest.mark.optional("the corpus may not be copied into the repository")
@pytest.mark.skipif(corpus_folder() is None, reason="the corpus of real files is not here (AJ_CORPUS names its folder)")
@pytest.mark.parametrize(("broken", "goal"), [(1, 99.0), (2, 95.0)])
def test_typing_states_of_real_files(broken: int, goal: float) -> None:
    _meet(list(states(texts("report"), 400, 12, broken)), goal)


def _meet(made: list[State], goal: float) -> None:
    rows, parses, failed = measure(made, hinted=True)
    share = 100 * rows["all"].intact / rows["all"].states
    assert share >= goal, [(each.name, each.kind, each.lines) for each in failed]
    assert statistics.median(parses) <= 1 + len(made[0].lines)
    assert max(parses) <= 12


def test_every_kind_of_state_is_drawn_and_is_what_it_says() -> None:
    made = list(states(OWN, 60, 3))
    assert {each.kind for each in made} == set(KINDS)
    for each in made:
        before, after = each.before.split("\n"), each.after.split("\n")
        assert [number for number, line in enumerate(after) if line != before[number]] == list(each.lines)


def test_what_is_lost_is_noticed() -> None:
    before = "a: 1\nb:\n  c: 2\n  d: 3\ne: 4\n"
    after = "a: 1\nb:\n  c\n  d: 3\ne: 4\n"
    state = State("x", "half key", before, after, (2,))
    assert intact(state, parse(Text("x", after)))
    for wrong in ("a: 1\nb:\n  c:\ne: 4\n", after.replace("e: 4", "e: 5"), after.replace("  d", "   d")):
        assert not intact(state, parse(Text("x", wrong)))


def test_a_line_that_no_kind_fits_is_left_alone() -> None:
    import random

    rng = random.Random(1)
    assert [break_line("# a: comment", kind, rng) for kind in KINDS] == [None] * len(KINDS)
    assert break_line("  plain words", "half key", rng) is None
