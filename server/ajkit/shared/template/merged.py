"""Merged files: the result of one file over its bases, what it was merged from, and what is wrong on the way."""

from __future__ import annotations

from dataclasses import field
from typing import TYPE_CHECKING
from weakref import ref

from ajkit.shared.records import dataclass
from ajkit.shared.template.merge import merge_mappings
from ajkit.shared.template.tree import Mapping, node_at

if TYPE_CHECKING:
    from collections.abc import Iterator
    from weakref import ReferenceType

    from ajkit.shared.problem import Problem
    from ajkit.shared.template.source import BaseRef, TemplateFile
    from ajkit.shared.template.tree import Entry, Node
    from ajkit.shared.where import Json, KeyPath, Text


@dataclass(frozen=True, slots=True)
class Written:
    """A mapping as one hand wrote it: a file's own config, or what the command line sets.

    `label` names the hand: the path of the file, or the command line's option. `value` is plain, `nodes` the number of
    its nodes; `source` is the located mapping, or the file whose config it is.
    """

    label: str
    text: Text
    value: dict[str, Json]
    nodes: int
    source: Mapping | TemplateFile

    @property
    def node(self) -> Mapping:
        """The located mapping."""
        node = self.source if isinstance(self.source, Mapping) else self.source.config
        assert node
        return node

    def written(self, path: KeyPath) -> tuple[Node, Entry | None] | None:
        """The node at a key path, with the entry it stands under; None where nothing is."""
        return node_at(self.source, path) if isinstance(self.source, Mapping) else self.source.written(path)


@dataclass(frozen=True, slots=True)
class Inherited:
    """A base's result as one source of a merge, with the name that asked for it (`aj.toml`, `--with` included)."""

    ref: BaseRef
    merged: Merged

    @property
    def value(self) -> dict[str, Json]:
        """The plain value."""
        return self.merged.value

    @property
    def nodes(self) -> int:
        """An upper bound of the number of nodes."""
        return self.merged.nodes


@dataclass(frozen=True, slots=True)
class Together:
    """Several small written mappings that merge with one another first and count as one source."""

    parts: tuple[Written, ...]

    @property
    def value(self) -> dict[str, Json]:
        """The plain value."""
        return merge_mappings([each.value for each in self.parts])

    @property
    def nodes(self) -> int:
        """An upper bound of the number of nodes."""
        return 1 + sum(each.nodes for each in self.parts)


Part = Written | Inherited | Together


@dataclass(frozen=True, slots=True)
class Clash:
    """What happens when a base follows one that shares ancestors with it.

    `shared` are the paths of the ancestors that come again, `doubled` the key paths of lists that double, `undone` the
    key paths of values of the first base that go back to the ancestor's.
    """

    shared: tuple[str, ...]
    doubled: tuple[KeyPath, ...]
    undone: tuple[KeyPath, ...]


@dataclass(slots=True)
class Meeting:
    """What is known of a base that follows another one in some file: many files name the same two.

    `second` is the base that follows, held weakly: what it was before an edit must not live on here. `clash`, and
    whether it `takes` a value away, are worked out on demand by `ajkit.shared.template.diamond` and `.replaced`.
    """

    second: ReferenceType[Merged]
    clash: Clash | None = None
    takes: bool | None = None


@dataclass(slots=True, weakref_slot=True)
class Merged:
    """One file merged over its bases.

    `parts` are its sources in merge order; `nodes` bounds the number of nodes of `value`; `height` counts levels of
    bases; `problems` are those written in this file, `causes` the stopping errors in it or below; `settled` is false
    where the result depends on the way it was reached (a cycle, a chain cut short), so that it must not be remembered.
    `told`, `odd_texts` and `kinds` are worked out on demand and kept by `ajkit.shared.template.lint`, `.checks` and
    `.replaced`: many leaves name the same few bases.
    """

    file: TemplateFile
    parts: tuple[Part, ...]
    value: dict[str, Json]
    nodes: int
    height: int
    problems: tuple[Problem, ...]
    causes: tuple[Problem, ...]
    on_cycle: bool
    settled: bool
    tried: frozenset[str]
    _others: tuple[Merged, ...] | None = field(default=None, compare=False)
    _reads: frozenset[str] | None = field(default=None, compare=False)
    _reals: frozenset[str] | None = field(default=None, compare=False)
    kinds: dict[KeyPath, type] | None = field(default=None, compare=False)
    _meetings: dict[str, Meeting] = field(default_factory=dict, compare=False)
    told: tuple[Problem, ...] | None = field(default=None, compare=False)
    odd_texts: bool | None = field(default=None, compare=False)

    def bases(self) -> Iterator[Merged]:
        """The results of its bases, in order."""
        return (part.merged for part in self.parts if isinstance(part, Inherited))

    def below(self) -> tuple[Merged, ...]:
        """Itself and every merged file it is made from, each once, nearest first."""
        if self._others is None:
            found = list(self.bases())
            met: set[int] = set()
            others = []
            for each in found:
                if id(each) not in met:
                    met.add(id(each))
                    others.append(each)
                    found.extend(each.bases())
            # Without itself: a circle of references would outlive its use until the garbage collector comes by.
            self._others = tuple(others)
        return (self, *self._others)

    def reads(self) -> frozenset[str]:
        """Every path that was looked at for it, existing or not."""
        if self._reads is None:
            self._reads = frozenset().union(*(each.tried for each in self.below()))
        return self._reads

    def reals(self) -> frozenset[str]:
        """The real paths of the files it is made from, its own too."""
        if self._reals is None:
            self._reals = frozenset([each.file.real for each in self.below()])
        return self._reals

    def meeting(self, second: Merged) -> Meeting:
        """What is known of a base that follows this one in some file; the same answer for every such file."""
        known = self._meetings.get(second.file.real)
        if known is None or known.second() is not second:
            known = self._meetings[second.file.real] = Meeting(ref(second))
        return known
