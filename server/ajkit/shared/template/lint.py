"""Merge lints: what a file does to what it inherits that its author may not have meant."""

from __future__ import annotations

from itertools import chain
from typing import TYPE_CHECKING, Any, NamedTuple
from weakref import ref

from ajkit.shared.problem import Fix, Later, Problem, problem
from ajkit.shared.records import dataclass
from ajkit.shared.template.diamond import diamonds, overlaid
from ajkit.shared.template.merge import merge, rule_of
from ajkit.shared.template.merged import Inherited, Together, Written
from ajkit.shared.template.parse import parse
from ajkit.shared.template.removal import item_removal, removal_at
from ajkit.shared.template.replaced import EMPTY, kind_change, met_again, replaced, shown, written_null
from ajkit.shared.template.silenced import unsilenced
from ajkit.shared.template.trail import winner
from ajkit.shared.template.tree import Scalar, Sequence
from ajkit.shared.where import Rule, format_keypath

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator
    from weakref import ReferenceType

    from ajkit.shared.template.merged import Merged, Part
    from ajkit.shared.template.source import TemplateFile
    from ajkit.shared.template.tree import Document, Entry, Node
    from ajkit.shared.where import Json, KeyPath, Text

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
        teller = _Teller(file.document, own, tuple(inherited))
        yield from filter(None, map(teller.told, _in_mapping(own.value, [part.value for part in inherited], ())))
    if len(inherited) > 1:
        yield from diamonds(file, inherited, own)
    if own is not None and isinstance(parts[-1], Inherited | Together):
        yield from overlaid(file, parts)
    for each in replaced(parts):
        told_below = (known for base in inherited for below in base.merged.below() for known in told(below))
        if all((known.code, known.span) != (each.code, each.span) for known in told_below):
            yield each


class _Seen(NamedTuple):
    """What a file's own config does to what it inherits: the code for it, the key path, and what is inherited there.

    Where an item of a list is to blame, `item` is its index.
    """

    code: str
    path: KeyPath
    before: Json
    item: int = 0


def _in_mapping(own: dict[str, Json], inherited: list[Any], path: KeyPath) -> Iterator[_Seen]:
    """All that there is to see, in plain values: the places in the file are looked for when something is told."""
    for key, met in met_again(own, inherited, alike=True):
        yield from _in_value(own[key], met, (*path, key))


def _in_value(own: Json, met: list[Json], path: KeyPath) -> Iterator[_Seen]:
    kind = type(own)
    if isinstance(own, dict | list) and {kind}.issuperset(map(type, met)):
        yield from _in_mapping(own, met, path) if isinstance(own, dict) else _in_list(own, met, path)
        return
    before = met[0] if len(met) == 1 else merge(met)
    under_key = isinstance(path[-1], str)
    if own is None and before not in EMPTY:
        if under_key:
            yield _Seen("merge.clears", path, before)
    elif isinstance(before, dict | list):
        if own is not None and type(before) is not kind:
            yield _Seen("merge.type-change", path, before)
    elif under_key and type(before) is kind and before == own:
        yield _Seen("merge.redundant", path, before)


def _in_list(own: list[Json], met: list[Any], path: KeyPath) -> Iterator[_Seen]:
    if rule_of([*met, own]) is Rule.POSITION:
        for index, item in enumerate(own):
            under = [each[index] for each in met if len(each) > index]
            if under:
                yield from _in_value(item, under, (*path, index))
    elif _may_repeat(own, met):
        known = {repr(item) for inherited in met for item in inherited}
        for index, item in enumerate(own):
            if not isinstance(item, list) and repr(item) in known:
                yield _Seen("merge.repeats", path, item, index)
                return


def _may_repeat(own: list[Json], met: list[list[Json]]) -> bool:
    """Whether an item of a list may stand in those before it; right where it says no."""
    try:
        return not frozenset(own).isdisjoint(chain.from_iterable(met))
    except TypeError:  # a list in a list
        return True


