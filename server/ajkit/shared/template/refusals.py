"""What pydantic refuses, as findings on key paths in the user's words."""

from __future__ import annotations

import types
from typing import TYPE_CHECKING, Any, Union, get_args, get_origin

from pydantic import BaseModel
from pydantic_core import PydanticCustomError
from pydantic_core.core_schema import ErrorType

from ajkit.shared.problem import Finding
from ajkit.shared.template.fields import Kind
from ajkit.shared.template.mistyped import mistyped
from ajkit.shared.template.names import did_you_mean, near
from ajkit.shared.where import Missing, at, format_keypath

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence

    from pydantic import ValidationError
    from pydantic_core import ErrorDetails
    from typing_extensions import TypeIs

    from ajkit.shared.where import Json, KeyPath

_WANTED = {
    "string_type": "text",
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "bool_type": "true or false",
    "list_type": "a list",
    "dict_type": "a mapping",
    "model_type": "a mapping",
    "model_attributes_type": "a mapping",
}

_BOUNDS = {
    "greater_than_equal": ("ge", "at least"),
    "greater_than": ("gt", "more than"),
    "less_than_equal": ("le", "at most"),
    "less_than": ("lt", "less than"),
}

_EXPECTED = frozenset(get_args(Kind))
"""The types of the errors that fields with an `Expect` give; their text says what was wanted."""

_PYDANTIC_TYPES = frozenset(get_args(ErrorType))


def refuse(word: str, message: str, *, suggest: str | None = None, on_key: bool = False) -> PydanticCustomError:
    """What a validator of ours raises: `word` becomes the end of the code (``volcano.<word>``).

    `message` follows the key path ("`target.memory`: ..."), `suggest` is the text that should stand there instead.
    """
    return PydanticCustomError(word, "{message}", {"message": message, "suggest": suggest, "on_key": on_key})


def refusals(
    error: ValidationError,
    model: type[BaseModel],
    value: Json,
    *,
    places: Mapping[str, KeyPath] | None = None,
    owner: str | None = None,
) -> list[Finding]:
    """The findings of a failed validation of `value` by `model`.

    `places` says where the fields of the model stand in the effective config, when not under their own names. `owner`
    is the service whose options were refused: its codes are used for unknown keys and refused values
    (``volcano.unknown-key``, ``volcano.quantity``); without one they are ``schema.unknown-key`` and ``schema.type``.
    Several faults of one value (the branches of a union) are one finding.
    """
    found: dict[tuple[KeyPath, str], Finding] = {}
    missing: list[KeyPath] = []
    for each in error.errors(include_url=False):
        steps = tuple(_steps(each["loc"], value))
        if each["type"] == "missing":
            missing.append(_place((*steps, each["loc"][-1]), places or {}))
            continue
        finding = _finding(each, steps, model, places or {}, owner)
        found.setdefault((finding.path, finding.code), finding)
    for parent, same in _grouped(missing, lambda path: path[:-1]).items():
        keys = listed(str(path[-1]) for path in same)
        where = f"`{format_keypath(parent)}`" if parent else "the config"
        message = f"{where} lacks {keys}"
        found[same[0], "schema.required"] = Finding(same[0], "schema.required", message, missing=tuple(same))
    return list(found.values())


def stranger(path: KeyPath, known: Sequence[str], owner: str) -> Finding:
    """A key that is none of the known ones beside it: the near ones are proposed, else all are listed."""
    close = near(str(path[-1]), known)
    hint = did_you_mean(close) or (f"; known here: {', '.join(known)}" if known else "; there is none to set here")
    message = f"unknown key `{format_keypath(path)}`{hint}"
    return Finding(path, f"{owner}.unknown-key", message, on_key=True, suggest=(*close, None)[0])


def listed(words: Iterable[str]) -> str:
    """Words as a sentence lists them: `a`, `b` and `c`."""
    *others, last = [f"`{each}`" for each in words]
    return f"{', '.join(others)} and {last}" if others else last


def _grouped(paths: Iterable[KeyPath], place: Callable[[KeyPath], KeyPath]) -> dict[KeyPath, list[KeyPath]]:
    groups: dict[KeyPath, list[KeyPath]] = {}
    for path in paths:
        groups.setdefault(place(path), []).append(path)
    return groups


def _finding(
    each: ErrorDetails,
    steps: Sequence[str | int],
    model: type[BaseModel],
    places: Mapping[str, KeyPath],
    owner: str | None,
) -> Finding:
    kind, context = each["type"], each.get("ctx", {})
    on_key = bool(context.get("on_key")) or "[key]" in each["loc"]
    path = _place(steps, places)
    name = format_keypath(path)
    if kind == "extra_forbidden":
        return stranger(path, known_keys(model, steps[:-1]), owner or "schema")
    if kind in _WANTED or kind in _EXPECTED:
        wanted, choices = _WANTED.get(kind, each["msg"]), context.get("choices")
        return mistyped(
            path, wanted, each["input"], kind=kind, choices=choices.split("|") if choices else (), on_key=on_key
        )
    if kind in _BOUNDS:
        key, words = _BOUNDS[kind]
        message = f"`{name}` must be {words} {context[key]}, not {each['input']}"
    elif kind == "literal_error":
        message = f"`{name}` must be {context['expected']}, not {each['input']!r}"
    else:
        message = f"`{name}`: {each['msg']}"
    word = "option" if kind in _PYDANTIC_TYPES else kind
    code = f"{owner}.{word}" if owner else "schema.type"
    return Finding(path, code, message, on_key=on_key, suggest=context.get("suggest"))


def _place(steps: Sequence[str | int], places: Mapping[str, KeyPath]) -> KeyPath:
    first, *rest = steps or ("",)
    return (*places.get(str(first), (first,) if steps else ()), *rest)


def _steps(loc: Sequence[str | int], value: Json) -> Iterator[str | int]:
    """The steps of pydantic's `loc` that exist in the value: names of union branches and validators fall away."""
    for step in loc:
        below = at(value, (step,))
        if not isinstance(below, Missing):
            value = below
            yield step


def known_keys(model: type[BaseModel], steps: Sequence[str | int]) -> list[str]:
    """The keys that a model knows at some steps below it, as templates write them; empty where any key is fine."""
    here: Any = model
    for step in steps:
        inner = _structure(here)
        if _is_model(inner):
            fields = inner.model_fields.items()
            here = next((field.annotation for name, field in fields if (field.alias or name) == step), None)
        else:
            here = get_args(inner)[-1] if inner is not None else None
    last = _structure(here)
    return [field.alias or name for name, field in last.model_fields.items()] if _is_model(last) else []


def _is_model(annotation: Any) -> TypeIs[type[BaseModel]]:
    return isinstance(annotation, type) and issubclass(annotation, BaseModel)


def _structure(annotation: Any) -> Any:
    """The model, or the list or mapping type, that an annotation allows (through Optional, unions and Annotated)."""
    origin = get_origin(annotation)
    if _is_model(annotation) or origin in (list, dict):
        return annotation
    inner = get_args(annotation) if origin in (Union, types.UnionType) else get_args(annotation)[:1]
    return next((found for each in inner if (found := _structure(each)) is not None), None)
