"""Base names: those beside the file, and those under AJ_HOME, folder by folder; never one that would make a cycle."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field
from functools import partial
from itertools import islice
from typing import TYPE_CHECKING

from ajkit.lsp.completing.items import FILE, FOLDER, LIMIT, Item, escaped
from ajkit.shared.template.graph import leads_to
from ajkit.shared.template.names import SUFFIX, name_fault
from ajkit.shared.template.spelling import flow as spelt

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ajkit.lsp.markup import Markup
    from ajkit.lsp.view import View
    from ajkit.shared.files import Files
    from ajkit.shared.template.graph import Graph
    from ajkit.shared.template.source import TemplateFile

_COMMENT_LINES = 4
_USUAL = re.compile(r"[A-Za-z0-9_-]+")
_BESIDE, _FOLDERS, _ELSEWHERE = range(1, 4)


@dataclass(slots=True)
class Names:
    """The base names of one home: files by folder and plain name, folders by their parent, prefixes of dotted names.

    All paths are real ones.
    """

    files: dict[str, dict[str, str]] = field(default_factory=dict)
    folders: dict[str, set[str]] = field(default_factory=dict)
    prefixes: dict[str, str] = field(default_factory=dict)

    def add(self, path: str, real: str) -> None:
        """Add a file that is reached by a path; it has a name when its stem has no dot."""
        folder, _, name = path.rpartition("/")
        stem = name.removesuffix(SUFFIX)
        if stem != name and (_USUAL.fullmatch(stem) or ("." not in stem and name_fault(stem) is None)):
            self.files.setdefault(folder, {})[stem] = real

    def complete(self, home: str) -> None:
        """Note the folders between the home and its files, and how dotted names begin; put all in order."""
        for folder in sorted(self.files):
            self.files[folder] = dict(sorted(self.files[folder].items()))
            inside = folder.removeprefix(home + "/")
            if inside == folder or "." in inside:
                continue
            self.prefixes[folder] = inside.replace("/", ".") + "."
            while folder != home:
                folder, _, name = folder.rpartition("/")  # noqa: PLW2901 - up to the home
                self.folders.setdefault(folder, set()).add(name)

    def beside(self, folder: str, prefix: str = "") -> Iterator[tuple[str, str]]:
        """The files of a folder by plain name, or behind a prefix."""
        return ((prefix + stem, real) for stem, real in self.files.get(folder, {}).items())

    def dotted(self, without: str) -> Iterator[tuple[str, str]]:
        """All files by dotted name, those of one folder apart."""
        for folder, prefix in self.prefixes.items():
            if folder != without:
                yield from self.beside(folder, prefix)


class KnownNames:
    """The names of the homes whose base graph is known, worked out once for each graph."""

    def __init__(self, files: Files) -> None:
        self._files = files
        self._known: dict[str, tuple[Graph, int, Names]] = {}

    def of(self, graph: Graph) -> Names:
        """The names of a home."""
        known = self._known.get(graph.home)
        if known is None or known[0] is not graph or known[1] != len(graph.paths):
            names = Names()
            home = self._files.real(graph.home)
            for real, path in graph.paths.items():
                names.add(home + path.removeprefix(graph.home) if path.startswith(graph.home + "/") else path, real)
            names.complete(home)
            known = self._known[graph.home] = (graph, len(graph.paths), names)
        return known[2]

    def listed(self, folders: Iterable[str]) -> Names:
        """The names in a few folders, where no graph is known yet."""
        names = Names()
        for folder in folders:
            for name in self._files.names(folder):
                if name.endswith(SUFFIX):
                    path = posixpath.join(folder, name)
                    names.add(path, self._files.real(path))
                elif "." not in name:
                    names.folders.setdefault(folder, set()).add(name)
        return names


def base_items(view: View, known: KnownNames, typed: str, offset: int) -> tuple[list[Item], bool]:
    """The names that may stand at an offset in `base`, where `typed` is written already; and whether that is not all.

    Where there are more names than can be sent, only those that hold the typed letters in their order are told.
    """
    typed = typed.strip("\"'")
    own = view.file.real
    folder = posixpath.dirname(own)
    home = view.engine.files.real(view.home) if view.home else None
    above, dot, _ = typed.rpartition(".")
    inner = home if not dot else posixpath.join(home, *above.split(".")) if home and not name_fault(above) else None
    names = known.of(view.graph) if view.graph else known.listed(each for each in {folder, inner} if each)
    if dot:
        found = [(_BESIDE, *each) for each in names.beside(inner or "", f"{above}.")]
    else:
        found = [(_BESIDE, *each) for each in names.beside(folder)]
        found += [(_ELSEWHERE, *each) for each in names.dotted(folder)]
    many = len(found) > LIMIT
    fits = re.compile(".*?".join(map(re.escape, typed)) if many else "", re.IGNORECASE).search
    avoid = {own, *_listed(view, offset), *(view.graph.all_dependents(own) if view.graph else ())}
    fitting = (each for each in found if fits(each[1]) and each[2] not in avoid)
    items = [_file(view, name, real, rank) for rank, name, real in islice(fitting, LIMIT)]
    for name in sorted(names.folders.get(inner or "", ())):
        path = posixpath.join(inner or "", name)
        if "." not in name and path != folder:
            items.append(_folder(f"{above}{dot}{name}.", _shown(view, path)))
    return items, many


def _listed(view: View, offset: int) -> list[str]:
    """Where the names lead that are listed already, the one at the offset apart."""
    others = [each.name for each in view.file.bases if not each.span.start <= offset <= each.span.end]
    return leads_to(view.engine.files, view.file.real, others, view.home or "/")


def _folder(name: str, shown: str) -> Item:
    return Item(name, FOLDER, escaped(name), _FOLDERS, detail=shown + "/")


def _file(view: View, name: str, real: str, rank: int) -> Item:
    path = view.graph.paths.get(real, real) if view.graph else real
    file = view.engine.known(path)
    document = partial(_describe, file) if file is not None else None
    return Item(name, FILE, escaped(spelt(name)), rank, _shown(view, path), document=document)


def _shown(view: View, path: str) -> str:
    """A path, a real one too, relative to the project folder, as people speak of it."""
    path = view.engine.shown(path, view.home)
    project = view.resolved.project.rstrip("/") + "/"
    return path.removeprefix(project) if path.startswith(project) else posixpath.relpath(path, project)


def _describe(file: TemplateFile, markup: Markup) -> None:
    """What a base that is in memory says of itself and contributes."""
    comment = _leading_comment(file.document.text.content)
    if comment:
        markup.line(comment)
    if file.bases:
        markup.line("Extends " + ", ".join(markup.code(each.name) for each in file.bases))
    if file.values:
        markup.line("Sets " + ", ".join(markup.code(each) for each in file.values))


def _leading_comment(content: str) -> str:
    """The words of the comment that a file begins with."""
    words = []
    for line in content[:2048].splitlines()[:_COMMENT_LINES]:
        if not line.startswith("#"):
            break
        words.append(line.lstrip("# ").rstrip())
    return " ".join(each for each in words if each and not each.startswith("aj:"))
