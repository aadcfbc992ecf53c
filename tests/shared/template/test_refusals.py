"""What pydantic refuses, in words for the user."""

from __future__ import annotations

from typing import Annotated, Any, Literal

import pytest
from pydantic import AfterValidator, BaseModel, ConfigDict, Field, ValidationError

from ajkit.shared.template.refusals import known_keys, listed, refusals, refuse
from ajkit.shared.where import format_keypath


def _short(value: str) -> str:
    if len(value) > 3:
        raise refuse("long", f"{value!r} is too long", suggest=value[:3], on_key=True)
    return value


class Inner(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    size: int
    mode: Literal["on", "off"] = "on"


class Outer(BaseModel):
    model_config = ConfigDict(extra="forbid", strict=True)

    text: str = ""
    flag: bool = False
    ratio: Annotated[float, Field(gt=0, lt=1)] = 0.5
    inner: Inner | None = None
    many: dict[Annotated[str, AfterValidator(_short)], Inner] = {}
    items: list[str] | None = None
    either: str | list[int] = ""
    pattern: Annotated[str, Field(pattern="^a")] = "a"


def found(value: dict[str, Any], owner: str | None = "kite") -> list[tuple[str, str, str]]:
    with pytest.raises(ValidationError) as caught:
        Outer.model_validate(value)
    return [
        (format_keypath(each.path), each.code, each.message)
        for each in refusals(caught.value, Outer, value, owner=owner)
    ]


@pytest.mark.parametrize(
    ("value", "path", "code", "message"),
    [
        ({"text": 3}, "text", "schema.type", "`text` must be text, not the number 3: put it in quotes"),
        ({"text": 1.5}, "text", "schema.type", "`text` must be text, not the number 1.5: put it in quotes"),
        ({"text": None}, "text", "schema.type", "`text` must be text, not null"),
        ({"flag": "yes"}, "flag", "schema.type", "`flag` must be true or false, not the text"),
        ({"ratio": []}, "ratio", "schema.type", "`ratio` must be a number, not a list"),
        ({"ratio": 1.5}, "ratio", "kite.option", "`ratio` must be less than 1.0, not 1.5"),
        ({"ratio": 0}, "ratio", "kite.option", "`ratio` must be more than 0.0, not 0"),
        ({"inner": []}, "inner", "schema.type", "`inner` must be a mapping, not a list"),
        ({"inner": {}}, "inner.size", "schema.required", "`inner` lacks `size`"),
        ({"inner": {"size": True}}, "inner.size", "schema.type",
         "`inner.size` must be a whole number, not true"),
        ({"inner": {"size": 1.5}}, "inner.size", "schema.type",
         "`inner.size` must be a whole number, not the number 1.5"),
        ({"inner": {"size": 1, "mode": "of"}}, "inner.mode", "kite.option",
         "`inner.mode` must be 'on' or 'off', not 'of'"),
        ({"inner": {"size": 1, "sise": 2}}, "inner.sise", "kite.unknown-key",
         "unknown key `inner.sise`; did you mean `size`?"),
        ({"many": {"longer": {"size": 1}}}, "many.longer", "kite.long", "`many.longer`: 'longer' is too long"),
        ({"items": "x"}, "items", "schema.type", "`items` must be a list, not the text"),
        ({"items": ["x", {}]}, "items[1]", "schema.type", "`items[1]` must be text, not an empty mapping"),
        ({"either": {}}, "either", "schema.type", "`either` must be text, not an empty mapping"),
        ({"pattern": "b"}, "pattern", "kite.option", "`pattern`: String should match pattern '^a'"),
    ],
)  # fmt: skip
def test_a_refusal_says_what_where_and_what_instead(value: dict[str, Any], path: str, code: str, message: str) -> None:
    ((where, what, said),) = found(value)
    assert (where, what) == (path, code)
    assert said.startswith(message)


def test_without_an_owner_the_codes_are_the_schemas() -> None:
    value = {"ratio": 2, "nothing": 1}
    assert [code for _, code, _ in found(value, owner=None)] == ["schema.type", "schema.unknown-key"]


def test_what_is_missing_side_by_side_is_said_at_once() -> None:
    class Three(BaseModel):
        one: int
        two: int
        three: int

    with pytest.raises(ValidationError) as caught:
        Three.model_validate({"two": 2})
    one = refusals(caught.value, Three, {"two": 2}, places={"one": ("target", "one"), "three": ("target", "three")})
    assert [(each.path, each.message) for each in one] == [(("target", "one"), "`target` lacks `one` and `three`")]
    bare = refusals(caught.value, Three, {"two": 2})
    assert [each.message for each in bare] == ["the config lacks `one` and `three`"]


def test_a_check_of_ours_may_suggest_and_stand_on_the_key() -> None:
    value: dict[str, Any] = {"many": {"longer": {"size": 1}}}
    with pytest.raises(ValidationError) as caught:
        Outer.model_validate(value)
    (one,) = refusals(caught.value, Outer, value, owner="kite")
    assert (one.suggest, one.on_key) == ("lon", True)


def test_words_in_a_row() -> None:
    assert listed(["a"]) == "`a`"
    assert listed(["a", "b", "c"]) == "`a`, `b` and `c`"


@pytest.mark.parametrize(
    ("steps", "keys"),
    [
        ((), list(Outer.model_fields)),
        (("inner",), ["size", "mode"]),
        (("many",), []),
        (("many", "x"), ["size", "mode"]),
        (("items", 0), []),
        (("text",), []),
        (("nothing", "below"), []),
    ],
)
def test_the_keys_that_are_known(steps: tuple[str | int, ...], keys: list[str]) -> None:
    assert known_keys(Outer, steps) == keys
