"""Plain values as YAML that every reader, of YAML 1.1 or 1.2, reads back the same; with a note beside each line."""

from __future__ import annotations

import json
import re
from typing import TYPE_CHECKING

from ajkit.cli.terminal import one_line, width

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ajkit.shared.where import Json, KeyPath

    Note = Callable[[KeyPath], str]

WIDEST = 60
"""Notes are aligned in one column as long as lines are not wider than this."""

KEY_ROOM = 1000
"""YAML sees a key that is not announced only within 1024 characters."""

# Text that no reader takes for anything else: a letter first, and nothing inside that YAML gives a meaning to.
_LETTERS = "A-Za-z\u00c0-\u1fff\u3040-\ud7ff"
_PLAIN = re.compile(
    rf"[{_LETTERS}/$_.](?:[{_LETTERS}0-9_./$@+*=!%~&,;()\[\]{{}}<>^|?'\"\\#-]| (?![# ])|:(?=[^\s:,\[\]{{}}]))*"
)
_WORDS = frozenset(("y", "n", "yes", "no", "true", "false", "on", "off", "null"))
_NUMBERLIKE = re.compile(r"\.[\d_]|\.(?:inf|nan)$", re.IGNORECASE)
_UNPRINTABLE = re.compile("[^\t\n\x20-\x7e\xa0-\ud7ff\ue000-\ufefe\uff00-\ufffd\U00010000-\U0010ffff]|[\u2028\u2029]")
_ESCAPES = {"\0": "\\0", "\x1b": "\\e", "\x85": "\\N", "\u2028": "\\L", "\u2029": "\\P"}


def yaml_text(value: dict[str, Json], note: Note | None = None) -> str:
    """A mapping as a YAML document, keys in their order; `note` gives a comment for the line of each key path."""
    lines = list(_mapping(value, (), "")) if value else [("{}", ())]
    if note is None:
        return "".join(f"{text}\n" for text, _ in lines)
    heads = [text.split("\n", 1)[0] for text, _ in lines]
    column = max((width(head) for head in heads if width(head) <= WIDEST), default=0)
    return "".join(_noted(text, head, note(path), column) for (text, path), head in zip(lines, heads, strict=True))


def _noted(text: str, head: str, note: str, column: int) -> str:
    comment = f"{' ' * max(0, column - width(head))}  # {one_line(note)}" if note else ""
    return f"{head}{comment}{text[len(head) :]}\n"


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
    if ("\\" in text or '"' in text) and not _UNPRINTABLE.search(text) and "\n" not in text and "\t" not in text:
        return "'" + text.replace("'", "''") + "'"
    return _quoted(text)


def _quoted(text: str) -> str:
    return _UNPRINTABLE.sub(_escape, json.dumps(text, ensure_ascii=False))


def _escape(found: re.Match[str]) -> str:
    code = ord(found[0])
    return _ESCAPES.get(found[0]) or (f"\\x{code:02x}" if code < 0x100 else f"\\u{code:04x}")


def _block(text: str, indent: str) -> str:
    """Text of several lines as a literal block; in quotes where a block could not hold it."""
    body = text.rstrip("\n")
    lines = body.split("\n")
    if not body or text.endswith("\n\n") or _UNPRINTABLE.search(text) or lines[0][:1] in ("", " ", "\t"):
        return _quoted(text)
    sign = "|" if text.endswith("\n") else "|-"
    return f"{sign}\n" + "\n".join(f"{indent}  {line}" if line else "" for line in lines)
