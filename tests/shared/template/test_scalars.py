"""Which value a scalar is: everything as PyYAML's safe loader reads it, but for what no JSON holds."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from ajkit.shared.template.scalars import CORE, NotJson, plain_kind, plain_value, tagged_value

if TYPE_CHECKING:
    from ajkit.shared.where import Json

SPELLINGS = """
0 1 -1 +1 -0 +0 00 017 -017 08 09 0_7 1_000 0x1F -0x1f +0xa_b 0b101 -0b1_1 0o17 1__0 5_
1:30 -1:30:10 190:20:30 1:60 60:59
0.0 -0.0 1.5 .5 -.5 5. 1_0.5_0 1e3 1.e+3 1.5e+3 1.5E-3 1.5e3 685_230.15 190:20:30.15 -1:30.5 1.10 ._5
yes Yes YES no No NO on On ON off Off OFF true True TRUE false False FALSE yEs tRue y n Y N t f
~ null Null NULL nUll Nil none None
word a-b 2-4 8+ 1x80G8-A100 + .. ... .e5 +. -. 12:30:xx 1,000 0x 0b 0xg
"""


@pytest.mark.parametrize("spelling", SPELLINGS.split())
def test_a_plain_word_is_what_the_safe_loader_makes_of_it(spelling: str) -> None:
    expected = yaml.safe_load(f"- {spelling}")[0]
    value = plain_value(spelling)
    assert (type(value), repr(value)) == (type(expected), repr(expected))


def _loaded(word: str) -> object:
    """What the safe loader reads; timestamps as text; an exception where it refuses."""
    loader = yaml.SafeLoader("")
    node = yaml.ScalarNode(loader.resolve(yaml.ScalarNode, word, (True, False)), word)  # type: ignore[no-untyped-call]
    if node.tag in {CORE + each for each in ("timestamp", "value", "merge")}:
        return word
    try:
        return loader.construct_object(node)
    except ValueError as error:
        return error


@given(st.text(alphabet="0123456789abefxnoNOtrueTRUEly_.:+-~=< ", max_size=12))
def test_any_word_is_what_the_safe_loader_makes_of_it(word: str) -> None:
    expected = _loaded(word)
    try:
        value: Json | NotJson = plain_value(word)
    except NotJson as error:
        value = error
    if isinstance(value, NotJson):
        assert isinstance(expected, ValueError) or repr(expected) in {"inf", "-inf", "nan"}
    else:
        assert (type(value), repr(value)) == (type(expected), repr(expected))


@pytest.mark.parametrize("word", ["2024-01-01", "2024-01-01 10:00:00", "2001-12-14t21:59:43.10-05:00", "=", "<<"])
def test_timestamps_and_signs_stay_text(word: str) -> None:
    assert plain_value(word) == word
    assert plain_kind(word) == "str"


@pytest.mark.parametrize(
    ("word", "says"),
    [
        (".inf", "`.inf` is infinite"),
        ("-.INF", "`-.INF` is infinite"),
        (".nan", "`.nan` is not a number"),
        ("1.0e+999", "`1.0e+999` is infinite"),
        ("0x_", "`0x_` is not a whole number"),
        ("0b_", "`0b_` is not a whole number"),
        ("1" * 5000, "a number of 5,000 characters is too long"),
        ("1" + ":1" * 3000, "a number of 6,001 characters is too long"),
        ("0x" + "f" * 4000, "more than 4,300 digits"),
        ("1.5" + "0" * 5000, "a number of 5,003 characters is too long"),
    ],
)
def test_what_json_has_not_is_refused_with_a_reason(word: str, says: str) -> None:
    with pytest.raises(NotJson, match=r".+") as refused:
        plain_value(word)
    assert says in str(refused.value)


@pytest.mark.parametrize(
    ("tag", "word", "value"),
    [
        ("str", "12", "12"),
        ("int", "12", 12),
        ("int", "0x1F", 31),
        ("float", "3", 3.0),
        ("bool", "on", True),
        ("null", "anything", None),
        ("timestamp", "2024-01-01", "2024-01-01"),
    ],
)
def test_core_tags_work(tag: str, word: str, value: Json) -> None:
    assert repr(tagged_value(CORE + tag, word)) == repr(value)


@pytest.mark.parametrize(
    ("tag", "word", "says"),
    [
        (CORE + "int", "x", "`x` is not a whole number"),
        (CORE + "int", "", "`` is not a whole number"),
        (CORE + "float", "x", "`x` is not a number"),
        (CORE + "float", "nan", "is not a number, which no config may hold"),
        (CORE + "bool", "maybe", "`maybe` is neither true nor false"),
        (CORE + "binary", "eA==", "`!!binary` makes a value that no config may hold"),
        (CORE + "python/name:os.getcwd", "", "`!!python/name:os.getcwd` makes a value"),
        ("!env", "HOME", "the tag `!env` is not known"),
    ],
)
def test_other_tags_are_refused_with_a_reason(tag: str, word: str, says: str) -> None:
    with pytest.raises(NotJson, match=r".+") as refused:
        tagged_value(tag, word)
    assert says in str(refused.value)
