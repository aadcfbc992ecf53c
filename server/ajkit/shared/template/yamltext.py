"""Plain values as YAML that every reader, of YAML 1.1 or 1.2, reads back the same."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ajkit.shared.where import Json, KeyPath

KEY_ROOM = 1000
"""YAML sees a key that is not announced only within 1024 characters."""

# Text that no reader takes for anything else: a letter first, and nothing inside that YAML gives a meaning to.
_PLAIN = re.compile(r"(?:[^\W\d]|[/$.])(?:[\w./$@+*=!%~&,;()\[\]{}<>^|?'\"\\#-]| (?![# ])|:(?=[^\s:,\[\]{}]))*")
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


def yaml_text(value: dict[str, Json]) -> str:
    """A mapping as a YAML document, keys in their order: scripts as blocks, nothing folded, nothing shared."""
    return "".join(f"{text}\n" for text, _ in yaml_lines(value))


def yaml_lines(value: dict[str, Json]) -> Iterator[tuple[str, KeyPath]]:
    """What `yaml_text` writes, entry by entry with its key path; the text of an entry may have several lines."""
    if value:
        yield from _mapping(value, (), "")
    else:
        yield "{}", ()


def _mapping(value: dict[str, Json], path: KeyPath, indent: str) -> Iterator[tuple[str, KeyPath]]:
    for key, below in value.items():
        text = _scalar_text(key)
        # Longer keys are seen as keys only when they are announced.
        head = f"{text}:" if len(text) <= KEY_ROOM else f"? {text}\n{indent}:"
        yield from _entry(head, below, (*path, key), indent)


def _entry(head: str, value: Json, path: KeyPath, indent: str) -> Iterator[tuple[str, KeyPath]]:
    if isinstance(value, dict) and value:
        yield f"{indent}{head}", path
        yield from _mapping(value, path, f"{indent}  ")
    elif isinstance(value, list) and value:
        yield f"{indent}{head}", path
        yield from _sequence(value, path, f"{indent}  ")
    else:
        yield f"{indent}{head} {_scalar(value, indent)}", path


def _sequence(value: list[Json], path: KeyPath, indent: str) -> Iterator[tuple[str, KeyPath]]:
    for index, item in enumerate(value):
        here = (*path, index)
        if isinstance(item, dict | list) and item:
            below = (
                _mapping(item, here, f"{indent}  ") if isinstance(item, dict) else _sequence(item, here, f"{indent}  ")
            )
            # The first line of the item moves up beside its dash.
            for number, (text, where) in enumerate(below):
                yield (f"{indent}- {text[len(indent) + 2 :]}" if number == 0 else text), where
        else:
            yield f"{indent}- {_scalar(item, indent)}", here


def _scalar(value: Json, indent: str) -> str:
    match value:
        case None:
            return "null"
        case bool():
            return "true" if value else "false"
        case float():
            return _float(value)
        case str():
            return _block(value, indent) if "\n" in value else _scalar_text(value)
        case dict():
            return "{}"
        case list():
            return "[]"
        case _:
            return str(value)


def _float(value: float) -> str:
    """A float that YAML 1.1 reads as one too: ``1e+16`` needs a point there."""
    text = repr(value)
    return text.replace("e", ".0e", 1) if "e" in text and "." not in text else text


def _scalar_text(text: str) -> str:
    """One line of text: plain where nothing can misread it, else in quotes."""
    if _PLAIN.fullmatch(text) and text.lower() not in _WORDS and not _NUMBERLIKE.match(text) and text[-1] != " ":
        return text
    if ("\\" in text or '"' in text) and text.isprintable():
        return "'" + text.replace("'", "''") + "'"
    return _quoted(text)


def _quoted(text: str) -> str:
    return '"' + "".join(map(_escaped, text)) + '"'


def _escaped(character: str) -> str:
    if character in _ESCAPES:
        return _ESCAPES[character]
    if character.isprintable():
        return character
    code = ord(character)
    if code < 0x100:
        return f"\\x{code:02x}"
    return f"\\u{code:04x}" if code < 0x10000 else f"\\U{code:08x}"


def _block(text: str, indent: str) -> str:
    """Text of several lines as a literal block; in quotes where a block could not hold it."""
    body = text.rstrip("\n")
    lines = body.split("\n")
    odd = not text.replace("\n", "").replace("\t", "").isprintable()
    if odd or not body or text.endswith("\n\n") or lines[0][:1] in ("", " ", "\t"):
        return _quoted(text)
    sign = "|" if text.endswith("\n") else "|-"
    return f"{sign}\n" + "\n".join(f"{indent}  {line}" if line else "" for line in lines)
