"""Plain values spelt as YAML that every reader, of YAML 1.1 or 1.2, takes for the same, on a line or as a block."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from ajkit.shared.where import Json

Scalar = bool | int | float | str | None

KEY_ROOM = 1000
"""YAML sees a key that is not announced only within 1024 characters."""

# Text that no reader takes for anything else: a letter first, and nothing inside that YAML gives a meaning to.
_PLAIN = re.compile(r"(?:[^\W\d]|[/$.])(?:[\w./$@+*=!%~&,;()\[\]{}<>^|?'\"\\#-]| (?![# ])|:(?=[^\s:,\[\]{}]))*")
_QUANTITY = re.compile(r"[0-9]+(?:[KMGTPE]i|[KMGTPm])")
_IN_FLOW = re.compile(r"[^,\[\]{}?:]*")
_WORDS = frozenset(("y", "n", "yes", "no", "true", "false", "on", "off", "null"))
_NUMBERLIKE = re.compile(r"\.(?:[\d_]|inf$|nan$)", re.IGNORECASE)
_ESCAPES = {
    '"': '\\"',
    "\\": "\\\\",
    "\n": "\\n",
    "\t": "\\t",
    "\r": "\\r",
    "\0": "\\0",
    "\x1b": "\\e",
    "\x85": "\\N",
    "\u2028": "\\L",
    "\u2029": "\\P",
}


def scalar(value: Scalar) -> str:
    """A scalar on one line, for block context."""
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case float():
            return _float(value)
        case str():
            return text(value)
        case _:
            return str(value)


def text(value: str) -> str:
    """A text on one line: plain where nothing can misread it, else in quotes."""
    plain = _PLAIN.fullmatch(value) and value.lower() not in _WORDS and not _NUMBERLIKE.match(value)
    if (plain and value[-1] != " ") or _QUANTITY.fullmatch(value):
        return value
    if ("\\" in value or '"' in value) and value.isprintable():
        return "'" + value.replace("'", "''") + "'"
    return quoted(value)


def quoted(value: str) -> str:
    """A text in double quotes, whatever it holds."""
    return '"' + "".join(map(_escaped, value)) + '"'


def literal(value: str) -> list[str] | None:
    """A text of several lines as a literal block: its header, then its lines; None where a block could not hold it."""
    body = value.rstrip("\n")
    lines = body.split("\n")
    odd = not value.replace("\n", "").replace("\t", "").isprintable()
    if odd or not body or value.endswith("\n\n") or lines[0][:1] in ("", " ", "\t"):
        return None
    return ["|" if value.endswith("\n") else "|-", *lines]


def flow(value: Json) -> str:
    """A value on one line, for use inside brackets as well."""
    if isinstance(value, dict):
        return "{" + ", ".join(f"{flow_key(key)} {flow(below)}" for key, below in value.items()) + "}"
    if isinstance(value, list):
        return "[" + ", ".join(map(flow, value)) + "]"
    if isinstance(value, str) and not _IN_FLOW.fullmatch(value):
        return quoted(value)
    return scalar(value)


def flow_key(key: str) -> str:
    """A key with its colon, for use inside brackets."""
    return f"{'? ' if len(key) > KEY_ROOM else ''}{flow(key)}:"


def head(key: str) -> str:
    """A key with its colon, for block context, on as many lines as it takes."""
    spelt = text(key)
    # Longer keys are seen as keys only when they are announced.
    return f"{spelt}:" if len(spelt) <= KEY_ROOM else f"? {spelt}\n:"


def _float(value: float) -> str:
    """A float that YAML 1.1 reads as one too: ``1e+16`` needs a point there."""
    spelt = repr(value)
    return spelt.replace("e", ".0e", 1) if "e" in spelt and "." not in spelt else spelt


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return character
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"
