"""Trails on demand: who set the value at a key path, what it overrode, by which rule, along which road.

Nothing is recorded while merging. A question walks down the sources that were merged, asking at every key which of them
are present and which row of the merge table applies; a base is asked the same question again.
"""

from __future__ import annotations

from dataclasses import replace
from typing import TYPE_CHECKING, NamedTuple

from ajkit.shared.template.merge import rule_of
from ajkit.shared.template.merged import Together, Written
from ajkit.shared.template.tree import Scalar
from ajkit.shared.where import Missing, Origin, Rule, Span, Trail, at

if TYPE_CHECKING:
    from collections.abc import Iterable

    from ajkit.shared.template.merged import Merged, Part
    from ajkit.shared.where import Json, KeyPath


class _Present(NamedTuple):
    """A source that has a value at the place in question, and where in that source it stands."""

    part: Part
    path: KeyPath
    value: Json


class _Way(NamedTuple):
    """An origin, the shortest road of base names that leads to it, and how many roads do."""

    origin: Origin
    road: tuple[str, ...] = ()
    roads: int = 1

    def arrived(self) -> Origin:
        """The origin with its road."""
        return replace(self.origin, road=self.road, roads=self.roads) if self.road else self.origin


class _Answer(NamedTuple):
    """The rule, ways to origins nearest first (the first one wins), ways to the parts of a merged value in order."""

    rule: Rule
    line: tuple[_Way, ...]
    contributors: tuple[_Way, ...]


class Trails:
    """Answers questions about one merged leaf; remembers what it asked the bases."""

    def __init__(self, leaf: Merged) -> None:
        self._leaf = leaf
        self._known: dict[tuple[int, KeyPath], _Answer | None] = {}
        self._winners: dict[KeyPath, Origin | None] = {}

    def trail(self, path: KeyPath) -> Trail | None:
        """The history of the value at `path`; None where the leaf has none."""
        answer = self._ask(self._leaf, path)
        value = at(self._leaf.value, path)
        if answer is None or isinstance(value, Missing):
            return None
        first, *rest = (way.arrived() for way in answer.line)
        return Trail(path, value, answer.rule, first, tuple(rest), tuple(way.arrived() for way in answer.contributors))

    def winner(self, path: KeyPath) -> Origin | None:
        """Who set the value at `path`: the winner of its trail, but for the road that leads there."""
        if path not in self._winners:
            self._winners[path] = winner(self._leaf.parts, path)
        return self._winners[path]

    def _ask(self, merged: Merged, path: KeyPath) -> _Answer | None:
        key = (id(merged), path)
        if key not in self._known:
            self._known[key] = self._work_out(merged.parts, path)
        return self._known[key]

    def _work_out(self, parts: tuple[Part, ...], path: KeyPath) -> _Answer | None:
        present, replaced = _descend([_Present(part, (), part.value) for part in parts], path)
        if not present:
            return None
        rule = rule_of([each.value for each in present])
        answers = [(each, answer) for each in present if (answer := self._expand(each))]
        beaten = [answer for each in reversed(replaced) if (answer := self._expand(each))]
        if not answers:
            return None
        last = answers[-1][1]
        if rule in (Rule.UNION, Rule.CONCAT, Rule.POSITION):
            contributors = _once(way for _, answer in answers for way in _parts_of(answer))
            line = [last.line[0], *(way for answer in beaten for way in answer.line)]
            return _Answer(rule, _once(line), contributors)
        line = [*last.line]
        for _, answer in reversed(answers[:-1]):
            line += answer.line if answer.rule in (Rule.ONLY, Rule.LAST) else reversed(answer.contributors)
        for answer in beaten:
            line += answer.line
        replaces = rule is Rule.LAST or (len(line) > 1 and last.rule is Rule.ONLY)
        rule = Rule.LAST if replaces else last.rule
        return _Answer(rule, _once(line), last.contributors)

    def _expand(self, present: _Present) -> _Answer | None:
        part = present.part
        if isinstance(part, Written):
            origin = written_origin(part, present.path)
            return _Answer(Rule.ONLY, (_Way(origin),), (_Way(origin),)) if origin else None
        if isinstance(part, Together):
            return self._work_out(part.parts, present.path)
        answer = self._ask(part.merged, present.path)
        if answer is None:
            return None
        name = part.ref.name
        return _Answer(
            answer.rule,
            tuple([_Way(origin, (name, *road), roads) for origin, road, roads in answer.line]),
            tuple([_Way(origin, (name, *road), roads) for origin, road, roads in answer.contributors]),
        )


def winner(parts: tuple[Part, ...], path: KeyPath) -> Origin | None:
    """Who set the value at `path` of what the parts merge to, but for the road that leads there; None without one."""
    present, _ = _descend([_Present(part, (), part.value) for part in parts], path)
    for part, place, _ in reversed(present):
        if isinstance(part, Written):
            origin = written_origin(part, place)
        else:
            origin = winner(part.parts if isinstance(part, Together) else part.merged.parts, place)
        if origin is not None:
            return origin
    return None


def _parts_of(answer: _Answer) -> tuple[_Way, ...]:
    return answer.contributors or answer.line[:1]


def _descend(present: list[_Present], path: KeyPath) -> tuple[list[_Present], list[_Present]]:
    """The sources that make up the value at `path`, in order; and those that had it but were replaced as a whole."""
    replaced: list[_Present] = []
    for depth, step in enumerate(path):
        rule = rule_of([each.value for each in present])
        if rule is Rule.LAST:
            rest = path[depth:]
            for each in present[:-1]:
                value = at(each.value, rest)
                if not isinstance(value, Missing):
                    replaced.append(_Present(each.part, each.path + rest, value))
            present = present[-1:]
        if rule is Rule.CONCAT and isinstance(step, int):
            present = _concatenated(present, step)
        else:
            present = [
                _Present(each.part, (*each.path, step), value)
                for each in present
                if not isinstance(value := at(each.value, (step,)), Missing)
            ]
        if not present:
            return [], []
    return present, replaced


def _concatenated(present: list[_Present], index: int) -> list[_Present]:
    """The one source that item `index` of a concatenated list comes from."""
    for each in present:
        assert isinstance(each.value, list)
        if index < len(each.value):
            return [_Present(each.part, (*each.path, index), each.value[index])]
        index -= len(each.value)
    return []


def _once(ways: Iterable[_Way]) -> tuple[_Way, ...]:
    """One entry per origin: the first one stays, with the shortest road and the number of all."""
    kept: dict[int, _Way] = {}
    for each in ways:
        met = kept.get(id(each.origin))
        kept[id(each.origin)] = (
            each if met is None else _Way(met.origin, min(met.road, each.road, key=len), met.roads + each.roads)
        )
    return tuple(kept.values())


def written_origin(part: Written, path: KeyPath) -> Origin | None:
    """The origin of a value in what one hand wrote."""
    found = part.written(path)
    if found is None:
        return None
    node, entry = found
    return Origin(
        label=part.label,
        span=Span(part.text, node.start, node.end),
        key=Span(part.text, entry.start, entry.end) if entry else None,
        value=node.value,
        written=node.raw if isinstance(node, Scalar) else None,
    )
