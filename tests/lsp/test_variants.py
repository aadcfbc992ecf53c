"""Variants of a workspace: every request means the same in each, and what does not is found."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ajkit.lsp.features.table import REQUESTS
from tests.lsp.fixture import CLIENTS, Editor, editor
from tests.lsp.test_clients import ALL, AT_BASE, AT_NAME, LEAF, WORKSPACE, asked
from tests.lsp.variants import VARIANTS, Variant

if TYPE_CHECKING:
    from collections.abc import Iterable

DRAWN = "".join(f"--- {path}\n{text}" for path, text in WORKSPACE.items())


def drawn(client: str, variants: Iterable[Variant]) -> Editor:
    return editor(DRAWN, CLIENTS[client], variants=variants)


@pytest.mark.parametrize("variant", VARIANTS, ids=lambda each: each.name)
@pytest.mark.parametrize("client", ["bare", "vscode"])
def test_every_request_means_the_same(client: str, variant: Variant) -> None:
    there = drawn(client, [variant])
    answers: dict[str, Any] = {}
    for method, params in asked(there.uri, "file:///w").items():
        if method not in ("workspace/textDocumentContent", "textDocument/rename", "workspace/willRenameFiles"):
            answers[method] = there.ask(method, **params)
            assert there.shadows, "it was asked in the variant too"
    assert len(answers) == len(REQUESTS) - 3
    if client == "vscode":
        for method in ("textDocument/rename", "workspace/willRenameFiles"):
            assert there.ask(method, **asked(there.uri, "file:///w")[method])["documentChanges"]
    there.type(there.text().replace("name: mine", "name: [mine"))
    assert there.ask("textDocument/diagnostic")["items"]
    assert there.ask("textDocument/hover", position=AT_BASE)


class Lying(Variant):
    """A setting in which another name is written."""

    def text(self, content: str) -> str:
        return super().text(content).replace("theirs", "others")


@pytest.mark.parametrize(
    ("method", "more"),
    [
        ("textDocument/hover", {"position": AT_NAME}),
        ("textDocument/inlayHint", {"range": ALL}),
    ],
)
def test_another_answer_is_found(method: str, more: dict[str, Any]) -> None:
    there = drawn("vscode", [Lying("with another name")])
    assert LEAF.rpartition("/")[2] in there.uri
    with pytest.raises(AssertionError, match=r"with another name: .*theirs.*others"):
        there.ask(method, **more)


def test_another_place_is_found() -> None:
    there = drawn("vscode", [Variant("moved by a line", ahead="# one\n")])
    there.shadows[0][1].type("# one\n\n" + there.text())
    with pytest.raises(AssertionError, match="moved by a line"):
        there.ask("textDocument/hover", position=AT_NAME)
