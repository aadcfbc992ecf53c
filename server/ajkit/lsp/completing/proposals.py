"""What may be written at a cursor: its slots, filled with keys, values, base names, snippets and variables."""

from __future__ import annotations

from dataclasses import replace
from functools import cached_property
from typing import TYPE_CHECKING

from ajkit.lsp.completing.bases import base_items
from ajkit.lsp.completing.fields import Above
from ajkit.lsp.completing.keys import Keys, Writing, file_keys
from ajkit.lsp.completing.snippets import TASKS, file_snippets, task_snippets
from ajkit.lsp.completing.values import Values
from ajkit.lsp.completing.variables import is_shell, variable_items
from ajkit.shared.job.env import ENV_PATH
from ajkit.shared.job.fielddocs import FILE_DOCS
from ajkit.shared.template.layout import style_of
from ajkit.shared.where import value_at

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ajkit.lsp.completing.items import Item
    from ajkit.lsp.completing.memory import Memory
    from ajkit.lsp.completing.places import Context, Slot
    from ajkit.lsp.completing.usage import Usage
    from ajkit.lsp.view import View
    from ajkit.shared.job.fielddocs import FieldDocs
    from ajkit.shared.spec import Service
    from ajkit.shared.where import KeyPath

_MOST_BASES = 10


class Proposals:
    """Fills the slots of one cursor."""

    def __init__(self, view: View, docs: FieldDocs, memory: Memory, context: Context) -> None:
        self._view = view
        self._memory = memory
        self._docs = docs
        self._context = context
        self._above = Above(view)
        self._cut = False

    @cached_property
    def _usage(self) -> Usage | None:
        return self._memory.usage(self._view)

    @cached_property
    def _service(self) -> Service | None:
        named = value_at(self._view.resolved.config, ("target", "service"))
        return self._view.engine.registry.find(named) if isinstance(named, str) else None

    @cached_property
    def _writing(self) -> Writing:
        return Writing(self._context.colon, style_of(self._view.text), self._context.followed)

    @cached_property
    def _keys(self) -> Keys:
        return Keys(self._view, self._above, self._docs, self._service, self._usage)

    @cached_property
    def _values(self) -> Values:
        return Values(
            self._view, self._above, self._usage, self._memory.live, self._service.name if self._service else None
        )

    def found(self) -> list[tuple[Slot, Item]]:
        """All that fits, with the slot that each is for."""
        return [(slot, item) for slot in self._context.slots for slot, item in self._fill(slot)]

    @property
    def may_grow(self) -> bool:
        """Whether another answer will hold more: some names were cut, the home is being read, or a service asked."""
        reading = self._usage is not None and self._usage.is_reading
        unread = self._view.home is not None and self._view.graph is None
        return self._cut or reading or unread or self._memory.live.is_asking

    def variables(self, closing: str) -> list[Item]:
        """The names of variables, where the text around the cursor is run by a shell."""
        path = self._context.text_path
        if path[:1] != ("config",) or not is_shell(path[1:]):
            return []
        env = value_at(self._view.resolved.config, ENV_PATH)
        return variable_items(env if isinstance(env, dict) else (), closing)

    # -- slots ------------------------------------------------------------------------------------------------------

    def _fill(self, slot: Slot) -> Iterator[tuple[Slot, Item]]:
        match slot.path[:1]:
            case ():
                yield from ((slot, each) for each in self._of_file(slot))
            case ("base",):
                yield from self._bases(slot)
            case ("config",):
                if slot.sort == "key":
                    yield from self._of_mapping(slot, slot.path[1:])
                else:
                    yield from self._value(slot)

    def _of_file(self, slot: Slot) -> list[Item]:
        if slot.ways == "behind":
            return []
        items = file_keys(slot, self._writing)
        if len(items) == len(FILE_DOCS) and slot.ways == "line" and not self._context.colon:
            bases = [each.label for each in self._base_names("") if not each.label.endswith(".")]
            items += file_snippets(self._view.engine.registry.names(), bases[:_MOST_BASES])
        return items

    def _base_names(self, typed: str) -> list[Item]:
        items, cut = base_items(self._view, self._memory.names, typed, self._context.start)
        self._cut = self._cut or cut
        return items

    def _bases(self, slot: Slot) -> Iterator[tuple[Slot, Item]]:
        inside = slot.path[1:]
        if slot.sort == "key" or self._context.colon or len(inside) > 1 or isinstance((*inside, 0)[0], str):
            return
        if slot.path == ("base",) and slot.ways == "line":
            slot = _item_of(slot)
        yield from ((slot, each) for each in self._base_names(self._context.typed))

    def _value(self, slot: Slot) -> Iterator[tuple[Slot, Item]]:
        """What may be the value at a config path, as the kind of the field has it."""
        path = slot.path[1:]
        doc = self._docs.of(path, self._service.name if self._service else None)
        form = doc.form if doc is not None else "mapping" if self._above.keys(path) else "any"
        if slot.ways == "line":
            if form == "mapping" or (path[-1:] == ("sku",) and not slot.lead):
                yield from self._of_mapping(slot, path)
            elif form == "list" and "-" not in slot.lead:
                yield from self._value(_item_of(slot))
        elif slot.ways == "behind" and form in {"mapping", "list"}:
            yield from self._below(slot, path, dash=form == "list")
        for each in self._values.items(slot, path, doc):
            yield slot, each

    def _below(self, slot: Slot, path: KeyPath, *, dash: bool) -> Iterator[tuple[Slot, Item]]:
        """Behind a key whose value is a mapping or list: what may stand on the lines below it."""
        style = self._writing.style
        width = slot.below - slot.column if slot.below is not None else style.dash if dash else style.step
        pad = " " * width
        inner = replace(slot, lead="", ways="line", path=(*slot.path, 0) if dash else slot.path)
        if dash:
            inner = replace(inner, taken=())
        for below, item in self._value(inner) if dash else self._of_mapping(inner, path):
            if below.lead:
                continue
            first, *rest = item.text.split("\n")
            lines = [pad + ("- " if dash else "") + first, *(pad + ("  " if dash else "") + each for each in rest)]
            yield below, replace(item, text="\n" + "\n".join(lines))

    def _of_mapping(self, slot: Slot, path: KeyPath) -> Iterator[tuple[Slot, Item]]:
        if slot.ways == "flow" and slot.sort != "key":
            return
        for each in self._keys.items(slot, path, self._writing):
            yield slot, each
        if slot.ways == "line" and not self._context.colon and self._may_have_tasks(path):
            for each in task_snippets(path, slot.taken):
                yield slot, each

    def _may_have_tasks(self, path: KeyPath) -> bool:
        """Whether tasks are worth proposing: near to where they stand, else where the service has them."""
        return bool(path) or (self._service is not None and self._service.name == TASKS[1])


def _item_of(slot: Slot) -> Slot:
    """The first item of a list that begins in a slot."""
    return replace(slot, path=(*slot.path, 0), lead=slot.lead + "- ", column=slot.column + 2, taken=())
