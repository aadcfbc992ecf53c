"""A proposal and how it is sent: the edit that leaves valid YAML, in the form that the client understands."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ajkit.shared.where import Span

if TYPE_CHECKING:
    from collections.abc import Callable

    from ajkit.lsp.capabilities import Client
    from ajkit.lsp.completing.places import Context, Slot
    from ajkit.lsp.markup import Markup
    from ajkit.shared.where import Text

VARIABLE, VALUE, PROPERTY, SNIPPET, FILE, FOLDER, ENUM_MEMBER = 6, 12, 10, 15, 17, 19, 20
"""Kinds of items of the protocol."""

LIMIT = 200
"""How many items one answer holds: more cost the client and the wire more than they are worth."""

_ALWAYS_KNOWN = range(1, 19)
_ADJUST, _AS_IS = 2, 1
_HOLE = re.compile(
    r"\$\{\d+:(?P<word>(?:[^\\}]|\\.)*)\}|\$\{\d+\|(?P<first>(?:[^\\,|]|\\.)*)[^}]*\|\}|\$\d+|\\(?P<char>.)"
)
_STOP = re.compile(r"\$[\d{]")
_LAST_STOP = re.compile(r":\n[ -]*\$0$")


@dataclass(frozen=True, slots=True)
class Item:
    """One proposal.

    Attributes:
        label: what the person sees, and what is compared with what they have typed.
        kind: one of the kinds above.
        text: what is written, as a snippet of the protocol; lines after the first are indented from the column of the
            slot.
        rank: items of a lower rank come first, those of one rank in the order in which they were found.
        detail: its type, or where it is from, in a few words.
        note: the value that is inherited, in a few words.
        document: writes what is to be known of it.
    """

    label: str
    kind: int
    text: str
    rank: int = 5
    detail: str = ""
    note: str = ""
    document: Callable[[Markup], None] | None = None


def plain(snippet: str) -> str:
    """What a snippet leaves when nothing is typed into it."""

    def filled(found: re.Match[str]) -> str:
        return plain(found["word"] or found["first"] or "") if found["char"] is None else found["char"]

    return _HOLE.sub(filled, snippet)


def escaped(text: str) -> str:
    """A text as it is, inside a snippet."""
    return re.sub(r"[\\$}]", lambda found: f"\\{found[0]}", text)


class Sender:
    """Turns proposals for one cursor into the items that one client understands.

    `new_markup` makes a Markup, of Markdown or not.
    """

    def __init__(self, client: Client, text: Text, context: Context, new_markup: Callable[[bool], Markup]) -> None:
        self._client = client
        self._text = text
        self._context = context
        self._new_markup = new_markup
        known = client.get("textDocument", "completion", "completionItemKind", "valueSet")
        self._kinds = frozenset(known) if isinstance(known, list) else frozenset(_ALWAYS_KNOWN)
        formats = self._of_item("documentationFormat")
        self._markdown = isinstance(formats, list) and "markdown" in formats
        self._label_details = client.has("textDocument", "completion", "completionItem", "labelDetailsSupport")
        modes = self._of_item("insertTextModeSupport")
        self._modes = modes.get("valueSet") if isinstance(modes, dict) else None
        self._mode = client.get("textDocument", "completion", "insertTextMode")

    def _of_item(self, name: str) -> Any:
        return self._client.get("textDocument", "completion", "completionItem", name)

    def answer(self, found: list[tuple[Slot, Item]], *, may_grow: bool = False) -> dict[str, Any]:
        """A completion list: the best of what was found, at most `LIMIT`; if it `may_grow`, it is asked for again."""
        ordered = sorted(found, key=lambda each: each[1].rank)
        kept = ordered
        if len(ordered) > LIMIT:
            kept = [each for each in ordered if fits(self._context.typed, each[1].label)][:LIMIT]
        items = [self._sent(slot, item, order) for order, (slot, item) in enumerate(kept)]
        return {"isIncomplete": may_grow or len(ordered) > LIMIT, "items": items}

    def _sent(self, slot: Slot, item: Item, order: int) -> dict[str, Any]:
        snippet = self._client.snippets and bool(_STOP.search(item.text))
        # Without a stop on the next line there is no reason to go there.
        text = item.text if snippet else plain(_LAST_STOP.sub(":", item.text))
        text, mode = self._indented(slot, text + slot.trail, snippet=snippet)
        context = self._context
        # The opening quote that was typed is replaced, but the client compares it too.
        quote = context.typed[:1] if context.typed[:1] in {'"', "'"} else ""
        sent: dict[str, Any] = {
            "label": item.label,
            "sortText": f"{order:04d}",
            "filterText": quote + item.label,
            "textEdit": {"range": Span(self._text, context.start, context.end), "newText": text},
        }
        if item.kind in self._kinds:
            sent["kind"] = item.kind
        if snippet:
            sent["insertTextFormat"] = 2
        if mode is not None:
            sent["insertTextMode"] = mode
        if slot.shift < 0:
            begin = self._text.starts[self._text.position(context.start).line]
            cut = Span(self._text, begin, begin - slot.shift)
            sent["additionalTextEdits"] = [{"range": cut, "newText": ""}]
        sent |= self._words(item)
        return sent

    def _words(self, item: Item) -> dict[str, Any]:
        """What the client shows beside an item."""
        sent: dict[str, Any] = {}
        if self._label_details and item.note:
            sent["labelDetails"] = {"description": item.note}
        detail = item.detail if self._label_details else ", ".join(each for each in (item.detail, item.note) if each)
        if detail:
            sent["detail"] = detail
        if item.document is not None:
            markup = self._new_markup(self._markdown)
            item.document(markup)
            contents = markup.contents()
            if contents["value"]:
                sent["documentation"] = contents if self._markdown else contents["value"]
        return sent

    def _indented(self, slot: Slot, text: str, *, snippet: bool) -> tuple[str, int | None]:
        """The text with its lead, its lines indented as this client counts; and the mode to ask of it."""
        lead = " " * max(slot.shift, 0) + slot.lead
        context = self._context
        if text[-1:] not in {"", " ", "\n"} and self._text.content.startswith("#", context.end):
            text += " "
        if "\n" not in text:
            return (escaped(lead) if snippet else lead) + text, None
        relative, mode = self._counts(snippet=snippet)
        blanks = slot.column - (slot.indent - max(slot.shift, 0) if relative else 0)
        first, *rest = text.split("\n")
        lines = [lead + first, *(" " * max(blanks, 0) + each if each else each for each in rest)]
        return self._text.newline.join(lines), mode

    def _counts(self, *, snippet: bool) -> tuple[bool, int | None]:
        """Whether the client indents further lines itself as the first one is, and the mode that says so."""
        if isinstance(self._modes, list) and _ADJUST in self._modes:
            return True, _ADJUST
        if self._mode in {_ADJUST, _AS_IS}:
            return self._mode == _ADJUST, None
        # Clients that say nothing take plain texts as they are, and expand snippets from the line's indentation.
        return snippet, None


def fits(typed: str, label: str) -> bool:
    """Whether the letters that were typed are in a label, in their order."""
    letters = iter(label.casefold())
    return all(each in letters for each in typed.strip("\"'").casefold())
