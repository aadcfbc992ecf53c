"""The AJ_HOMEs that an engine looks at: which one a path belongs to, its settings, and who extends whom in it."""

from __future__ import annotations

import fnmatch
import posixpath
from typing import TYPE_CHECKING

from ajkit.disk import DiskFiles
from ajkit.shared.files import FileProblem
from ajkit.shared.template.graph import Graph, leads_to, read_graph
from ajkit.shared.template.names import SETTINGS_NAME, find_home, shown_path
from ajkit.shared.template.settings import Settings, read_settings, unreadable_settings

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ajkit.shared.files import Files
    from ajkit.shared.template.source import TemplateFile

SETTINGS_LIMIT = 1 << 20


class Homes:
    """What is known of homes; it stays good until `forget_homes`."""

    def __init__(self, files: Files | None, fixed_home: str | None, folder: str) -> None:
        self.files: Files = files or DiskFiles()
        self.folder = folder
        self._fixed_home = self.absolute(fixed_home) if fixed_home else None
        self._settings: dict[str, Settings] = {}
        self._graphs: dict[str, Graph] = {}
        self._homes: dict[str, str | None] = {}
        self._globbed: dict[str, list[str]] = {}

    def forget_homes(self) -> None:
        """Look at everything anew: files appeared, changed or went away."""
        for known in (self._graphs, self._homes, self._settings, self._globbed):
            known.clear()
        if isinstance(self.files, DiskFiles):
            self.files.refresh()

    def follow_edit(self, file: TemplateFile) -> set[str]:
        """Keep the graphs right while a template is being typed; gives the files that have other dependents now."""
        reached: set[str] = set()
        for home, graph in self._graphs.items():
            if file.real in graph.paths or file.path.startswith(home + "/"):
                targets = leads_to(self.files, file.real, [ref.name for ref in file.bases], home, graph.paths)
                reached |= graph.put(file.real, graph.paths.get(file.real, file.path), targets)
        return reached

    def home_of(self, path: str) -> str | None:
        """The AJ_HOME of a template, or of a folder that names are looked up from.

        A buffer without a file is in no folder: to it names mean what they mean in the working directory.
        """
        if self._fixed_home:
            return self._fixed_home
        folder = posixpath.dirname(path) or self.folder
        if folder not in self._homes:
            self._homes[folder] = find_home(self.files, folder)
        return self._homes[folder]

    def home_here(self) -> str | None:
        """The AJ_HOME that template names mean."""
        return self.home_of(posixpath.join(self.folder, "x"))

    def absolute(self, path: str) -> str:
        """A path as the engine wants it: absolute, ``.`` and ``..`` folded, links kept."""
        return posixpath.normpath(posixpath.join(self.folder, path))

    def settings(self, home: str | None) -> Settings:
        """What the `aj.toml` of a home says."""
        if home is None:
            return Settings()
        known = self._settings.get(home)  # held: another thread may forget it at any time
        if known is None:
            path = posixpath.join(home, SETTINGS_NAME)
            try:
                known = read_settings(path, self.files.read(path, SETTINGS_LIMIT))
            except FileProblem as error:
                known = Settings() if error.kind == "missing" else unreadable_settings(path, str(error))
            self._settings[home] = known
        return known

    def settings_paths(self) -> list[str]:
        """The `aj.toml` of every home whose settings are known, there or not."""
        return [posixpath.join(home, SETTINGS_NAME) for home in self._settings]

    def graph(self, home: str) -> Graph:
        """Who extends whom in a home."""
        if home not in self._graphs:
            self._graphs[home] = read_graph(self.files, home, self.globbed(home))
        return self._graphs[home]

    def has_graph(self, home: str) -> bool:
        """Whether it is known who extends whom in a home."""
        return home in self._graphs

    def homes_with_graph(self) -> list[str]:
        """The homes whose graph is known."""
        return list(self._graphs)

    def shown(self, path: str, home: str | None) -> str:
        """How a path is shown once its links are followed: under its home as the person reached it."""
        return shown_path(self.files.real(path), home, self.files.real(home) if home else None)

    def take_graph(self, graph: Graph) -> None:
        """Take over a graph that was read elsewhere, step by step."""
        self._graphs[graph.home] = graph

    def globbed(self, home: str) -> list[str]:
        """Files of the project that the globs of `aj.toml` call templates, outside of the home itself."""
        if home not in self._globbed:
            self._globbed[home] = self.look_for_globbed(home, self.settings(home))
        return self._globbed[home]

    def look_for_globbed(self, home: str, settings: Settings) -> list[str]:
        """The same, looked for now and not kept: a thread may do it, and be told of what changed when it is over."""
        listed = self.files.walk(posixpath.dirname(home)) if settings.templates else []
        return [path for path, _ in listed if not path.startswith(home + "/") and _called(path, home, settings)]

    def take_globbed(self, home: str, paths: list[str]) -> None:
        """Take over what was looked for elsewhere."""
        self._globbed[home] = paths

    def in_globs(self, path: str, home: str) -> bool:
        """Whether the globs of the `aj.toml` of a home call a file a template."""
        return _called(path, home, self.settings(home))


def _called(path: str, home: str, settings: Settings) -> bool:
    inside = posixpath.relpath(path, posixpath.dirname(home)).split("/")
    return any(_matches(inside, posixpath.normpath(each).split("/")) for each in settings.templates)


def _matches(path: Sequence[str], glob: Sequence[str]) -> bool:
    """Whether a path matches a glob step by step: ``*`` stays in one folder, ``**`` is any number of folders."""
    # How many steps of the path the glob may have taken so far: however many `**` there are, each is walked once.
    taken = {0}
    for step in glob:
        if step == "**":
            taken = set(range(min(taken, default=len(path) + 1), len(path) + 1))
        else:
            taken = {each + 1 for each in taken if each < len(path) and fnmatch.fnmatchcase(path[each], step)}
    return len(path) in taken
