"""The chain: which files a leaf reaches through its bases, where that goes in circles, in which order to merge."""

from __future__ import annotations

import posixpath
from collections import deque
from dataclasses import field
from hashlib import sha256
from typing import TYPE_CHECKING

from ajkit.shared.files import FileProblem
from ajkit.shared.records import dataclass
from ajkit.shared.template import faults
from ajkit.shared.template.names import base_path, shown_path
from ajkit.shared.template.parse import SIZE_LIMIT, parse_bytes
from ajkit.shared.template.source import BaseRef, TemplateFile, read_template

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator

    from ajkit.shared.files import Files
    from ajkit.shared.problem import Problem
    from ajkit.shared.template.merged import Merged
    from ajkit.shared.template.tree import Document

CHAIN_LIMIT = 256
UNTITLED = "untitled:"
RECENT = 32
"""Of so many bases the events are kept that say where things stand: it takes five times the memory of their values."""


@dataclass(slots=True)
class Memo:
    """What was already read and merged: base files by shown path, merged bases by (real path, AJ_HOME).

    `ways` are base names that lead to a file that can be read, by (folder, name, AJ_HOME): its real path and the paths
    that were tried. `recent` are documents in which a place is found quickly. Only bases are kept, so that a workspace
    of thousands of leaves stays small. Entries are good until the file changes: whoever holds a memo across changes
    calls `forget`.
    """

    files: dict[str, TemplateFile | FileProblem] = field(default_factory=dict)
    merged: dict[tuple[str, str | None], Merged] = field(default_factory=dict)
    real: dict[str, str] = field(default_factory=dict)
    ways: dict[tuple[str, str, str | None], tuple[str, tuple[str, ...]]] = field(default_factory=dict)
    recent: deque[Document] = field(default_factory=deque)

    def read(self, document: Document) -> None:
        """Note that a base was read: places in it are likely to be asked for soon, or not for long."""
        if len(self.recent) == RECENT:
            self.recent.popleft().keep()
        self.recent.append(document)

    def forget(self, paths: Iterable[str]) -> None:
        """Drop everything that was made from any of these paths (as shown, tried, or real)."""
        gone = set(paths)
        self.ways.clear()
        for path in gone & self.real.keys():
            del self.real[path]
        for path, entry in list(self.files.items()):
            if path in gone or (isinstance(entry, TemplateFile) and entry.real in gone):
                del self.files[path]
        for key, merged in list(self.merged.items()):
            if key[0] in gone or not gone.isdisjoint(merged.reads()):
                del self.merged[key]

    def forget_failures(self) -> None:
        """Try to read again what could not be read: it may be there now, by whichever path somebody tells of it."""
        for path, entry in list(self.files.items()):
            if not isinstance(entry, TemplateFile):
                del self.files[path]


@dataclass(slots=True)
class Link:
    """One base name of a file and where it leads: a real path, or a problem."""

    ref: BaseRef
    target: str | None
    problem: Problem | None = None


@dataclass(slots=True)
class Member:
    """A file of the chain, its links, and the paths that were tried for it."""

    file: TemplateFile
    links: list[Link]
    overlays: list[Link]
    tried: frozenset[str]


@dataclass(slots=True)
class Chain:
    """All members by real path, groups of members in merge order (a group of several is a cycle), and known results."""

    root: str
    home: str | None
    members: dict[str, Member]
    groups: list[list[str]]
    known: dict[str, Merged]
    cut: frozenset[str]

    def road_within(self, start: str, goal: str, group: frozenset[str]) -> list[tuple[str, BaseRef]]:
        """The shortest walk along names from `start` to `goal` inside a cycle; (path, name that leads on) per step."""
        came: dict[str, tuple[str, BaseRef]] = {}
        queue = deque([start])
        while queue:
            here = queue.popleft()
            for link in (*self.members[here].links, *self.members[here].overlays):
                if link.target in group and link.target not in came:
                    came[link.target] = (here, link.ref)
                    if link.target == goal:
                        queue.clear()
                        break
                    queue.append(link.target)
        road: list[tuple[str, BaseRef]] = []
        here = goal
        while True:
            here, ref = came[here]
            road.append((self.members[here].file.path, ref))
            if here == start:
                return road[::-1]


