"""How a text is written as a YAML scalar: plain where that keeps it, else in quotes."""

from __future__ import annotations

import json
import re

from ajkit.shared.template.scalars import NotJson, plain_value

_PLAIN = re.compile(
    r"(?![-?:](?:[ ]|$))(?![,\[\]{}#&*!|>'\"%@`])(?!---|\.\.\.)"
    r"(?:[^\s:#\x00-\x1f\x7f-\xa0\u2028\u2029\ufeff\ud800-\udfff]|:(?![ ]|$)|(?<=[^ ])#| (?=[^ #]))+"
)
_FLOW = re.compile(r"[,\[\]{}?]|:(?=[,\[\]{}])")
_ODD = re.compile("[\x7f-\xa0\u2028\u2029\ufeff\ud800-\udfff]")


def scalar(text: str, *, flow: bool = False) -> str:
    """A text as a scalar of one line whose value it is; inside brackets (`flow`) more of them need quotes."""
    return text if is_plain(text, flow=flow) else quoted(text)


def is_plain(text: str, *, flow: bool = False) -> bool:
    """Whether a text can stand without quotes and is a text then."""
    if not _PLAIN.fullmatch(text) or (flow and _FLOW.search(text)) or text in {"=", "<<"}:
        return False
    try:
        return plain_value(text) == text
    except NotJson:
        return False


def quoted(text: str) -> str:
    """A text in double quotes."""
    return _ODD.sub(lambda found: f"\\u{ord(found[0]):04x}", json.dumps(text, ensure_ascii=False))


def key(text: str, *, flow: bool = False) -> str:
    """A text as the key of a mapping: keys are text as written, so that numbers and switches need no quotes."""
    if _PLAIN.fullmatch(text) and not (flow and _FLOW.search(text)) and text != "<<":
        return text
    return quoted(text)


def escaped(text: str) -> str:
    """A text inside a snippet of the protocol."""
    return re.sub(r"[\\$}]", lambda found: f"\\{found[0]}", text)
