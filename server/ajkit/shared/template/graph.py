"""The base graph of an AJ_HOME: who names whom, read from `base` alone so that thousands of files stay cheap."""

from __future__ import annotations

import posixpath
import re
from dataclasses import field
from typing import TYPE_CHECKING

from ajkit.shared.files import FileProblem
from ajkit.shared.records import dataclass
from ajkit.shared.template.names import SUFFIX, base_path, name_fault
from ajkit.shared.template.parse import SIZE_LIMIT, parse_bytes
from ajkit.shared.template.source import read_template

if TYPE_CHECKING:
    from collections.abc import Container, Iterable, Iterator

    from ajkit.shared.files import Files

_NAME = r"[A-Za-z_][A-Za-z0-9_.-]*"
_BASE_KEY = re.compile(rb"^base[ \t]*:|^[\"']base[\"'][ \t]*:|^\{|^\?|^---|^\xef\xbb\xbf|^[&!*]", re.MULTILINE)
_FIRST_CONTENT = re.compile(rb"^[ \t]*[^ \t\n#]", re.MULTILINE)
_SIMPLE = re.compile(
    rf"base:(?:[ \t]+(?:(?P<one>{_NAME})|(?P<none>~)|\[(?P<flow>[ \t]*{_NAME}(?:[ \t]*,[ \t]*{_NAME})*[ \t]*)\]))?"
    r"[ \t]*(?:[ \t]#[^\n\r]*)?(?=\r?\n|$)"
)
_ITEM = re.compile(
    rf"\r?\n(?:[ \t]*(?:#[^\n\r]*)?\r?\n)*[ \t]*-[ \t]+(?P<name>{_NAME})[ \t]*(?:[ \t]#[^\n\r]*)?(?=\r?\n|$)"
)
_NEXT = re.compile(r"(?:\r?\n[ \t]*(?:#[^\n\r]*)?)*(?:\r?\n(?P<line>[^ \t\r\n#|>-][^\n\r]*)|\r?\n?$)")
_NOT_TEXT = frozenset({"y", "n", "yes", "no", "true", "false", "on", "off", "null"})


def scan_bases(path: str, data: bytes) -> list[str]:
    """The base names of a file, well formed ones only. Common forms are read by pattern, all others are parsed."""
    if b"\r" in data:
        data = data.replace(b"\r\n", b"\n").replace(b"\r", b"\n")
    first = _FIRST_CONTENT.search(data)
    indented = first is not None and len(first.group()) > 1
    names = None if indented else _scanned(data)
    if names is None:
        names = [ref.name for ref in read_template(path, "", parse_bytes(path, data)).bases]
    return names


def _scanned(data: bytes) -> list[str] | None:
    """The names in a text whose keys begin their lines; None when it has to be parsed."""
    found = _BASE_KEY.search(data)
    if found is None:
        return []
    if found.group() != b"base:" or data.count(b"\nbase") + data.startswith(b"base") != 1:
        return None
    return _simple(data[found.start() : found.start() + 4096].decode("utf-8", "replace"), len(data) - found.start())


def _simple(text: str, size: int) -> list[str] | None:
    """The names of a `base` in one of the forms that people write; None when it has to be parsed."""
    head = _SIMPLE.match(text)
    if not head:
        return None
    at = head.end()
    names: list[str] = []
    if head["one"]:
        names.append(head["one"])
    elif head["flow"]:
        names += [each.strip() for each in head["flow"].split(",")]
    elif not head["none"]:
        while item := _ITEM.match(text, at):
            names.append(item["name"])
            at = item.end()
    rest = _NEXT.match(text, at)
    if not rest or (size > len(text) and rest.end() == len(text)):
        return None
    return None if any(each.lower() in _NOT_TEXT or name_fault(each) for each in names) else names


@dataclass(slots=True)
class Graph:
    """All template files of one AJ_HOME by real path, kept right while they are edited.

    `paths` maps a real path to the path it is shown under, `targets` to the real paths that its base names lead to, in
    order, existing or not; `dependents` turns that round: it knows who waits for a file that is missing.
    """

    home: str
    paths: dict[str, str] = field(default_factory=dict)
    targets: dict[str, list[str]] = field(default_factory=dict)
    dependents: dict[str, dict[str, None]] = field(default_factory=dict)

    def bases(self, real: str) -> list[str]:
        """The files that a file extends, in order, missing ones left out."""
        return [each for each in self.targets.get(real, ()) if each in self.paths]

    def put(self, real: str, path: str, targets: list[str]) -> set[str]:
        """Add a file, or say what its base names lead to now; gives what it began or ceased to extend."""
        before = self.targets.get(real, ())
        self._unlink(real)
        self.paths[real] = path
        self.targets[real] = targets
        for each in targets:
            self.dependents.setdefault(each, {})[real] = None
        return {*before} ^ {*targets}

    def drop(self, real: str) -> None:
        """Take out a file that is gone; those that extend it stay."""
        self._unlink(real)
        self.paths.pop(real, None)
        self.targets.pop(real, None)

    def _unlink(self, real: str) -> None:
        for each in self.targets.get(real, ()):
            self.dependents.get(each, {}).pop(real, None)

    def all_dependents(self, real: str) -> list[str]:
        """Everything that extends a file, directly or further up, each once, nearest first."""
        found: list[str] = []
        met = {real}
        queue = [real]
        for each in queue:
            for above in self.dependents.get(each, ()):
                if above not in met:
                    met.add(above)
                    found.append(above)
                    queue.append(above)
        return found


def read_graph(files: Files, home: str, extra: Iterable[str] = ()) -> Graph:
    """Scan an AJ_HOME and `extra` files outside of it."""
    graph = Graph(home)
    for _ in reading(files, graph, extra):
        pass
    return graph


def reading(files: Files, graph: Graph, extra: Iterable[str] = ()) -> Iterator[int]:
    """Fill a graph one file after the other; yields how many are still to come, so that others can work in between."""
    listed = [(path, real) for path, real in files.walk(graph.home) if path.endswith(SUFFIX)]
    listed += [(path, files.real(path)) for path in extra]
    # A file that is reached by links too is shown where it lies.
    real_home = files.real(graph.home)
    listed.sort(key=lambda each: each[1] != f"{real_home}{each[0].removeprefix(graph.home)}")
    inside = {real for _, real in listed}
    for index, (path, real) in enumerate(listed):
        if real in graph.paths:
            continue
        try:
            data = files.read(path, SIZE_LIMIT)
        except FileProblem as error:
            if error.kind != "unreadable":
                continue
            # It stays one of the files, so that a check tells of it.
            data = b""
        graph.put(real, path, leads_to(files, real, scan_bases(path, data), graph.home, inside))
        yield len(listed) - index - 1


def leads_to(files: Files, real: str, names: Iterable[str], home: str, known: Container[str] = ()) -> list[str]:
    """The real paths that base names of a file lead to; paths in `known` are known to be real."""
    folder = posixpath.dirname(real)
    real_home = files.real(home)
    wanted = [path for name in names if (path := base_path(name, folder, real_home)) is not None]
    return [each if each in known else files.real(each) for each in wanted]
