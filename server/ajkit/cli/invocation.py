"""What one call of the command line stands on: folder, environment, clock and chance, handed in by `main`."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING, NamedTuple

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

    import click

    from ajkit.engine import Engine
    from ajkit.shared.files import Files


class Invocation(NamedTuple):
    """The surroundings of one call: working directory, environment, and where facts come from.

    `expand` resolves ``~``, `now` gives the time as ISO 8601 in UTC, `new_sid` draws a sid.
    """

    folder: str
    environ: Mapping[str, str]
    expand: Callable[[str], str]
    now: Callable[[], str]
    new_sid: Callable[[], str]

    def engine(self, home: str | None = None, files: Files | None = None) -> Engine:
        """An engine for this folder; `home` is what ``--home`` said, `files` how files are seen (the disk)."""
        from ajkit.engine import Engine

        chosen = home or self.environ.get("AJ_HOME") or None
        return Engine(files=files, home=self.expand(chosen) if chosen else None, folder=self.folder)

    def shown(self, path: str) -> str:
        """A path as people and reports see it: relative to the working directory, with ``/``."""
        return shown_path(path, self.folder)


def shown_path(path: str, folder: str) -> str:
    """A path relative to a folder; what is no absolute path (``command line``) stays as it is."""
    return posixpath.relpath(path, folder) if path.startswith("/") else path


def this(context: click.Context) -> Invocation:
    """The Invocation of a click context."""
    found = context.find_object(Invocation)
    assert found is not None
    return found
