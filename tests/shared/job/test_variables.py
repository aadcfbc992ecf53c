"""Every variable that a job finds has a meaning, and none has one that no job finds."""

from __future__ import annotations

from ajkit.shared.job.env import FACTS, set_at_run_time
from ajkit.shared.job.shape import Sizing
from ajkit.shared.job.variables import AT_RUN_TIME, INJECTED, meaning
from ajkit.shared.spec import DerivedShape, Role


def test_injected_variables_are_those_that_have_a_meaning() -> None:
    derived = DerivedShape((Role("master", 1, 0, 1),))
    shapes = [Sizing(2, 8, 1), Sizing(1, None, 1, derived=derived)]
    assert INJECTED.keys() == {*FACTS, *(name for each in shapes for name in each.variables())}
    assert AT_RUN_TIME.keys() == {*set_at_run_time(tasks=True)}


def test_the_meaning_of_a_name() -> None:
    assert meaning("AJ_NODES") == INJECTED["AJ_NODES"]
    assert meaning("AJ_NODE_RANK") == AT_RUN_TIME["AJ_NODE_RANK"]
    assert (meaning("MASTER_ADDR") or "").startswith("The address")
    assert meaning("PATH") is None