class Loader:
    """Reads and parses files once, for one AJ_HOME."""

    def __init__(self, files: Files, memo: Memo, home: str | None) -> None:
        self._files = files
        self._memo = memo
        self._home = home
        self._real_home = self.real(home) if home else None

    def real(self, path: str) -> str:
        """The real path, remembered."""
        known = self._memo.real.get(path)
        if known is None:
            known = self._memo.real[path] = self._files.real(path)
        return known

    def load(self, path: str, real: str, *, keep: bool) -> TemplateFile:
        """The template at a shown path.

        Raises:
            FileProblem: it cannot be read.
        """
        known = self._memo.files.get(path)
        if known is None:
            try:
                data = self._files.read(path, SIZE_LIMIT)
                known = read_template(real, sha256(data).hexdigest(), parse_bytes(path, data))
            except FileProblem as error:
                known = error
            if keep:
                self._memo.files[path] = known
                if isinstance(known, TemplateFile):
                    self._memo.read(known.document)
        if isinstance(known, FileProblem):
            raise known
        return known

    def links(self, file: TemplateFile, refs: Iterable[BaseRef], tried: set[str]) -> list[Link]:
        """Where base names of a file lead; the paths looked at are added to `tried`.

        Of a name that leads nowhere these are, with a final ``/``, also the folders looked through for near ones.
        """
        folder = posixpath.dirname(file.real)
        return [self._follow(file, folder, ref, tried) for ref in refs]

    def _follow(self, file: TemplateFile, folder: str, ref: BaseRef, tried: set[str]) -> Link:
        if "." not in ref.name and file.path.startswith(UNTITLED):
            return Link(ref, None, faults.unsaved(ref))
        known = self._memo.ways.get((folder, ref.name, self._home))
        if known is not None:
            tried.update(known[1])
            return Link(ref, known[0])
        wanted = base_path(ref.name, folder, self._home)
        if wanted is None:
            tried.add(f"{folder}/")
            return Link(ref, None, faults.no_home(self._files, ref, folder))
        real = self.real(wanted)
        shown = self.shown(real)
        looked_at = (shown,) if wanted == shown else (shown, wanted)
        tried.update(looked_at)
        try:
            self.load(shown, real, keep=True)
        except FileProblem as error:
            if error.kind == "unreadable":
                return Link(ref, None, faults.unreadable(ref, str(error)))
            tried.update(f"{each}/" for each in (folder, self._real_home) if each is not None)
            return Link(ref, None, faults.missing(self._files, ref, wanted, folder, self._home))
        self._memo.ways[folder, ref.name, self._home] = real, looked_at
        return Link(ref, real)

    def shown(self, real: str) -> str:
        """How a real path is shown."""
        return shown_path(real, self._home, self._real_home)


def discover(loader: Loader, memo: Memo, leaf: TemplateFile, home: str | None, extra: Iterable[BaseRef] = ()) -> Chain:
    """Read all that a leaf reaches. `extra` are the base names laid over it; merged bases in `memo` are not re-read."""
    overlaid = list(extra)
    members: dict[str, Member] = {}
    known: dict[str, Merged] = {}
    cut: set[str] = set()
    queue: deque[tuple[TemplateFile, int]] = deque([(leaf, 1)])
    met = {leaf.real}
    while queue:
        file, level = queue.popleft()
        tried = {file.path}
        member = Member(file, [], [], frozenset())
        members[file.real] = member
        if level > CHAIN_LIMIT:
            cut.add(file.real)
        else:
            member.links = loader.links(file, file.bases, tried)
            if file is leaf and overlaid:
                member.overlays = loader.links(file, overlaid, tried)
        member.tried = frozenset(tried)
        for link in (*member.links, *member.overlays):
            target = link.target
            if target is None or target in met:
                continue
            met.add(target)
            ready = None if overlaid else memo.merged.get((target, home))
            if ready is not None and leaf.real != target:
                known[target] = ready
            else:
                queue.append((loader.load(loader.shown(target), target, keep=True), level + 1))
    return Chain(leaf.real, home, members, list(_groups(members, leaf.real)), known, frozenset(cut))


def _groups(members: dict[str, Member], root: str) -> Iterator[list[str]]:
    """Strongly connected components in reverse topological order (Tarjan's algorithm, without recursion)."""
    index: dict[str, int] = {}
    low: dict[str, int] = {}
    open_stack: list[str] = []
    on_stack: set[str] = set()

    def targets(real: str) -> Iterator[str]:
        member = members[real]
        return (link.target for link in (*member.links, *member.overlays) if link.target in members)

    work: list[tuple[str, Iterator[str]]] = []

    def enter(real: str) -> None:
        index[real] = low[real] = len(index)
        open_stack.append(real)
        on_stack.add(real)
        work.append((real, targets(real)))

    enter(root)
    while work:
        real, rest = work[-1]
        for target in rest:
            if target not in index:
                enter(target)
                break
            if target in on_stack:
                low[real] = min(low[real], index[target])
        else:
            work.pop()
            if work:
                parent = work[-1][0]
                low[parent] = min(low[parent], low[real])
            if low[real] == index[real]:
                group = []
                while True:
                    member = open_stack.pop()
                    on_stack.discard(member)
                    group.append(member)
                    if member == real:
                        break
                yield group
