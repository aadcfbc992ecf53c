"""Base names: those beside the file, and those under AJ_HOME, folder by folder; never one that would make a cycle."""

from __future__ import annotations

import posixpath
from dataclasses import dataclass, field
from functools import partial
from typing import TYPE_CHECKING

from ajkit.lsp.completing.items import FILE, FOLDER, LIMIT, Item, escaped, fits
from ajkit.shared.template.graph import leads_to
from ajkit.shared.template.names import SUFFIX, name_fault
from ajkit.shared.template.spelling import flow as spelt

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ajkit.lsp.markup import Markup
    from ajkit.lsp.view import View
    from ajkit.shared.files import Files
    from ajkit.shared.template.graph import Graph

_COMMENT_LINES = 4


@dataclass(slots=True)
class Names:
    """The base names of one home: files by folder and plain name, folders by their parent, files by dotted name.

    All paths are real ones.
    """

    files: dict[str, dict[str, str]] = field(default_factory=dict)
    folders: dict[str, set[str]] = field(default_factory=dict)
    dotted: dict[str, str] = field(default_factory=dict)

    def add(self, path: str, real: str) -> None:
        """Add a file that is reached by a path; it has a name when neither its stem nor a folder has a dot."""
        folder, name = posixpath.split(path)
        stem = name.removesuffix(SUFFIX)
        if name.endswith(SUFFIX) and "." not in stem and name_fault(stem) is None:
            self.files.setdefault(folder, {})[stem] = real

    def complete(self, home: str) -> None:
        """Note the folders between the home and its files, and every dotted name."""
        for folder, files in self.files.items():
            inside = folder.removeprefix(home + "/")
            if inside == folder or "." in inside:
                continue
            prefix = inside.replace("/", ".") + "."
            self.dotted |= {prefix + stem: real for stem, real in files.items()}
            parent = folder
            while parent != home:
                parent, name = posixpath.split(parent)
                self.folders.setdefault(parent, set()).add(name)
        self.dotted = dict(sorted(self.dotted.items()))


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


def base_items(view: View, known: KnownNames, typed: str, offset: int) -> list[Item]:
    """The names that may stand at an offset in `base`, where `typed` is written already."""
    typed = typed.strip("\"'")
    own = view.file.real
    folder = posixpath.dirname(own)
    home = view.engine.files.real(view.home) if view.home else None
    above, dot, _ = typed.rpartition(".")
    inner = home if not dot else posixpath.join(home, *above.split(".")) if home and not name_fault(above) else None
    names = known.of(view.graph) if view.graph else known.listed(each for each in {folder, inner} if each)
    found: dict[str, tuple[int, str]] = {}
    if dot:
        found |= {f"{above}.{stem}": (1, real) for stem, real in _sorted(names.files.get(inner or ""))}
    else:
        found |= {stem: (1, real) for stem, real in _sorted(names.files.get(folder))}
        found |= {name: (3, real) for name, real in names.dotted.items() if posixpath.dirname(real) != folder}
    avoid = {own, *_listed(view, offset), *(view.graph.all_dependents(own) if view.graph else ())}
    left = [(name, rank, real) for name, (rank, real) in found.items() if real not in avoid]
    if len(left) > LIMIT:
        left = [each for each in left if fits(typed, each[0])][: LIMIT + 1]
    items = [_file(view, name, real, rank) for name, rank, real in left]
    for name in sorted(names.folders.get(inner or "", ())):
        path = posixpath.join(inner or "", name)
        if "." not in name and path != folder:
            items.append(_folder(f"{above}{dot}{name}.", _shown(view, path)))
    return items


def _sorted(files: dict[str, str] | None) -> list[tuple[str, str]]:
    return sorted(files.items()) if files else []


def _listed(view: View, offset: int) -> list[str]:
    """Where the names lead that are listed already, the one at the offset apart."""
    others = [each.name for each in view.file.bases if not each.span.start <= offset <= each.span.end]
    return leads_to(view.engine.files, view.file.real, others, view.home or "/")


def _folder(name: str, shown: str) -> Item:
    return Item(name, FOLDER, escaped(name), rank=2, detail=shown + "/")


def _file(view: View, name: str, real: str, rank: int) -> Item:
    detail = _shown(view, real)
    return Item(name, FILE, escaped(spelt(name)), rank, detail, document=partial(_describe, view, real))


def _shown(view: View, real: str) -> str:
    """A path relative to the project folder, as people speak of it."""
    shown = view.graph.paths.get(real, real) if view.graph else real
    return posixpath.relpath(shown, view.resolved.project)


def _describe(view: View, real: str, markup: Markup) -> None:
    """What a base says of itself and contributes, as far as it is in memory."""
    path = view.graph.paths.get(real, real) if view.graph else real
    file = view.engine.known(path)
    if file is None:
        return
    comment = _leading_comment(file.document.text.content)
    if comment:
        markup.line(comment)
    if file.bases:
        markup.line("Extends " + ", ".join(markup.code(each.name) for each in file.bases))
    if file.config is not None and file.config.entries:
        markup.line("Sets " + ", ".join(markup.code(each) for each in file.config.entries))


def _leading_comment(content: str) -> str:
    """The words of the comment that a file begins with."""
    words = []
    for line in content[:2048].splitlines()[:_COMMENT_LINES]:
        if not line.startswith("#"):
            break
        words.append(line.lstrip("# ").rstrip())
    return " ".join(each for each in words if each and not each.startswith("aj:"))
