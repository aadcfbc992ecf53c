"""Keys: those that are known, those that the bases have, and names that the home's other templates use."""

from __future__ import annotations

import re
from dataclasses import dataclass
from functools import partial
from typing import TYPE_CHECKING

from ajkit.lsp.completing.fields import write_field
from ajkit.lsp.completing.items import PROPERTY, Item, escaped
from ajkit.lsp.completing.usage import NAMES, place_of
from ajkit.shared.job.describe import COMMON
from ajkit.shared.job.fielddocs import FILE_DOCS
from ajkit.shared.template.options import declared
from ajkit.shared.template.spelling import flow, text
from ajkit.shared.where import MISSING, at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ajkit.lsp.completing.fields import Above
    from ajkit.lsp.completing.places import Slot
    from ajkit.lsp.completing.usage import Usage
    from ajkit.lsp.view import View
    from ajkit.shared.job.fielddocs import FieldDoc, FieldDocs, Form
    from ajkit.shared.spec import Service
    from ajkit.shared.template.layout import Style
    from ajkit.shared.where import KeyPath

_RANGES = {"1": "one node", "2+": "two nodes and more", "2-4": "two to four nodes"}
_RANGE = re.compile(r"[0-9]+(?:-[0-9]+|\+)?")
_MOST_USED = 60

_REQUIRED, _READ, _INHERITED, _USED, _UNREAD, _DIALECT = range(1, 7)


@dataclass(frozen=True, slots=True)
class Writing:
    """How keys are written at one cursor.

    Attributes:
        colon: whether a colon follows already.
        style: how far a level and the dashes of a list are indented.
        followed: the column of what the next line holds, and whether that is a list item.
    """

    colon: bool
    style: Style
    followed: tuple[int, bool]

    def key(self, slot: Slot, name: str, form: Form) -> str:
        """A key as a snippet, ready for its value."""
        spelt = name if _RANGE.fullmatch(name) else flow(name) if slot.ways == "flow" else text(name)
        word = escaped(spelt)
        if self.colon:
            return word
        column, dashed = self.followed
        if slot.ways == "line" and (column > slot.column or (column == slot.column and dashed)):
            return f"{word}:"  # what belongs to it is there already
        match form, slot.ways:
            case "mapping", "flow":
                return f"{word}: {{$0\\}}"
            case "list", "flow":
                return f"{word}: [$0]"
            case "mapping", _:
                return f"{word}:\n{' ' * self.style.step}$0"
            case "list", _:
                return f"{word}:\n{' ' * self.style.dash}- $0"
            case _:
                return f"{word}: "


def file_keys(slot: Slot, writing: Writing) -> list[Item]:
    """The keys of a template file itself."""
    return [
        Item(
            name,
            PROPERTY,
            writing.key(slot, name, doc.form),
            rank,
            doc.type,
            document=partial(write_field, doc=doc, path=(name,), value=None),
        )
        for rank, (name, doc) in enumerate(FILE_DOCS.items())
        if name not in slot.taken
    ]


class Keys:
    """Proposes the keys of mappings of the config."""

    def __init__(self, view: View, above: Above, docs: FieldDocs, service: Service | None, usage: Usage | None) -> None:
        self._view = view
        self._above = above
        self._docs = docs
        self._service = service
        self._usage = usage
        self._read: tuple[KeyPath, ...] = (*COMMON, *declared(service.options)) if service is not None else ()

    def items(self, slot: Slot, path: KeyPath, writing: Writing) -> list[Item]:
        """The keys that the mapping at a config path may get."""
        known = self._docs.keys(path, self._service.name if self._service else None)
        found = {name: self._item(slot, (*path, name), doc, writing) for name, doc in known.items()}
        for name, detail, rank in self._names(path):
            if name not in found:
                doc = self._docs.of((*path, name))
                found[name] = self._item(slot, (*path, name), doc, writing, rank, detail)
        return [item for name, item in found.items() if name not in slot.taken]

    def _names(self, path: KeyPath) -> Iterator[tuple[str, str, int]]:
        """Names that people chose: those of the bases, and those of other templates."""
        yield from ((name, "", _INHERITED) for name in self._above.keys(path))
        if self._usage is not None:
            used = self._usage.values((*place_of(path), NAMES), without=self._view.file.real)
            for name, count in used[:_MOST_USED]:
                yield name, f"in {count} other template{'s' if count > 1 else ''}", _USED
        if path[:1] == ("jobs",) and path[2:] == ("sku",):
            yield from ((name, words, _READ) for name, words in _RANGES.items())

    def _item(
        self, slot: Slot, path: KeyPath, doc: FieldDoc | None, writing: Writing, rank: int = 0, detail: str = ""
    ) -> Item:
        name = str(path[-1])
        value = self._above.of(path)
        return Item(
            name,
            PROPERTY,
            writing.key(slot, name, doc.form if doc is not None else "any"),
            rank or self._rank(path, doc),
            detail or (doc.type if doc is not None else ""),
            value.note if value is not None else "",
            partial(write_field, doc=doc, path=path, value=value),
        )

    def _rank(self, path: KeyPath, doc: FieldDoc | None) -> int:
        if doc is None:
            return _USED
        if doc.dialect:
            return _DIALECT
        if self._service is None:
            return _READ if not doc.readers else _UNREAD
        if path in self._service.required and at(self._view.resolved.config, path) in (None, MISSING):
            return _REQUIRED
        if doc.readers and self._service.name not in doc.readers:
            return _UNREAD
        general = tuple(0 if isinstance(step, int) else step for step in path)
        reads = any(general[: len(each)] == each[: len(general)] for each in self._read)
        return _READ if reads or path[0] == "_extra" else _UNREAD
