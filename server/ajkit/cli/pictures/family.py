"""What is drawn: template files by name, and which of them each extends."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping


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
        for above, base in self.edges():
            up.setdefault(base, []).append(above)
        kept = self._reached([name])
        todo = [name]
        for each in todo:
            for above in up.get(each, ()):
                if above not in kept or above == name:
                    kept.add(above)
                    if above not in todo:
                        todo.append(above)
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
