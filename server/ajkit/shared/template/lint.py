"""Merge lints: what a file does to what it inherits that its author may not have meant."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ajkit.shared.problem import Fix, Problem, problem
from ajkit.shared.template.diamond import diamonds
from ajkit.shared.template.merge import merge, met_again, rule_of
from ajkit.shared.template.merged import Inherited, Written
from ajkit.shared.template.removal import item_removal, removal_at
from ajkit.shared.template.replaced import EMPTY, kind_change, replaced, shown, written_null
from ajkit.shared.template.silenced import unsilenced
from ajkit.shared.template.tree import Mapping, Scalar, Sequence
from ajkit.shared.where import Rule, format_keypath

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ajkit.shared.template.merged import Merged, Part
    from ajkit.shared.template.source import TemplateFile
    from ajkit.shared.template.tree import Entry, Node
    from ajkit.shared.where import Json, KeyPath

_SCALARS = (str, int, float, bool)

_FIXED = 100
"""How many keys of one file get a fix that takes them out: to find its edit takes the longer, the longer the file."""


def told(merged: Merged) -> tuple[Problem, ...]:
    """All that is wrong with one file over its bases, merge lints too, unless a comment in it silences that.

    It is worked out when first asked for and remembered.
    """
    if merged.told is None:
        merged.told = tuple(unsilenced((*merged.problems, *_lint(merged.file, merged.parts))))
    return merged.told


def _lint(file: TemplateFile, parts: tuple[Part, ...]) -> Iterator[Problem]:
    inherited: list[Inherited] = []
    own: Written | None = None
    for part in parts:
        if isinstance(part, Written):
            own = part
            break
        if isinstance(part, Inherited):
            inherited.append(part)
    if own is not None and inherited:
        yield from _Linter(file).mapping(own.node, [part.value for part in inherited], ())
    if len(inherited) > 1:
        yield from diamonds(file, inherited, own)
    for each in replaced(parts):
        told_below = (known for base in inherited for below in base.merged.below() for known in told(below))
        if all((known.code, known.span) != (each.code, each.span) for known in told_below):
            yield each


class _Linter:
    """Walks a file's own config beside the values its bases give at the same places."""

    def __init__(self, file: TemplateFile) -> None:
        self._document = file.document
        self._fixes_left = _FIXED

    def mapping(self, own: Mapping, inherited: list[dict[str, Json]], path: KeyPath) -> Iterator[Problem]:
        again = met_again(own.value, inherited)
        for key in filter(again.__contains__, own.entries):
            met = again[key]
            value, last = own.value[key], met[-1]
            if type(value) in _SCALARS and type(last) in _SCALARS and value != last:
                continue  # by far the most: one value in place of another
            entry = own.entries[key]
            yield from self._value(entry.node, entry, met, (*path, key))

    def _value(self, node: Node, entry: Entry | None, met: list[Json], path: KeyPath) -> Iterator[Problem]:
        if not isinstance(node, Scalar) and {type(node.value)}.issuperset(map(type, met)):
            below = self.mapping if isinstance(node, Mapping) else self._list
            yield from below(node, met, path)  # type: ignore[arg-type]
            return
        before = met[0] if len(met) == 1 else merge(met)
        if isinstance(node, Scalar) and node.value is None:
            if entry and node.plain and not node.raw and before not in EMPTY:
                yield self._clears(entry, before, path)
                return
            if before is None and entry and node.raw:
                yield self._redundant(node, path)
        elif isinstance(before, dict | list) and type(before) is not type(node.value):
            yield self._type_change(node, before, path)
        elif entry and isinstance(node, Scalar) and type(before) is type(node.value) and before == node.value:
            yield self._redundant(node, path)

    def _list(self, node: Sequence, met: list[list[Json]], path: KeyPath) -> Iterator[Problem]:
        if rule_of([*met, node.value]) is Rule.POSITION:
            for index, item in enumerate(node.items):
                under = [each[index] for each in met if len(each) > index]
                if under:
                    yield from self._value(item, None, under, (*path, index))
            return
        known = {repr(each) for inherited in met for each in inherited}
        for index, item in enumerate(node.items):
            if isinstance(item, Scalar) and repr(item.value) in known:
                yield problem(
                    "merge.repeats",
                    f"`{shown(item.value, path)}` is already inherited: "
                    f"lists are concatenated, so `{format_keypath(path)}` holds it twice",
                    self._document.span(item),
                    fixes=self._removed_item(node, index, path),
                    keypath=path,
                    unnecessary=True,
                )
                return

    def _clears(self, entry: Entry, before: Json, path: KeyPath) -> Problem:
        key, value = self._document.span(entry), self._document.span(entry.node)
        return problem(
            "merge.clears",
            f"an empty `{format_keypath(path)}:` clears what is inherited ({shown(before, path)}): "
            "write null if that is meant, else delete the line",
            key,
            fixes=[*written_null(key, value), *self._removed("Delete the line", path, preferred=False)],
            keypath=path,
        )

    def _type_change(self, node: Node, before: Json, path: KeyPath) -> Problem:
        message = kind_change(node.value, before, path)
        return problem("merge.type-change", message, self._document.span(node), keypath=path)

    def _redundant(self, node: Scalar, path: KeyPath) -> Problem:
        return problem(
            "merge.redundant",
            f"`{format_keypath(path)}` is inherited with this value anyway",
            self._document.span(node),
            fixes=self._removed("Delete it", path, preferred=True),
            keypath=path,
            unnecessary=True,
        )

    def _removed_item(self, node: Sequence, index: int, path: KeyPath) -> list[Fix]:
        """The fix that takes an item out of a list; with the last one goes the key."""
        if len(node.items) == 1:
            return self._removed("Delete it", path, preferred=True)
        self._fixes_left -= 1
        edit = item_removal(self._document, node, index) if self._fixes_left >= 0 else None
        return [Fix("Delete it", (edit,), preferred=True)] if edit else []

    def _removed(self, title: str, path: KeyPath, *, preferred: bool) -> list[Fix]:
        """The fix that takes a key out, with the parents that it would leave empty: they would clear something."""
        self._fixes_left -= 1
        edit = removal_at(self._document, ("config", *path)) if self._fixes_left >= 0 else None
        return [Fix(title, (edit,), preferred=preferred)] if edit else []
