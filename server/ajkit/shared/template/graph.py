"""The base graph of an AJ_HOME: who names whom, read from `base` alone so that thousands of files stay cheap."""

from __future__ import annotations

import posixpath
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING

from ajkit.shared.files import FileProblem
from ajkit.shared.template.names import SUFFIX, base_path, name_fault
from ajkit.shared.template.parse import SIZE_LIMIT, parse_bytes
from ajkit.shared.template.source import read_template

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable

    from ajkit.shared.files import Files

_NAME = r"[A-Za-z_][A-Za-z0-9_.-]*"
_BASE_KEY = re.compile(rb"^base[ \t]*:|^[\"']base[\"'][ \t]*:|^\{|^\?|^---|^\xef\xbb\xbf|^[&!*]", re.MULTILINE)
_SIMPLE = re.compile(
    rf"base:(?:[ \t]+(?:(?P<one>{_NAME})|(?P<none>~)|\[(?P<flow>[ \t]*{_NAME}(?:[ \t]*,[ \t]*{_NAME})*[ \t]*)\]))?"
    r"[ \t]*(?:[ \t]#[^\n\r]*)?(?=\r?\n|$)"
)
_ITEM = re.compile(
    rf"\r?\n(?:[ \t]*(?:#[^\n\r]*)?\r?\n)*[ \t]*-[ \t]+(?P<name>{_NAME})[ \t]*(?:[ \t]#[^\n\r]*)?(?=\r?\n|$)"
)
_NEXT = re.compile(r"(?:\r?\n[ \t]*(?:#[^\n\r]*)?)*(?:\r?\n(?P<line>[^ \t\r\n-][^\n\r]*)|\r?\n?$)")
_NOT_TEXT = frozenset({"y", "n", "yes", "no", "true", "false", "on", "off", "null"})


def scan_bases(path: str, data: bytes) -> list[str]:
    """The base names of a file, well formed ones only. Common forms are read by pattern, all others are parsed."""
    found = _BASE_KEY.search(data)
    if found is None:
        return []
    if found.group() == b"base:" and data.count(b"\nbase") + data.startswith(b"base") == 1:
        names = _simple(
            data[found.start() : found.start() + 4096].decode("utf-8", "replace"), len(data) - found.start()
        )
        if names is not None:
            return names
    file = read_template(path, "", parse_bytes(path, data))
    return [ref.name for ref in file.bases]


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
    """All template files of one AJ_HOME by real path.

    `paths` maps a real path to the path it is shown under, `bases` to the real paths it extends (in order, missing ones
    left out), `dependents` to the real paths that extend it directly.
    """

    home: str
    paths: dict[str, str] = field(default_factory=dict)
    bases: dict[str, list[str]] = field(default_factory=dict)
    dependents: dict[str, list[str]] = field(default_factory=dict)

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


def read_graph(
    files: Files, home: str, extra: Iterable[str] = (), *, read: Callable[[str], bytes | None] | None = None
) -> Graph:
    """Scan an AJ_HOME and `extra` files outside of it; `read` gives the bytes of open buffers, None for the others."""
    graph = Graph(home)
    listed = [(path, real) for path, real in files.walk(home) if path.endswith(SUFFIX)]
    real_home = files.real(home)
    wanted: dict[str, list[str]] = {}
    for path, real in [*listed, *((each, files.real(each)) for each in extra)]:
        if real in wanted:
            continue
        data = read(path) if read else None
        if data is None:
            try:
                data = files.read(path, SIZE_LIMIT)
            except FileProblem:
                continue
        graph.paths[real] = path
        folder = posixpath.dirname(real)
        wanted[real] = [
            target for name in scan_bases(path, data) if (target := base_path(name, folder, real_home)) is not None
        ]
    for real, targets in wanted.items():
        known = [each if each in wanted else files.real(each) for each in targets]
        graph.bases[real] = [each for each in known if each in wanted]
        for each in dict.fromkeys(graph.bases[real]):
            graph.dependents.setdefault(each, []).append(real)
    return graph
