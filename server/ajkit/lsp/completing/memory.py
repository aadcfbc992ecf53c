"""What completion remembers between requests: base names, values in use, values on offer."""

from __future__ import annotations

from time import monotonic
from typing import TYPE_CHECKING

from ajkit.lsp.completing.bases import KnownNames
from ajkit.lsp.completing.live import LiveValues
from ajkit.lsp.completing.usage import Usage

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable, Iterator

    from ajkit.lsp.view import View
    from ajkit.shared.files import Files


def at_once(steps: Iterator[object]) -> None:
    """Do some work now, to its end."""
    for _ in steps:
        pass


class Memory:
    """The memory of one session.

    Attributes:
        names: base names by home.
        live: values that services offer now; by default there is nobody to ask.
        work: does work off the request path, step by step; by default at once.
    """

    def __init__(self, files: Files) -> None:
        self._files = files
        self._usages: dict[str, Usage] = {}
        self.names = KnownNames(files)
        self.live = LiveValues(monotonic)
        self.work: Callable[[Iterator[object]], None] = at_once

    def usage(self, view: View) -> Usage | None:
        """The values in use in the home of a template, as far as they are known; what is not is read meanwhile."""
        graph = view.graph
        if graph is None:
            return None
        usage = self._usages.get(graph.home)
        if usage is None:
            usage = self._usages[graph.home] = Usage(self._files)
        if usage.stale(graph, without=view.file.real):
            self.work(usage.read(graph, without=view.file.real))
        return usage

    def forget(self, paths: Iterable[str]) -> None:
        """Files changed."""
        reals = {self._files.real(path) for path in paths}
        for usage in self._usages.values():
            usage.forget(reals)
