"""Values: words of enumerations, what services offer, what other templates use, what is inherited, examples."""

from __future__ import annotations

import json
from dataclasses import dataclass
from typing import TYPE_CHECKING

from ajkit.lsp.completing.items import ENUM_MEMBER, SNIPPET, VALUE, Item
from ajkit.lsp.completing.usage import place_of
from ajkit.lsp.completing.written import escaped, scalar
from ajkit.shared.job.env import ENV_PATH
from ajkit.shared.where import Missing

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ajkit.lsp.completing.context import Slot
    from ajkit.lsp.completing.fields import Above
    from ajkit.lsp.completing.live import LiveValues
    from ajkit.lsp.completing.usage import Usage
    from ajkit.lsp.view import View
    from ajkit.shared.job.fielddocs import FieldDoc
    from ajkit.shared.where import Json, KeyPath

SKU_SHAPES = {
    "{nodes}xG{processes}": "GPU nodes in the shape of the run",
    "G{processes}": "one GPU node with as many GPUs as the run asks for",
    "{nodes}x80G{processes}-A100": "nodes of A100 GPUs with 80 GB",
    "{nodes}x80G{processes}-H100": "nodes of H100 GPUs",
    "{nodes}xC{processes}": "CPU nodes; `-p` is their size tier",
}
_SECRETS = {
    "{from_env: NAME}": ("{from_env: ${1:NAME}\\}", "a secret, read from a variable where the job is executed"),
    "{from_file: PATH}": ("{from_file: ${1:PATH}\\}", "a secret, read from a file where the job is executed"),
}
_MOST_USED = 80

_INHERITED, _CHOICE, _OFFERED, _USED, _DEFAULT, _EXAMPLE, _CLEARS = 10, 20, 30, 40, 60, 61, 70


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
        if doc is not None and doc.form in {"mapping", "list"}:
            return []
        flow = slot.ways == "flow"
        found: dict[str, Item] = {}
        for label, detail, kind, rank, text in self._found(path, doc, flow=flow):
            if label not in found:
                found[label] = Item(label, kind, text, rank, detail)
        return list(found.values())

    def _found(self, path: KeyPath, doc: FieldDoc | None, *, flow: bool) -> Iterator[tuple[str, str, int, int, str]]:
        above = self.above.of(path)
        if above is not None and isinstance(above.value, str | int | float) and above.shown == above.shown.strip("…"):
            detail = f"inherited from {above.origin}"
            yield (*self._value(above.value, detail, _INHERITED, flow=flow),)
        for word, meaning in doc.values if doc is not None else ():
            yield word, meaning, ENUM_MEMBER, _CHOICE, escaped(word)
        if path[:1] == ("jobs",) and "sku" in path[2:4]:
            for sku, meaning in SKU_SHAPES.items():
                yield sku, meaning, VALUE, _CHOICE, escaped(scalar(sku, flow=flow))
        for word in self.live.values(self.service, path):
            yield word, f"offered by {self.service} now", VALUE, _OFFERED, escaped(scalar(word, flow=flow))
        if self.usage is not None:
            used = self.usage.values(place_of(path), without=self.view.file.real)
            for order, (word, count) in enumerate(used[:_MOST_USED]):
                detail = f"in {count} other template{'s' if count > 1 else ''}"
                yield word, detail, VALUE, _USED + min(order, 15), escaped(scalar(word, flow=flow))
        if path[:-1] == (path[0], *path[1:2], *ENV_PATH[2:]) and path[0] == "jobs":
            for label, (text, detail) in _SECRETS.items():
                yield label, detail, SNIPPET, _CHOICE, text
        yield from self._documented(doc, flow=flow)
        if above is not None and above.value is not None:
            yield "null", "clears the inherited value", ENUM_MEMBER, _CLEARS, "null"

    def _documented(self, doc: FieldDoc | None, *, flow: bool) -> Iterator[tuple[str, str, int, int, str]]:
        if doc is None:
            return
        if not isinstance(doc.default, Missing):
            yield self._value(doc.default, "what counts when it is not set", _DEFAULT, flow=flow)
        for each in doc.examples:
            if not isinstance(each, dict | list):
                yield self._value(each, "an example", _EXAMPLE, flow=flow)

    @staticmethod
    def _value(value: Json, detail: str, rank: int, *, flow: bool) -> tuple[str, str, int, int, str]:
        text = scalar(value, flow=flow) if isinstance(value, str) else json.dumps(value)
        label = value if isinstance(value, str) else text
        return label, detail, VALUE, rank, escaped(text)
