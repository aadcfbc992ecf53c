"""Problems: fixes that nobody looks at are not worked out, and are like any others to those who do."""

from __future__ import annotations

from dataclasses import replace

from ajkit.shared.problem import Fix, Later, Severity, in_order, problem, summed
from ajkit.shared.where import Span, Text

PLACE = Span(Text("x.yaml", "a: 1\n"), 0, 1)


def test_fixes_are_worked_out_once_and_only_for_who_looks() -> None:
    asked = []

    def make() -> list[Fix]:
        asked.append("fixes")
        return [Fix("Delete it")]

    hint = problem("merge.redundant", "again", PLACE, fixes=Later(make))
    other = problem("merge.redundant", "another one", PLACE, fixes=Later(make))
    assert summed(in_order([hint.with_severity(Severity.WARNING), other, hint, other]))
    assert asked == []
    assert [each.title for each in hint.fixes] == ["Delete it"]
    assert hint.fixes[0] == Fix("Delete it")
    assert hint.fixes[:1] == (Fix("Delete it"),)
    assert asked == ["fixes"]


def test_fixes_of_equal_makers_are_not_worked_out_to_be_compared() -> None:
    def make() -> list[Fix]:
        raise AssertionError

    assert Later(make) == Later(make)


def test_fixes_compare_by_what_they_are() -> None:
    now = problem("merge.redundant", "again", PLACE, fixes=[Fix("Delete it")])
    later = replace(now, fixes=Later(lambda: [Fix("Delete it")]))
    assert later == now
    assert now == later
    assert hash(later) == hash(now)
    assert repr(later) == repr(now)
    assert later != replace(now, fixes=Later(list))
    assert not Later(list)
    assert later != replace(now, fixes=())
    assert in_order([now, later]) == [now]
