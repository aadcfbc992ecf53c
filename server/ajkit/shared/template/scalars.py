"""Which JSON value a scalar is: PyYAML's YAML 1.1 rules, except that timestamps, a plain ``=`` and ``<<`` stay text."""

from __future__ import annotations

import math
from typing import TYPE_CHECKING

from yaml.resolver import Resolver

if TYPE_CHECKING:
    from collections.abc import Callable

    from ajkit.shared.where import Json

CORE = "tag:yaml.org,2002:"
NUMBER_LIMIT = 4300
"""The longest number, in characters as written and in decimal digits of its value: Python writes no longer one."""

_MAX_BITS = 14_284  # 2 ** 14_284 has 4,300 digits
_BOOLS = {"yes": True, "true": True, "on": True, "no": False, "false": False, "off": False}

_KINDS = {CORE + kind: kind for kind in ("bool", "float", "int", "null")}
_RULES: dict[str, list[tuple[str, Callable[[str], object]]]] = {
    first: [(_KINDS[tag], pattern.match) for tag, pattern in rules if tag in _KINDS]
    for first, rules in Resolver.yaml_implicit_resolvers.items()
    if isinstance(first, str)
}

_MEMO_SIZE = 20_000
_MEMO_LENGTH = 64


class NotJson(ValueError):
    """A scalar whose tag or spelling asks for a value that JSON has not; `str()` says why, for the user."""


def plain_kind(raw: str) -> str:
    """What an unquoted scalar is: ``null``, ``bool``, ``int``, ``float`` or ``str``."""
    for kind, matches in _RULES.get(raw[:1], ()):
        if matches(raw):
            return kind
    return "str"


def plain_value(raw: str) -> Json:
    """The value of an unquoted scalar.

    Raises:
        NotJson: infinite, not a number, too long, or digits that are none (``0x_``).
    """
    return _value(plain_kind(raw), raw)


def tagged_value(tag: str, raw: str) -> Json:
    """The value of a scalar with a core tag (``tag:yaml.org,2002:int``), as PyYAML's safe loader makes it.

    Raises:
        NotJson: the text is no such value, or the tag is none that a config may use on a scalar.
    """
    kind = tag.removeprefix(CORE)
    if not tag.startswith(CORE) or kind not in {"str", "timestamp", "null", "bool", "int", "float"}:
        raise NotJson(_refusal(tag))
    return _value(kind, raw)


def collection_refusal(tag: str, kind: str) -> str | None:
    """Why a mapping (``map``) or list (``seq``) may not carry this tag; None where it may."""
    if tag == CORE + kind:
        return None
    if tag in {CORE + each for each in ("str", "int", "float", "bool", "null", "map", "seq", "timestamp")}:
        written = "a mapping" if kind == "map" else "a list"
        return f"`!!{tag.removeprefix(CORE)}` stands before {written}: remove the tag"
    return _refusal(tag)


class PlainValues(dict[str, "Json"]):
    """A memo of `plain_value` that holds at most `_MEMO_SIZE` short texts: templates repeat a few thousand words.

    Ask it with ``memo[raw]``; what is new is worked out. Raises what `plain_value` raises.
    """

    def __missing__(self, raw: str) -> Json:
        if raw[:1] not in _RULES:
            return raw  # text, as nearly all long ones and most that are new: worth no place
        value = plain_value(raw)
        if len(raw) <= _MEMO_LENGTH:
            if len(self) >= _MEMO_SIZE:
                self.clear()
            self[raw] = value
        return value


def _value(kind: str, raw: str) -> Json:
    read = _READERS.get(kind)
    return read(raw) if read is not None else raw


def _null(_: str) -> None:
    return None


def _bool(raw: str) -> bool:
    value = _BOOLS.get(raw.lower())
    if value is None:
        raise NotJson(f"`{_short(raw)}` is neither true nor false: write `true` or `false`, or remove the tag")
    return value


def _int(raw: str) -> int:
    _not_too_long(raw)
    digits = raw.replace("_", "")
    sign = -1 if digits.startswith("-") else 1
    if digits.startswith(("-", "+")):
        digits = digits[1:]
    try:
        if digits.startswith(("0b", "0x")):
            value = int(digits, 0)
        elif digits.startswith("0") and digits != "0":
            value = int(digits, 8)
        elif ":" in digits:
            value = 0
            for part in digits.split(":"):
                value = value * 60 + int(part)
        else:
            value = int(digits)
    except ValueError:
        raise NotJson(f"`{_short(raw)}` is not a whole number: quote it to keep it as text") from None
    if value.bit_length() > _MAX_BITS:
        raise NotJson(f"`{_short(raw)}` is a number of more than 4,300 digits: quote it to keep it as text")
    return sign * value


def _not_too_long(raw: str) -> None:
    if len(raw) > NUMBER_LIMIT:
        raise NotJson(f"a number of {len(raw):,} characters is too long to work with: quote it to keep it as text")


def _float(raw: str) -> float:
    _not_too_long(raw)
    digits = raw.replace("_", "").lower()
    sign = -1.0 if digits.startswith("-") else 1.0
    if digits.startswith(("-", "+")):
        digits = digits[1:]
    try:
        if digits == ".inf":
            value = math.inf
        elif digits == ".nan":
            value = math.nan
        elif ":" in digits:
            value, base = 0.0, 1
            for part in reversed(digits.split(":")):
                value += float(part) * base
                base *= 60
        else:
            value = float(digits)
    except OverflowError:
        value = math.inf
    except ValueError:
        raise NotJson(f"`{_short(raw)}` is not a number: quote it to keep it as text") from None
    if not math.isfinite(value):
        what = "not a number" if math.isnan(value) else "infinite"
        raise NotJson(
            f"`{_short(raw)}` is {what}, which no config may hold: write a number, or quote it to keep it as text"
        )
    return sign * value


def _refusal(tag: str) -> str:
    if tag.startswith(CORE):
        return f"`!!{_short(tag.removeprefix(CORE))}` makes a value that no config may hold: remove the tag"
    return f"the tag `{_short(tag)}` is not known: remove it, or quote the value if the `!` belongs to it"


def _short(raw: str) -> str:
    return raw if len(raw) <= 40 else raw[:37] + "…"


_READERS: dict[str, Callable[[str], Json]] = {"null": _null, "bool": _bool, "int": _int, "float": _float}
