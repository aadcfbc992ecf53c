"""How items are sent: snippets and plain texts, indentation as the client counts it, letters that fit."""

from __future__ import annotations

from typing import Any

import pytest

from ajkit.lsp.capabilities import Client
from ajkit.lsp.completing.items import PROPERTY, SNIPPET, Item, Sender, escaped, fits, plain
from ajkit.lsp.completing.places import Context, Slot
from ajkit.lsp.markup import Markup
from ajkit.shared.where import Text


def client(*, snippets: bool, modes: list[int] | None = None, mode: int | None = None) -> Client:
    item: dict[str, Any] = {"snippetSupport": snippets}
    if modes:
        item["insertTextModeSupport"] = {"valueSet": modes}
    return Client({"textDocument": {"completion": {"completionItem": item, "insertTextMode": mode}}})


def sent(client: Client, item: Item, slot: Slot, content: str = "    \n") -> dict[str, Any]:
    text = Text("/t.yaml", content)
    context = Context(slot.indent, slot.indent, "")
    answer = Sender(client, text, context, lambda markdown: Markup(str, lambda _: False, markdown=markdown)).answer(
        [(slot, item)]
    )
    found: dict[str, Any] = answer["items"][0]
    return found


BLOCK = Item("x", SNIPPET, "x:\n  ${1:y}\nz:")
AT_FOUR = Slot("key", (), column=4, indent=4)


@pytest.mark.parametrize(
    ("snippets", "modes", "mode", "wanted", "said"),
    [
        (True, [1, 2], 2, "x:\n  ${1:y}\nz:", 2),
        (True, None, None, "x:\n  ${1:y}\nz:", None),
        (True, [1], 1, "x:\n      ${1:y}\n    z:", None),
        (False, None, None, "x:\n      y\n    z:", None),
        (False, [2], None, "x:\n  y\nz:", 2),
        (False, None, 2, "x:\n  y\nz:", None),
    ],
)
def test_lines_are_indented_as_the_client_counts(
    snippets: bool, modes: list[int] | None, mode: int | None, wanted: str, said: int | None
) -> None:
    item = sent(client(snippets=snippets, modes=modes, mode=mode), BLOCK, AT_FOUR)
    assert item["textEdit"]["newText"] == wanted
    assert item.get("insertTextMode") == said
    assert item.get("insertTextFormat") == (2 if snippets else None)


def test_a_lead_a_shift_and_a_trail_are_written_too() -> None:
    bare = client(snippets=False)
    item = sent(bare, BLOCK, Slot("value", (), lead="- ", column=6, indent=4))
    assert item["textEdit"]["newText"] == "- x:\n        y\n      z:"
    item = sent(bare, BLOCK, Slot("key", (), column=4, indent=4, shift=2))
    assert item["textEdit"]["newText"] == "  x:\n      y\n    z:"
    item = sent(bare, BLOCK, Slot("key", (), column=2, indent=2, shift=-2))
    assert item["additionalTextEdits"][0]["newText"] == ""
    assert item["additionalTextEdits"][0]["range"].end == 2
    item = sent(bare, Item("a", PROPERTY, "a: "), Slot("key", (), ways="flow", trail=","))
    assert item["textEdit"]["newText"] == "a: ,"


def test_a_comment_right_behind_stays_one() -> None:
    item = sent(client(snippets=False), Item("a", PROPERTY, "a"), AT_FOUR, "    # words\n")
    assert item["textEdit"]["newText"] == "a "


def test_what_a_snippet_leaves() -> None:
    assert plain("a ${1:b} ${2|c,d|} $0\\}\\$x\\\\") == "a b c }$x\\"
    assert plain("${1:{from\\}}") == "{from}"
    assert plain(escaped("${1:x} $0 {y} \\")) == "${1:x} $0 {y} \\"


def test_letters_fit_in_their_order() -> None:
    assert fits("", "anything")
    assert fits("gpn", "gpus_per_node")
    assert fits('"GPU', "gpus_per_node")
    assert not fits("npg", "gpus_per_node")
