"""What is said of a value of the wrong type: what belongs there, what stands there, and what was probably meant."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from ajkit.shared.problem import Finding
from ajkit.shared.template.brief import brief
from ajkit.shared.template.names import did_you_mean, near
from ajkit.shared.template.secrets import MASK, is_secret, masked
from ajkit.shared.where import format_keypath

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ajkit.shared.where import Json, KeyPath

SHOWN = 40
"""How many characters of a text a message repeats."""

# The types of errors: those of our own words, and pydantic's for options that have none.
_TEXT = ("expected.text", "string_type")
_WHOLE = ("expected.whole", "int_type")
_FLAG = ("expected.flag", "bool_type")
_SPELT = {"true": "true", "yes": "true", "on": "true", "false": "false", "no": "false", "off": "false"}


def described(value: Json, name: str = "") -> str:
    """A value as messages name it: ``the text "two"``, ``the number 1.5``, ``a list``; `name` is its key."""
    if isinstance(value, str):
        shown = MASK if is_secret(name, value) else value if len(value) <= SHOWN else value[: SHOWN - 1] + "…"
        return f"the text {json.dumps(shown, ensure_ascii=False)}"
    if isinstance(value, bool) or value is None:
        return json.dumps(value)
    if isinstance(value, int | float):
        return f"the number {value}"
    if isinstance(value, list):
        return "a list"
    return f"the mapping {brief(masked(value), SHOWN)}" if value else "an empty mapping"


def mistyped(
    path: KeyPath, wanted: str, value: Json, *, kind: str = "", choices: Sequence[str] = (), on_key: bool = False
) -> Finding:
    """The finding on a value where something else belongs.

    `wanted` says what ("a whole number"), `kind` is the type of the validator's error, and
    `choices` are the words that are possible. The suggestion is what the value was probably meant to be.
    """
    name = str(path[-1]) if path else ""
    scalar = isinstance(value, bool | int | float)
    close = near(value, choices) if isinstance(value, str) else []
    hint = did_you_mean(close)
    suggest = close[0] if close else None
    if value is None:
        hint = ": write a value, or remove the item"
    elif kind in _TEXT and scalar:
        hint = ": put it in quotes"
    elif kind in _WHOLE and isinstance(value, str) and re.fullmatch(r"[1-9]\d*", value):
        hint, suggest = ": take the quotes off", value
    elif kind in _FLAG and isinstance(value, str):
        suggest = _SPELT.get(value.lower())
        hint = f": write {suggest}" if suggest else ""
    message = f"`{format_keypath(path)}` must be {wanted}, not {described(value, name)}{hint}"
    wants_text = kind in _TEXT and scalar
    return Finding(path, "schema.type", message, on_key=on_key, suggest=suggest, wants_text=wants_text)
