"""The shell lines of a config: where they stand, and the dollars in them that are doubled for amlt."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ajkit.shared.where import at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ajkit.shared.where import Json, KeyPath

SCRIPTS: tuple[KeyPath, ...] = (("environment", "setup"), ("jobs", 0, "command"))
"""The texts, or lists of texts, that a job runs."""

_DOUBLED = re.compile(r"(?<!\$)\$\$(?=\{?[A-Za-z_])")


def texts(value: dict[str, Json], path: KeyPath, above: KeyPath = ()) -> Iterator[tuple[KeyPath, str]]:
    """The texts of a text or a list of texts at a key path, with their key paths, which begin with `above`."""
    found = at(value, path)
    if isinstance(found, str):
        yield (*above, *path), found
    elif isinstance(found, list):
        for index, line in enumerate(found):
            if isinstance(line, str):
                yield (*above, *path, index), line


def lines(value: dict[str, Json], path: KeyPath) -> list[str]:
    """The texts of a text or a list of texts at a key path."""
    found = at(value, path)
    return [each for each in (found if isinstance(found, list) else (found,)) if type(each) is str]


def doubles_dollars(text: str) -> bool:
    """Whether a text holds ``$$`` before a name."""
    return "$$" in text and _DOUBLED.search(text) is not None


def single_dollars(text: str) -> str:
    """A text with every ``$$`` before a name written ``$``; works on YAML source as well, however it is quoted."""
    return _DOUBLED.sub("$", text)
