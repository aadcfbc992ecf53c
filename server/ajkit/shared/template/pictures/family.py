"""What is drawn: template files by name, and which of them each extends."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ajkit.shared.records import dataclass
from ajkit.shared.template.names import dotted_name, template_name

if TYPE_CHECKING:
    from collections.abc import Callable, Collection, Mapping

    from ajkit.shared.template.graph import Graph


@dataclass(frozen=True, slots=True)
class Member:
    """One file: the name people call it by, its path as shown, whether it is a leaf, the names it extends in order."""

    name: str
    path: str
    leaf: bool
    bases: tuple[str, ...]


@dataclass(frozen=True, slots=True)
class Family:
    """Members by name, sorted. Every base of a member is a member."""

    members: Mapping[str, Member]

    def edges(self) -> list[tuple[str, str]]:
        """Pairs of a name and one it extends, each once."""
        return [(each.name, base) for each in self.members.values() for base in dict.fromkeys(each.bases)]

    def heads(self) -> list[str]:
        """Names that no other member extends; where a cycle would hide members, one of each cycle."""
        extended = {base for name, base in self.edges() if name != base}
        found = [name for name in self.members if name not in extended]
        met = self._reached(found)
        for name in self.members:
            if name not in met:
                found.append(name)
                met |= self._reached([name])
        return found

    def around(self, name: str) -> Family:
        """Only what a member extends and what extends it, directly or not."""
        up: dict[str, list[str]] = {}
        for each, base in self.edges():
            up.setdefault(base, []).append(each)
        above = {name}
        todo = [name]
        while todo:
            for each in up.get(todo.pop(), ()):
                if each not in above:
                    above.add(each)
                    todo.append(each)
        kept = above | self._reached([name])
        members = {
            each.name: Member(each.name, each.path, each.leaf, tuple(base for base in each.bases if base in kept))
            for each in self.members.values()
            if each.name in kept
        }
        return Family(members)

    def _reached(self, names: list[str]) -> set[str]:
        met = set(names)
        todo = list(names)
        while todo:
            for base in self.members[todo.pop()].bases:
                if base not in met:
                    met.add(base)
                    todo.append(base)
        return met


def family_of(graph: Graph, leaves: Collection[str], shown: Callable[[str], str]) -> tuple[Family, dict[str, str]]:
    """Everything of a home, and the names of its files by real path.

    Args:
        graph: who extends whom there.
        leaves: the real paths of its leaves.
        shown: how a path is shown; files that no name leads to, or two files of one name, are called by it.
    """
    names: dict[str, str] = {}
    for real, path in graph.paths.items():
        name = template_name(path, graph.home) if real in leaves else dotted_name(path, graph.home)
        names[real] = name or shown(path)
    taken: dict[str, int] = {}
    for name in names.values():
        taken[name] = taken.get(name, 0) + 1
    names = {real: name if taken[name] == 1 else shown(graph.paths[real]) for real, name in names.items()}
    members = [
        Member(names[real], shown(path), real in leaves, tuple(names[base] for base in graph.bases(real)))
        for real, path in graph.paths.items()
    ]
    return Family({each.name: each for each in sorted(members, key=lambda each: each.name)}), names
