"""The typing sweep: every request, at every stage of typing, answers without an error and in bounded time."""

from __future__ import annotations

import itertools
import os
import random
import time
from typing import Any

import pytest

from ajkit.lsp.failure import RequestFailed
from ajkit.lsp.features.table import REQUESTS
from ajkit.lsp.previews import preview_uri
from tests.lsp.fixture import CLIENTS, Editor, editor
from tests.repository import ROOT as REPOSITORY

SOAK = os.environ.get("AJ_SOAK") == "1"
SECONDS = 60.0 if SOAK else 6.0
"""Seconds of CPU that each text is swept for: prefixes first (all in a soak), then seeded damages."""
pytestmark = pytest.mark.timeout(3_600 if SOAK else 120)
SLOWEST = 2.0
"""Seconds of CPU that no single answer may take."""

LEAF = """base: [common, storage.blob]
config:
  target: {service: aml, name: mine}
  environment:
    image: "ubuntu:22.04"
    setup: ['pip install x', bash scripts/setup.sh]
  jobs:
  - sku: "{nodes}x80G{processes}-A100"
    instance_count: 2
    command:
    - |
      python train.py --id $AJ_ID
      echo "🚀 done"
    submit_args:
      env: {LR: 0.1, <<: *defaults}
x-defaults: &defaults
  A: 1
"""
OTHERS = """
--- .aj/template/common.yaml
base: root
config: {target: {name: theirs}, environment: {setup: [common]}}
--- .aj/template/root.yaml
config: {target: {service: aml, name: oldest}, jobs: [{instance_count: 1}]}
--- .aj/storage/blob.yaml
config: {storage: {data: {mount_dir: /mnt}}}
--- scripts/setup.sh
"""
TEXTS = {
    "drawn": LEAF,
    **{
        path.stem: path.read_text("utf-8")
        for path in sorted((REPOSITORY / "examples").rglob("*.yaml"))
        if path.parent.name == "template"
    },
}
POSITIONED = (
    "textDocument/hover",
    "textDocument/definition",
    "textDocument/declaration",
    "textDocument/completion",
    "textDocument/references",
    "textDocument/documentHighlight",
    "textDocument/prepareRename",
)
WHOLE = (
    "textDocument/diagnostic",
    "textDocument/documentSymbol",
    "textDocument/documentLink",
    "textDocument/foldingRange",
    "textDocument/semanticTokens/full",
    "textDocument/codeLens",
)

MET: set[str] = set()
"""The requests that were swept."""


def ask(there: Editor, method: str, **params: Any) -> Any:
    """One answer; only an error that is meant for the person is fine."""
    MET.add(method)
    start = time.process_time()
    try:
        answer = there.ask(method, **params)
    except RequestFailed:
        return None
    assert time.process_time() - start < SLOWEST, method
    return answer


def everything(there: Editor, where: dict[str, int]) -> None:
    """Every request about a document with the cursor at one place."""
    around = {"start": {"line": max(0, where["line"] - 2), "character": 0}, "end": where}
    for method in POSITIONED:
        ask(there, method, position=where)
    for method in WHOLE:
        ask(there, method)
    ask(there, "textDocument/rename", position=where, newName="other")
    ask(there, "textDocument/selectionRange", positions=[where])
    for method in ("textDocument/inlayHint", "textDocument/semanticTokens/range"):
        ask(there, method, range=around)
    for item in ask(there, "textDocument/prepareTypeHierarchy", position=where) or ():
        ask(there, "typeHierarchy/supertypes", item=item)
        ask(there, "typeHierarchy/subtypes", item=item)
    ask(there, "workspace/symbol", query="le")
    ask(there, "workspace/diagnostic", previousResultIds=[])
    ask(there, "workspace/textDocumentContent", uri=preview_uri("spec", "/w/.aj/template/leaf.yaml"))
    moved = {"oldUri": there.uri, "newUri": there.uri.replace("leaf", "other")}
    ask(there, "workspace/willRenameFiles", files=[moved])
    view = there.session.view(there.uri)
    assert view is not None
    diagnostics: list[Any] = [{"code": each.code} for each in view.problems]
    ask(there, "textDocument/codeAction", range=around, context={"diagnostics": diagnostics})
    there.run("aj.merged", there.uri)
    there.run("aj.bases", there.uri)
    there.run("aj.preview", there.uri, "spec", {})


def end_of(text: str) -> dict[str, int]:
    """The position behind a text, in UTF-16."""
    lines = text.split("\n")
    return {"line": len(lines) - 1, "character": len(lines[-1].encode("utf-16-le")) // 2}


@pytest.mark.parametrize("name", TEXTS)
def test_typing(name: str) -> None:
    text = TEXTS[name]
    there = editor(f"--- .aj/template/leaf.yaml\n{text}{OTHERS}", CLIENTS["vscode"], variants=())
    chance = random.Random(name)
    end = time.process_time() + SECONDS / (1 if name == "drawn" else 2)
    prefixes = list(range(len(text) + 1))
    chance.shuffle(prefixes)
    stages = itertools.chain((text[:size] for size in prefixes), _damaged(text, chance))
    swept = 0
    for stage in stages:
        if time.process_time() > end and (not SOAK or swept > len(text)):
            break
        there.type(stage)
        everything(there, end_of(stage if swept % 2 else stage[: chance.randint(0, len(stage))]))
        swept += 1
    assert swept > 5
    assert REQUESTS.keys() == MET, "every request is swept"


def _damaged(text: str, chance: random.Random) -> Any:
    """The text with something put in or taken out at a random place, without end."""
    while True:
        at, size = chance.randint(0, len(text)), chance.choice([0, 0, 1, 3, 40])
        put = chance.choice(
            ["", "\n", "\t", ":", "- ", "{", "]", "'", '"', "&a", "*a", "<<: ", "\u2028", "🚀", "#", "|\n"]
        )
        yield text[:at] + put + text[at + size :]


@pytest.mark.parametrize("client", CLIENTS)
def test_every_cursor_of_the_whole_text(client: str) -> None:
    there = editor(f"--- .aj/template/leaf.yaml\n{LEAF}{OTHERS}", CLIENTS[client], variants=())
    places = [(line, column) for line, each in enumerate(LEAF.split("\n")) for column in range(len(each) + 2)]
    step = 1 if SOAK else 9
    for line, column in places[::step]:
        everything(there, {"line": line, "character": column})
    for odd in ({"line": 10_000, "character": 0}, {"line": 0, "character": 10_000}, {"line": -1, "character": -5}):
        everything(there, odd)
