"""Our `dataclass` against the standard library's: the same classes behave alike."""

from __future__ import annotations

import copy
import dataclasses
import pickle
import subprocess
import sys
from typing import Any, ClassVar

import pytest
from hypothesis import given
from hypothesis import strategies as st

from ajkit.shared import records

MAKERS = [records.dataclass, dataclasses.dataclass]


def twins(**settings: bool) -> list[Any]:
    """One class, made by ours and by the standard decorator."""

    def body() -> type:
        class Point:
            """A point."""

            x: int
            y: str = "y"
            z: tuple[int, ...] = ()

            @property
            def both(self) -> tuple[int, str]:
                return self.x, self.y

        return Point

    return [make(**settings)(body()) for make in MAKERS]


SETTINGS = [
    {"frozen": True, "slots": True},
    {"slots": True},
    {"frozen": True},
    {"frozen": True, "slots": True, "eq": False},
    {"slots": True, "repr": False},
    {},
]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_instances_behave_alike(settings: dict[str, bool]) -> None:
    seen = []
    for cls in twins(**settings):
        one, same, other = cls(1), cls(1, "y", ()), cls(x=2, z=(3,))
        seen.append(
            {
                "repr": [repr(each) for each in (one, other) if settings.get("repr", True)],
                "equal": (one == same, one == other, one == 1, one != same),
                "both": one.both,
                "match": cls.__match_args__,
                "doc": cls.__doc__,
                "name": (cls.__name__, cls.__qualname__, cls.__module__),
                "slots": getattr(cls, "__slots__", None),
                "hashable": cls.__hash__ is not None,
                "replaced": dataclasses.replace(one, y="new").y,
                "dict": dataclasses.asdict(other),
                "fields": [(each.name, each.default, each.type) for each in dataclasses.fields(cls)],
                "is": dataclasses.is_dataclass(cls),
                "copied": copy.deepcopy(other).z,
                "has dict": hasattr(one, "__dict__"),
            }
        )
        if settings.get("frozen") and settings.get("eq", True):
            assert hash(one) == hash(same) == hash((1, "y", ()))
    assert seen[0] == seen[1]


@pytest.mark.parametrize("settings", SETTINGS, ids=str)
def test_the_same_is_refused(settings: dict[str, bool]) -> None:
    for cls in twins(**settings):
        with pytest.raises(TypeError, match="missing 1 required positional argument: 'x'"):
            cls()
        with pytest.raises(TypeError):
            cls(1, bogus=2)
        one = cls(1)
        if settings.get("frozen"):
            with pytest.raises(dataclasses.FrozenInstanceError, match="cannot assign to field 'x'"):
                one.x = 2
            with pytest.raises(dataclasses.FrozenInstanceError, match="cannot delete field 'x'"):
                del one.x
        else:
            one.x = 2
            assert one.x == 2
        if settings.get("slots") and not settings.get("frozen"):
            with pytest.raises(AttributeError):
                one.w = 1


@records.dataclass(frozen=True, slots=True)
class Pickled:
    """A class that can be found by its name."""

    a: int
    b: str = "b"


@given(st.integers(), st.text())
def test_pickles(a: int, b: str) -> None:
    assert pickle.loads(pickle.dumps(Pickled(a, b))) == Pickled(a, b)


@pytest.mark.parametrize("make", MAKERS)
def test_what_is_not_plain_is_left_to_the_standard_library(make: Any) -> None:
    @make(slots=True)
    class Base:
        """With what ours does not make."""

        a: int
        many: list[int] = dataclasses.field(default_factory=list)
        shared: ClassVar[int] = 3

        def __post_init__(self) -> None:
            self.a += 1

    @make(frozen=True, slots=True)
    class Own:
        """With an equality of its own."""

        a: int

        def __eq__(self, other: object) -> bool:
            return True

        def __hash__(self) -> int:
            return 7

    base: Any = Base
    own: Any = Own
    assert repr(base(1)).endswith("Base(a=2, many=[])")
    assert [each.name for each in dataclasses.fields(base)] == ["a", "many"]
    assert own(1) == own(2)
    assert hash(own(1)) == 7
    with pytest.raises(ValueError, match="mutable default"):

        @make(slots=True)
        class _Mutable:
            a: list[int] = []


@pytest.mark.parametrize("make", MAKERS)
def test_post_init_and_subclasses(make: Any) -> None:
    @make(frozen=True, slots=True)
    class Base:
        """Of a sub-class."""

        a: int

        def __post_init__(self) -> None:
            object.__setattr__(self, "a", self.a + 1)

    class Plain(Base):
        """No dataclass."""

    @make(frozen=True)
    class More(Base):
        """A dataclass over one of ours."""

        b: int = 2

    made: Any = Plain
    more: Any = More
    plain = made(1)
    assert plain.a == 2
    with pytest.raises(dataclasses.FrozenInstanceError):
        plain.a = 4
    assert repr(more(1)).endswith("More(a=2, b=2)")


def test_they_are_made_more_quickly() -> None:
    """At least twice as quickly, by CPU time and the best of several runs; it is four to five times on Python 3.11."""
    script = """if True:
        import sys, time
        from ajkit.shared import records
        import dataclasses
        def best(make):
            times = []
            for _ in range(30):
                class A:
                    "Doc."
                    a: int
                    b: str
                    c: int = 0
                    d: tuple = ()
                A.__annotations__ = {"a": "int", "b": "str", "c": "int", "d": "tuple"}
                began = time.process_time_ns()
                make(frozen=True, slots=True)(A)
                times.append(time.process_time_ns() - began)
            return min(times)
        print(best(dataclasses.dataclass) / best(records.dataclass))
    """
    done = subprocess.run([sys.executable, "-c", script], capture_output=True, text=True, check=True)
    assert float(done.stdout) > (2 if sys.version_info < (3, 13) else 1)
