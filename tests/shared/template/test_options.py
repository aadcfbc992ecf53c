"""Options read from where their fields say: what is found, what is refused, and what is left unused."""

from __future__ import annotations

from typing import Annotated, Any

import pytest
import yaml
from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from ajkit.shared.template.model import typed
from ajkit.shared.template.options import From, declared, extra_fields, read_options, unused
from ajkit.shared.template.refusals import refuse
from ajkit.shared.where import format_keypath, parse_keypath


def _even(value: int) -> int:
    if value % 2:
        raise refuse("odd", f"{value} is odd", suggest=str(value + 1))
    return value


class Wheel(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    spokes: Annotated[int, AfterValidator(_even)]
    rim: str = "steel"


class Cart(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True)

    queue: Annotated[str, From("target.queue")] = "default"
    colour: Annotated[str | None, From("target.colour")] = None
    load: Annotated[int, From("_extra.cart.load"), Field(ge=0)] = 0
    wheels: Annotated[dict[str, Wheel], From("_extra.cart.wheels")] = {}
    spares: Annotated[list[Wheel], From("_extra.cart.spares")] = []
    brake: Annotated[str | int, From("_extra.cart.brake")] = "hand"


def read(text: str) -> tuple[Cart | None, list[str]]:
    """The options of a config drawn as YAML, and the findings as ``path code``."""
    options, found = read_options(Cart, typed(yaml.safe_load(text)), "cart")
    return options, [f"{format_keypath(each.path)} {each.code}" for each in found]


def test_fields_say_where_they_come_from() -> None:
    assert [format_keypath(each) for each in declared(Cart)] == [
        "target.queue",
        "target.colour",
        "_extra.cart.load",
        "_extra.cart.wheels",
        "_extra.cart.spares",
        "_extra.cart.brake",
    ]
    assert extra_fields(Cart) == {("target", "colour"): "colour"}


def test_a_field_that_does_not_is_a_mistake_of_its_author() -> None:
    class Bare(BaseModel):
        queue: str

    with pytest.raises(TypeError, match=r"Bare\.queue does not say where it comes from"):
        declared(Bare)


def test_options_are_read() -> None:
    options, found = read("""
        target: {queue: fast, colour: red}
        _extra:
          cart: {load: 3, wheels: {left: {spokes: 8}}}
          horse: {anything: goes}
    """)
    assert options == Cart(queue="fast", colour="red", load=3, wheels={"left": Wheel(spokes=8)})
    assert found == []


def test_null_is_not_set_at_any_depth() -> None:
    options, found = read(
        "{target: {queue: null}, _extra: {cart: {load: null, wheels: {left: {spokes: 8, rim: null}, right: null}}}}"
    )
    assert options == Cart(wheels={"left": Wheel(spokes=8)})
    assert found == []
    assert read("{_extra: {cart: null}}") == (Cart(), [])


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("{_extra: {cart: 3}}", ["_extra.cart schema.type"]),
        ("{_extra: {cart: {laod: 3}}}", ["_extra.cart.laod cart.unknown-key"]),
        ("{_extra: {cart: {load: '3'}}}", ["_extra.cart.load schema.type"]),
        ("{_extra: {cart: {load: -1}}}", ["_extra.cart.load cart.option"]),
        ("{target: {colour: 3}}", ["target.colour schema.type"]),
        ("{_extra: {cart: {wheels: [8]}}}", ["_extra.cart.wheels schema.type"]),
        ("{_extra: {cart: {wheels: {left: 8}}}}", ["_extra.cart.wheels.left schema.type"]),
        ("{_extra: {cart: {wheels: {left: {spokes: 7}}}}}", ["_extra.cart.wheels.left.spokes cart.odd"]),
        ("{_extra: {cart: {wheels: {left: {}}}}}", ["_extra.cart.wheels.left.spokes schema.required"]),
        ("{_extra: {cart: {spares: [{spokes: 8, rimm: x}]}}}", ["_extra.cart.spares[0].rimm cart.unknown-key"]),
        ("{_extra: {cart: {brake: []}}}", ["_extra.cart.brake schema.type"]),
    ],
)  # fmt: skip
def test_what_is_refused_is_found_where_it_stands(text: str, expected: list[str]) -> None:
    options, found = read(text)
    assert found == expected
    assert options is None or expected[0].endswith(("_extra.cart schema.type", "unknown-key"))


def test_a_stranger_beside_the_options_leaves_them_readable() -> None:
    options, found = read("{_extra: {cart: {laod: 3, load: 2}}}")
    assert options == Cart(load=2)
    assert found == ["_extra.cart.laod cart.unknown-key"]


@pytest.mark.parametrize(
    ("config", "paths"),
    [
        ({}, []),
        ({"target": {"queue": "a", "memory": "1Gi", "name": None, "labels": {}}}, ["target.memory"]),
        ({"target": {"unheard_of": 1}, "unheard_of": 2}, []),
        ({"storage": {"data": {"mount_dir": "/x"}}}, ["storage"]),
        ({"environment": {"image": "a", "setup": ["b"]}}, ["environment.image"]),
        ({"jobs": [{"submit_args": {"container_args": {"shm_size": "1g", "other": 0}}}]},
         ["jobs[0].submit_args.container_args.other"]),
        ({"jobs": [{}, {"priority": "High"}]}, []),
        ({"_extra": {"anything": 1}}, []),
    ],
)  # fmt: skip
def test_what_is_left_unused(config: dict[str, Any], paths: list[str]) -> None:
    used = ["target.queue", "environment.setup", "jobs[0].submit_args.container_args.shm_size"]
    found = unused(typed(config), frozenset(parse_keypath(each) for each in used))
    assert [format_keypath(each) for each in found] == paths