class _Teller:
    """Makes a problem of what was seen, on the place where it was written."""

    def __init__(self, document: Document, own: Written, inherited: tuple[Inherited, ...]) -> None:
        self._document = document
        self._own = own
        self._inherited = inherited
        self._fixes_left = _FIXED

    def told(self, seen: _Seen) -> Problem | None:
        """The problem; None where nobody would be surprised: null that is spelled out, nothing said of what is null."""
        found = self._own.written(seen.path)
        if found is None:
            return None
        node, entry = found
        if seen.code == "merge.type-change":
            return self._type_change(node, seen)
        if isinstance(node, Sequence):
            return self._repeats(node, seen)
        if not isinstance(node, Scalar) or entry is None:
            return None
        if seen.code == "merge.clears":
            return self._clears(entry, seen) if node.plain and not node.raw else None
        if not node.raw and node.value is None:
            return None
        return self._redundant(node, seen.path) if self._spelt_alike(node, seen.path) else None

    def _spelt_alike(self, node: Scalar, path: KeyPath) -> bool:
        """Whether a value is inherited with the same text too: that is what variables are (``on`` is not ``yes``)."""
        if node.value is None or isinstance(node.value, str):
            return True
        inherited = winner(self._inherited, path)
        return inherited is not None and inherited.written == node.raw

    def _clears(self, entry: Entry, seen: _Seen) -> Problem:
        key, value = self._document.span(entry), self._document.span(entry.node)
        return problem(
            "merge.clears",
            f"an empty `{format_keypath(seen.path)}:` clears what is inherited ({shown(seen.before, seen.path)}): "
            "write null if that is meant, else delete the line",
            key,
            fixes=self._removed("Delete the line", seen.path, *written_null(key, value), preferred=False),
            keypath=seen.path,
        )

    def _type_change(self, node: Node, seen: _Seen) -> Problem:
        message = kind_change(node.value, seen.before, seen.path)
        return problem("merge.type-change", message, self._document.span(node), keypath=seen.path)

    def _repeats(self, node: Sequence, seen: _Seen) -> Problem:
        item, path = node.items[seen.item], seen.path
        return problem(
            "merge.repeats",
            f"`{shown(item.value, path)}` is already inherited: "
            f"lists are concatenated, so `{format_keypath(path)}` holds it twice",
            self._document.span(item),
            fixes=self._removed_item(node, seen.item, path),
            keypath=path,
            unnecessary=True,
        )

    def _redundant(self, node: Scalar, path: KeyPath) -> Problem:
        return problem(
            "merge.redundant",
            f"`{format_keypath(path)}` is inherited with this value anyway",
            self._document.span(node),
            fixes=self._removed("Delete it", path, preferred=True),
            keypath=path,
            unnecessary=True,
        )

    def _removed_item(self, node: Sequence, index: int, path: KeyPath) -> Iterable[Fix]:
        """The fix that takes an item out of a list; with the last one goes the key."""
        return self._removed("Delete it", path if len(node.items) == 1 else (*path, index), preferred=True)

    def _removed(self, title: str, path: KeyPath, *others: Fix, preferred: bool) -> Iterable[Fix]:
        """The fix that takes out a key or an item, with the parents that it would leave empty: they would clear."""
        self._fixes_left -= 1
        if self._fixes_left < 0:
            return others
        document = self._document
        return Later(_Removal(ref(document), document.text, title, ("config", *path), preferred, others))


@dataclass(frozen=True, slots=True)
class _Removal:
    """The fix that takes out what stands at a key path of a document, for when somebody looks at it, behind `others`.

    A problem must not hold on to a document, nor look for the edit where nobody asks: a report may hold thousands.
    """

    document: ReferenceType[Document]
    text: Text
    title: str
    path: KeyPath
    preferred: bool
    others: tuple[Fix, ...] = ()

    def __call__(self) -> list[Fix]:
        document = self.document() or parse(self.text)
        *above, last = self.path
        if isinstance(last, int):
            found = document.written(tuple(above))
            edit = item_removal(document, found[0], last) if found and isinstance(found[0], Sequence) else None
        else:
            edit = removal_at(document, self.path)
        return [*self.others, *([Fix(self.title, (edit,), preferred=self.preferred)] if edit else [])]
