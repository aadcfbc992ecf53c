"""The problems of many templates, gathered by the file they stand in: a fault in a base shows in all that extend it."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ajkit.lsp.diagnostics import by_path
from ajkit.shared.problem import summed

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ajkit.shared.problem import Problem


class Gathered:
    """What the templates that were looked at showed.

    Attributes:
        changed: the paths whose problems may be others than when somebody last took this set.
    """

    def __init__(self) -> None:
        self._by_path: dict[str, dict[str, list[Problem]]] = {}
        self._paths: dict[str, list[str]] = {}
        self.changed: set[str] = set()

    def put(self, name: str, problems: Iterable[Problem]) -> None:
        """Everything that the template of this name (a real path, a URI) shows now, in all files of its chain."""
        self.drop(name)
        found = by_path(each.without_fixes() for each in problems)  # they are looked for when somebody wants one
        for path, each in found.items():
            self._by_path.setdefault(path, {})[name] = each
        if found:
            self._paths[name] = list(found)
            self.changed.update(found)

    def drop(self, name: str) -> None:
        """A template is no more, or will be looked at again."""
        for path in self._paths.pop(name, ()):
            self.changed.add(path)
            showing = self._by_path[path]
            del showing[name]
            if not showing:
                del self._by_path[path]

    def clear(self) -> None:
        """Anything may have changed."""
        self.changed.update(self._by_path)
        self._by_path.clear()
        self._paths.clear()

    def of(self, path: str) -> list[Problem]:
        """The problems in a file, each once, as a report over all templates has them."""
        return summed(problem for each in self._by_path.get(path, {}).values() for problem in each)
