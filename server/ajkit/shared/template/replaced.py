"""What one base of a file takes away from the sources before it: values emptied by an empty key, kinds replaced."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ajkit.shared.problem import Edit, Fix, Problem, Related, problem
from ajkit.shared.template.brief import brief
from ajkit.shared.template.merge import merge, rule_of
from ajkit.shared.template.merged import Inherited
from ajkit.shared.template.secrets import masked
from ajkit.shared.template.trail import winner
from ajkit.shared.where import MISSING, Missing, Rule, Span, at, format_keypath

if TYPE_CHECKING:
    from collections.abc import Iterator, Sequence

    from ajkit.shared.template.merged import Merged, Part
    from ajkit.shared.where import Json, KeyPath

EMPTY: tuple[Json, ...] = (None, {}, [], "")
"""What holds nothing that could be cleared."""

_TOGETHER = 8
"""How many sources are compared one by one: more of them are merged first, so that a thousand do not take forever."""

_REMEMBERED = 10_000
"""The largest number of nodes of a base for which it is remembered where its mappings and lists are."""

_SCALARS = (str, int, float, bool)
_NULL = type(None)


def replaced(parts: Sequence[Part]) -> Iterator[Problem]:
    """The problems of a file's bases with one another, on the place in the later base; its own config apart."""
    if not _may_replace(parts):
        return
    before: list[Json] = []
    for part in parts:
        if before and isinstance(part, Inherited):
            yield from _by(part, before)
        before.append(part.value)
        if len(before) > _TOGETHER:
            before = [merge(before)]


def met_again(
    value: dict[str, Json], before: Sequence[Json], *, alike: bool = False
) -> Iterator[tuple[str, list[Json]]]:
    """The keys of a mapping that mappings before it have too, in its order, with the values there.

    Left out is by far the most: a plain value that takes the place of another one, unless they are `alike`.
    """
    last: dict[str, Json] = {}
    for each in before:
        if isinstance(each, dict):
            last = last | each if last else each
    for key, now in value.items():
        if key not in last:
            continue
        if type(now) in _SCALARS and type(last[key]) in _SCALARS and not (alike and now == last[key]):
            continue
        yield key, [each[key] for each in before if isinstance(each, dict) and key in each]


def written_null(key: Span, value: Span) -> list[Fix]:
    """The fix that spells an empty value `null`, where that can be told from its key's colon."""
    between = key.text.content[key.end : value.start]
    blank = "" if between[-1:].isspace() else " "
    return [Fix("Write null", (Edit(value, f"{blank}null"),), preferred=True)] if ":" in between else []


def shown(value: Json, path: KeyPath) -> str:
    """A value as messages of the merge show it: short, and masked where its key says that it is a secret."""
    return brief(masked(value, str(path[-1])))


def kind_change(now: Json, before: Json, path: KeyPath, *, inherited: str = "inherited ") -> str:
    """The message for a mapping or list that a value of another kind replaces."""
    was = "mapping" if isinstance(before, dict) else "list"
    is_now = "a mapping" if isinstance(now, dict) else "a list" if isinstance(now, list) else "a single value"
    keypath = format_keypath(path)
    return f"`{keypath}` is {is_now} here and replaces the whole {inherited}{was} ({shown(before, path)})"


def _by(part: Inherited, before: list[Json]) -> Iterator[Problem]:
    for path, value, lost in _lost(part.value, before, ()):
        origin = winner((part,), path)
        if origin is None or origin.span is None:
            continue
        named = [Related(part.ref.span, f"`{part.ref.name}` is named here, after what it replaces")]
        if value is not None:
            message = f"{kind_change(value, lost, path, inherited='')} set before `{part.ref.name}`"
            yield problem("merge.type-change", message, origin.span, related=named, keypath=path)
        elif origin.key is not None and not origin.written and origin.span.start == origin.span.end:
            message = (
                f"an empty `{format_keypath(path)}:` clears what is set before `{part.ref.name}` "
                f"({shown(lost, path)}): write null if that is meant, else delete the line"
            )
            fixes = written_null(origin.key, origin.span)
            yield problem("merge.clears", message, origin.key, related=named, fixes=fixes, keypath=path)


def _may_replace(parts: Sequence[Part]) -> bool:
    """Whether a base may take something away from those before it; right where it says no.

    What some bases do to one together, one of them does to it alone, unless lists grew when several were merged. So two
    bases are asked once for all the files that name them, and nearly never do anything.
    """
    bases = [part.merged for part in parts if isinstance(part, Inherited)]
    if len(bases) > _TOGETHER or not all(isinstance(part, Inherited) for part in parts[: len(bases)]):
        return True
    if any(base.nodes > _REMEMBERED for base in bases):
        return True
    return any(_takes(first, second) for index, second in enumerate(bases) for first in bases[:index])


def _takes(first: Merged, second: Merged) -> bool:
    meeting = first.meeting(second)
    if meeting.takes is None:
        meeting.takes = _clears(first, second) or _changes_kind(first, second)
    return meeting.takes


def _clears(first: Merged, second: Merged) -> bool:
    """Whether null stands in the second base where the first one has something."""
    kinds = _kinds(second)
    nulls = [path for path, kind in kinds.items() if kind is _NULL] if _NULL in kinds.values() else ()
    return any(at(first.value, path) not in (MISSING, *EMPTY) for path in nulls)


def _changes_kind(first: Merged, second: Merged) -> bool:
    """Whether something else stands in the second base where the first one has a mapping or list."""
    kinds = _kinds(second)
    return any(
        kind is not _NULL and kinds.get(path) is not kind and not isinstance(at(second.value, path), Missing)
        for path, kind in _kinds(first).items()
    )


def _kinds(base: Merged) -> dict[KeyPath, type]:
    """Where in a base something stands that is no plain value: the type of each mapping, list and null."""
    if base.kinds is None:
        base.kinds = dict(_kinds_below(base.value, ()))
    return base.kinds


def _kinds_below(value: Json, path: KeyPath) -> Iterator[tuple[KeyPath, type]]:
    if isinstance(value, dict | list):
        for step, below in value.items() if isinstance(value, dict) else enumerate(value):
            if type(below) not in _SCALARS:
                yield (*path, step), type(below)
                yield from _kinds_below(below, (*path, step))


def _lost(value: Json, before: list[Json], path: KeyPath) -> Iterator[tuple[KeyPath, Json, Json]]:
    """Where a value takes away what stands before it: the key path, what is there now, and what was."""
    if isinstance(value, dict) and all(isinstance(each, dict) for each in before):
        for key, met in met_again(value, before):
            yield from _lost(value[key], met, (*path, key))
    elif isinstance(value, list) and all(isinstance(each, list) for each in before):
        if rule_of([*before, value]) is Rule.POSITION:
            for index, below in enumerate(value):
                met = [each[index] for each in before if isinstance(each, list) and len(each) > index]
                if met:
                    yield from _lost(below, met, (*path, index))
    else:
        was = before[0] if len(before) == 1 else merge(before)
        if value is None:
            if was not in EMPTY:
                yield path, value, was
        elif isinstance(was, dict | list) and type(was) is not type(value):
            yield path, value, was
