"""Whole configs as YAML for people: keys in their order, scripts as blocks, nothing folded, nothing shared."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ajkit.shared.template.spelling import head, literal, scalar

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ajkit.shared.where import Json, KeyPath


def yaml_text(value: dict[str, Json]) -> str:
    """A mapping as a YAML document that every reader, of YAML 1.1 or 1.2, reads back the same."""
    return "".join(f"{text}\n" for text, _ in yaml_lines(value))


def yaml_lines(value: dict[str, Json]) -> Iterator[tuple[str, KeyPath]]:
    """What `yaml_text` writes, entry by entry with its key path; the text of an entry may have several lines."""
    if value:
        yield from _mapping(value, (), "")
    else:
        yield "{}", ()


def _mapping(value: dict[str, Json], path: KeyPath, indent: str) -> Iterator[tuple[str, KeyPath]]:
    for key, below in value.items():
        yield from _entry(head(key).replace("\n", f"\n{indent}"), below, (*path, key), indent)


def _entry(name: str, value: Json, path: KeyPath, indent: str) -> Iterator[tuple[str, KeyPath]]:
    if isinstance(value, dict) and value:
        yield f"{indent}{name}", path
        yield from _mapping(value, path, f"{indent}  ")
    elif isinstance(value, list) and value:
        yield f"{indent}{name}", path
        yield from _sequence(value, path, f"{indent}  ")
    else:
        yield f"{indent}{name} {_scalar(value, indent)}", path


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
    if isinstance(value, dict | list):
        return "{}" if isinstance(value, dict) else "[]"
    block = literal(value) if isinstance(value, str) and "\n" in value else None
    if block is None:
        return scalar(value)
    return "\n".join([block[0], *(f"{indent}  {line}" if line else "" for line in block[1:])])
