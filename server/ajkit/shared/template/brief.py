"""Values as messages show them: one line of flow YAML, cut to a budget."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ajkit.shared.where import Json

LENGTH = 60
"""How many characters of a value a message shows."""

_WORD = r"[^\s:#,\[\]{}\"'&*!|>%@`]"
_SAFE = rf"(?i)(?!(?:y|n|yes|no|true|false|on|off|null)$)(?=[A-Za-z_/$]){_WORD}+(?: {_WORD}+)*"
"""Compiled when a message first needs it: most runs have none."""


def brief(value: Json, length: int = LENGTH) -> str:
    """A value in at most `length` characters; ``…`` ends what was cut."""
    text = _flow(value, length)
    return text if len(text) <= length else text[: length - 1] + "…"


def _flow(value: Json, length: int) -> str:
    """Flow YAML; stops adding once the budget is used up, so that huge values cost nothing."""
    if isinstance(value, dict):
        return "{" + _joined((f"{_word(key)}: {_flow(below, length)}" for key, below in value.items()), length) + "}"
    if isinstance(value, list):
        return "[" + _joined((_flow(below, length) for below in value), length) + "]"
    if isinstance(value, str):
        return _word(value[: length + 1])
    return "null" if value is None else json.dumps(value)


def _joined(parts: Iterable[str], length: int) -> str:
    out: list[str] = []
    size = 0
    for part in parts:
        out.append(part)
        size += len(part) + 2
        if size > length:
            break
    return ", ".join(out)


def _word(text: str) -> str:
    return text if re.fullmatch(_SAFE, text) else json.dumps(text, ensure_ascii=False)
