"""YAML with a note beside each line, in one column."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ajkit.cli.terminal import one_line, width
from ajkit.shared.template.yamltext import yaml_lines

if TYPE_CHECKING:
    from collections.abc import Callable

    from ajkit.shared.where import Json, KeyPath

WIDEST = 60
"""Notes are aligned as long as lines are not wider than this."""


def noted_yaml(value: dict[str, Json], note: Callable[[KeyPath], str]) -> str:
    """A mapping as YAML, the line of each key path ending in a comment; it is read back the same."""
    entries = [(text.partition("\n"), path) for text, path in yaml_lines(value)]
    column = max((width(head) for (head, _, _), _ in entries if width(head) <= WIDEST), default=0)
    lines = []
    for (head, end, rest), path in entries:
        said = note(path)
        comment = f"{' ' * max(0, column - width(head))}  # {one_line(said)}" if said else ""
        lines.append(f"{head}{comment}{end}{rest}\n")
    return "".join(lines)
