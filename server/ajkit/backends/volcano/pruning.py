"""What a cluster made of an object that it was sent: fields it silently dropped."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ajkit.shared.where import format_keypath

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ajkit.shared.where import KeyPath


def pruned(sent: Any, got: Any) -> list[str]:
    """The key paths that were sent and did not come back, in the order they were sent.

    Empty things may go: an API server leaves out texts, numbers and switches that say nothing, and means the same.
    """
    return [format_keypath(path) for path in _pruned(sent, got, ())]


def _pruned(sent: Any, got: Any, path: KeyPath) -> Iterator[KeyPath]:
    if isinstance(sent, dict):
        for key, value in sent.items():
            if isinstance(got, dict) and key in got:
                yield from _pruned(value, got[key], (*path, key))
            elif value:
                yield (*path, key)
    elif isinstance(sent, list):
        for index, value in enumerate(sent):
            if isinstance(got, list) and index < len(got):
                yield from _pruned(value, got[index], (*path, index))
            else:
                yield (*path, index)
