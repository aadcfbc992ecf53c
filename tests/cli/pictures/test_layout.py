"""The layered layout: templates left of what they extend, edges through every column between, cycles set apart."""

from __future__ import annotations

from itertools import pairwise

from hypothesis import given
from hypothesis import strategies as st

from ajkit.cli.pictures.layout import lay_out
from ajkit.shared.template.pictures.family import Family, Member


def family(**bases: str) -> Family:
    """A family from names and the names each extends, separated by blanks."""
    members = [Member(name, f"{name}.yaml", leaf=False, bases=tuple(of.split())) for name, of in sorted(bases.items())]
    return Family({each.name: each for each in members})


def test_columns_follow_the_bases() -> None:
    layout = lay_out(family(leaf="a b", a="root", b="", root=""))
    assert [column for column in layout.columns if "leaf" in column] == [layout.columns[0]]
    column = {slot: index for index, slots in enumerate(layout.columns) for slot in slots}
    assert column["leaf"] < column["a"] < column["root"]
    assert not layout.backward


def test_few_crossings() -> None:
    layout = lay_out(family(a="x", b="y", c="z", x="", y="", z=""))
    order = [slot[0] for slot in layout.columns[0]]
    assert [{"a": "x", "b": "y", "c": "z"}[each] for each in order] == layout.columns[1]


def test_a_cycle_is_drawn_backward() -> None:
    layout = lay_out(family(a="b", b="c", c="a"))
    assert len(layout.backward) == 1
    assert lay_out(family(a="a")).backward == {("a", "a")}


names = st.sampled_from("abcdef")


@given(st.dictionaries(names, st.lists(names, max_size=3), min_size=1))
def test_every_edge_has_a_route_through_the_columns_between(bases: dict[str, list[str]]) -> None:
    known = {name: " ".join(each for each in of if each in bases) for name, of in bases.items()}
    whole = family(**known)
    layout = lay_out(whole)
    column = {slot: index for index, slots in enumerate(layout.columns) for slot in slots}
    assert {name for name in column if not name.startswith("\0")} == set(bases)
    assert set(layout.routes) == set(whole.edges())
    for edge, route in layout.routes.items():
        assert (route[0], route[-1]) == edge
        if edge not in layout.backward:
            assert all(column[one] + 1 == column[other] for one, other in pairwise(route))


@given(st.dictionaries(names, st.lists(names, max_size=3), min_size=1), names)
def test_around_a_member_is_all_that_reaches_it_or_is_reached(bases: dict[str, list[str]], name: str) -> None:
    known = {each: " ".join(base for base in of if base in bases) for each, of in bases.items()}
    whole = family(**known)
    if name not in bases:
        return
    kept = set(whole.around(name).members)

    def below(start: str) -> set[str]:
        met, todo = {start}, [start]
        while todo:
            for base in whole.members[todo.pop()].bases:
                if base not in met:
                    met.add(base)
                    todo.append(base)
        return met

    assert kept == below(name) | {each for each in bases if name in below(each)}
