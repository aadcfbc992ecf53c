"""Values: words of enumerations, what services offer, what other templates use, what is inherited, examples."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ajkit.lsp.completing.items import ENUM_MEMBER, SNIPPET, VALUE, Item, escaped
from ajkit.lsp.completing.usage import place_of
from ajkit.shared.template.spelling import flow as spelt_in_flow
from ajkit.shared.template.spelling import scalar
from ajkit.shared.where import Missing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ajkit.lsp.completing.fields import Above, Inherited
    from ajkit.lsp.completing.live import LiveValues
    from ajkit.lsp.completing.places import Slot
    from ajkit.lsp.completing.usage import Usage
    from ajkit.lsp.view import View
    from ajkit.shared.job.fielddocs import FieldDoc
    from ajkit.shared.where import Json, KeyPath

SKU_SHAPES = {
    "{nodes}xG{processes}": "GPU nodes in the shape of the run",
    "G{processes}": "one GPU node with as many GPUs as the run asks for",
    "{nodes}x80G{processes}-A100": "nodes of A100 GPUs with 80 GB",
    "{nodes}x80G{processes}-H100": "nodes of H100 GPUs",
    "{nodes}xC{processes}": "CPU nodes; -p is their size tier",
}
_SECRETS = {
    "{from_env: NAME}": ("{from_env: ${1:NAME}\\}", "a secret, read from a variable where the job is executed"),
    "{from_file: PATH}": ("{from_file: ${1:PATH}\\}", "a secret, read from a file where the job is executed"),
}
_MOST_USED = 80

_CHOICE, _OFFERED, _USED, _INHERITED, _DEFAULT, _EXAMPLE, _CLEARS = range(1, 8)


@dataclass(frozen=True, slots=True)
class Values:
    """Proposes the values of fields."""

    view: View
    above: Above
    usage: Usage | None
    live: LiveValues
    service: str | None

    def items(self, slot: Slot, path: KeyPath, doc: FieldDoc | None) -> list[Item]:
        """The values that the field at a config path may get, the likeliest first, each once."""
        # The items of lists of texts follow those of the bases: none stands for one of them.
        above = self.above.of(path) if path and isinstance(path[-1], str) else None
        clears = [] if above is None or above.value is None else [_word("null", "clears the inherited value", _CLEARS)]
        if doc is not None and doc.form in {"mapping", "list"}:
            return clears if slot.ways == "behind" else []
        flow = slot.ways == "flow"
        found: dict[str, Item] = {}
        for item in (
            *self._inherited(above, flow=flow),
            *self._known(path, doc, flow=flow),
            *self._used(path, flow=flow),
            *_documented(doc, flow=flow),
            *clears,
        ):
            found.setdefault(item.label, item)
        return list(found.values())

    def _inherited(self, above: Inherited | None, *, flow: bool) -> Iterator[Item]:
        if above is not None and above.is_shown_whole:
            yield _value(above.value, f"inherited from {above.place(self.view)}", _INHERITED, flow=flow)

    def _known(self, path: KeyPath, doc: FieldDoc | None, *, flow: bool) -> Iterator[Item]:
        """What the field itself or its service says may stand there."""
        yield from (_word(word, meaning, _CHOICE) for word, meaning in (doc.values if doc is not None else ()))
        place = place_of(path)
        if place == ("jobs", "*", "sku"):
            yield from (_value(sku, meaning, _CHOICE, flow=flow) for sku, meaning in SKU_SHAPES.items())
        if place[:-1] == ("jobs", "*", "submit_args", "env"):
            yield from (Item(label, SNIPPET, text, _CHOICE, words) for label, (text, words) in _SECRETS.items())
        for word, detail in self.live.values(self.service, path):
            words = f"offered by {self.service} now{f': {detail}' if detail else ''}"
            yield _value(word, words, _OFFERED, flow=flow)

    def _used(self, path: KeyPath, *, flow: bool) -> Iterator[Item]:
        if self.usage is None:
            return
        for word, count in self.usage.values(place_of(path), without=self.view.file.real)[:_MOST_USED]:
            yield _value(word, f"in {count} other template{'s' if count > 1 else ''}", _USED, flow=flow)


def _documented(doc: FieldDoc | None, *, flow: bool) -> Iterator[Item]:
    if doc is None:
        return
    if not isinstance(doc.default, Missing):
        yield _value(doc.default, "what counts when it is not set", _DEFAULT, flow=flow)
    for each in doc.examples:
        if not isinstance(each, dict | list):
            yield _value(each, "an example", _EXAMPLE, flow=flow)


def _word(word: str, meaning: str, rank: int) -> Item:
    """A word that YAML reads as what it is to be, without quotes."""
    return Item(word, ENUM_MEMBER, escaped(word), rank, meaning)


def _value(value: Json, detail: str, rank: int, *, flow: bool) -> Item:
    text = scalar(value) if not flow and not isinstance(value, dict | list) else spelt_in_flow(value)
    return Item(value if isinstance(value, str) else text, VALUE, escaped(text), rank, detail)
