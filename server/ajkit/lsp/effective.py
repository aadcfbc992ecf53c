"""From what a file writes to where it stands in the merged config."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ajkit.shared.where import Rule, at

if TYPE_CHECKING:
    from ajkit.shared.template.resolve import Resolved
    from ajkit.shared.template.source import TemplateFile
    from ajkit.shared.where import KeyPath


def effective_path(resolved: Resolved, file: TemplateFile, path: KeyPath) -> KeyPath:
    """The key path in the merged config of what `file`, one of its chain, writes at a key path of its own config.

    Items of lists that are concatenated stand behind those of the bases; everything else stays where it is.
    """
    found: KeyPath = ()
    for depth, step in enumerate(path, 1):
        here = step
        if isinstance(step, int):
            written = file.written(path[:depth])
            if written is not None:
                here = _index(resolved, found, file.path, (written[0].start, written[0].end), step)
        found = (*found, here)
    return found


def _index(resolved: Resolved, items: KeyPath, label: str, place: tuple[int, int], otherwise: int) -> int:
    """The index in a merged list of the item that stands at a place of a file."""
    trail = resolved.trail(items)
    value = at(resolved.config, items)
    if trail is None or trail.rule is not Rule.CONCAT or not isinstance(value, list):
        return otherwise
    for index in range(otherwise, len(value)):
        winner = resolved.winner((*items, index))
        if winner and winner.label == label and winner.span and (winner.span.start, winner.span.end) == place:
            return index
    return otherwise
