"""Editors that only have configuration here: it starts the server, which answers to what each editor says of itself."""

from __future__ import annotations

import json
import os
import re
import shutil
import sys
import tomllib
from typing import TYPE_CHECKING, Any

import pytest

from tests.drawing import ROOT as DRAWN
from tests.drawing import draw
from tests.lsp.wire import Wire
from tests.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Sequence
    from pathlib import Path

ACTION_KINDS = ["", "quickfix", "refactor", "refactor.extract", "refactor.inline", "refactor.rewrite", "source"]
OPERATIONS = ["create", "rename", "delete"]
HELIX: dict[str, Any] = {
    "general": {"positionEncodings": ["utf-8", "utf-32", "utf-16"]},
    "window": {"workDoneProgress": True},
    "workspace": {
        "applyEdit": True,
        "configuration": True,
        "didChangeConfiguration": {"dynamicRegistration": False},
        "didChangeWatchedFiles": {"dynamicRegistration": True, "relativePatternSupport": False},
        "executeCommand": {"dynamicRegistration": False},
        "fileOperations": {"willRename": True, "didRename": True},
        "inlayHint": {"refreshSupport": False},
        "symbol": {"dynamicRegistration": False},
        "workspaceEdit": {
            "documentChanges": True,
            "resourceOperations": OPERATIONS,
            "failureHandling": "abort",
            "normalizesLineEndings": False,
        },
        "workspaceFolders": True,
    },
    "textDocument": {
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ACTION_KINDS}},
            "isPreferredSupport": True,
            "disabledSupport": True,
            "dataSupport": True,
            "resolveSupport": {"properties": ["edit", "command"]},
        },
        "completion": {
            "completionItem": {
                "snippetSupport": True,
                "resolveSupport": {"properties": ["documentation", "detail", "additionalTextEdits"]},
                "insertReplaceSupport": True,
                "deprecatedSupport": True,
                "tagSupport": {"valueSet": [1]},
            },
            "completionItemKind": {},
        },
        "hover": {"contentFormat": ["markdown"]},
        "inlayHint": {"dynamicRegistration": False},
        "publishDiagnostics": {"versionSupport": True, "tagSupport": {"valueSet": [1, 2]}},
        "rename": {"dynamicRegistration": False, "prepareSupport": True, "honorsChangeAnnotations": False},
    },
}
HELIX_PULLING = HELIX | {
    "workspace": HELIX["workspace"] | {"diagnostics": {"refreshSupport": True}},
    "textDocument": HELIX["textDocument"]
    | {"diagnostic": {"dynamicRegistration": False, "relatedDocumentSupport": True}},
}
LSP_MODE: dict[str, Any] = {
    "window": {"workDoneProgress": True, "showMessage": None, "showDocument": None},
    "workspace": {
        "applyEdit": True,
        "codeLens": {"refreshSupport": True},
        "configuration": True,
        "executeCommand": {"dynamicRegistration": False},
        "fileOperations": dict.fromkeys(["didCreate", "willCreate", "didRename", "willRename", "didDelete"], False),
        "symbol": {"symbolKind": {"valueSet": [*range(1, 27)]}},
        "workspaceEdit": {"documentChanges": True, "resourceOperations": OPERATIONS},
        "workspaceFolders": True,
    },
    "textDocument": {
        "callHierarchy": {"dynamicRegistration": False},
        "codeAction": {
            "dynamicRegistration": True,
            "isPreferredSupport": True,
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ACTION_KINDS}},
            "resolveSupport": {"properties": ["edit", "command"]},
        },
        "completion": {
            "completionItem": {
                "snippetSupport": False,
                "documentationFormat": ["markdown", "plaintext"],
                "insertReplaceSupport": True,
                "insertTextModeSupport": {"valueSet": [1, 2]},
            },
            "contextSupport": True,
        },
        "definition": {"linkSupport": True},
        "documentLink": {"dynamicRegistration": True, "tooltipSupport": True},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "foldingRange": {"dynamicRegistration": True},
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "linkedEditingRange": None,
        "moniker": None,
        "publishDiagnostics": {"relatedInformation": True, "versionSupport": True, "tagSupport": {"valueSet": [1, 2]}},
        "rename": {"dynamicRegistration": True, "prepareSupport": True},
        "synchronization": {"willSave": True, "didSave": True, "willSaveWaitUntil": True},
    },
}
PROJECT = """
--- .aj/template/leaf.yaml
base: [low, hig]
config:
  description: 🚀 "to the moon"
  jobs: [{command: [echo hi]}]
--- .aj/template/low.yaml
config:
  description: low
  target: {service: local, gpus_per_node: 0}
--- .aj/template/high.yaml
config: {}
--- other.yaml
base: nowhere
"""


def helix() -> dict[str, Any]:
    """The configuration for Helix."""
    return tomllib.loads((ROOT / "editors/helix/languages.toml").read_text("utf-8"))


def zed() -> dict[str, Any]:
    """The one entry in the configuration for Zed."""
    found: dict[str, Any] = json.loads((ROOT / "editors/zed/settings.json").read_text("utf-8"))
    return found["lsp"]["yaml-language-server"]  # type: ignore[no-any-return]


def started(folder: Path, program: str, arguments: Sequence[str]) -> Wire:
    """The server, started by the command line of a configuration, in a project."""
    for path, content in draw(PROJECT).files.items():
        target = folder / path.removeprefix(f"{DRAWN}/")
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text(content, "utf-8")
    found = shutil.which(program, path=os.path.dirname(sys.executable))
    assert found, f"{program} is not installed beside {sys.executable}"
    return Wire(folder, command=(found, *arguments))


def at(uri: str, line: int, character: int, **more: Any) -> dict[str, Any]:
    """Parameters about a place."""
    return {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}, **more}


@pytest.mark.parametrize(
    ("capabilities", "encoding", "end"),
    [(HELIX, "utf-8", 33), (HELIX_PULLING, "utf-8", 33), (LSP_MODE, "utf-16", 31)],
    ids=["helix", "helix-pulling", "lsp-mode"],
)
def test_it_answers_to_each(capabilities: dict[str, Any], encoding: str, end: int, tmp_path: Path) -> None:
    server = helix()["language-server"]["aj"]
    with started(tmp_path, server["command"], server["args"]) as wire:
        wire.answers["workspace/configuration"] = lambda params: [
            server["config"].get(each.get("section")) for each in params["items"]
        ]
        server["config"]["aj"]["preview"]["nodes"] = 7
        said = wire.initialize(capabilities)["capabilities"]
        assert said["positionEncoding"] == encoding
        assert "textDocumentContent" not in said["workspace"]
        uri = wire.open(tmp_path / ".aj/template/leaf.yaml", language="aj-template")

        if "diagnosticProvider" in said:
            report = wire.result("textDocument/diagnostic", {"textDocument": {"uri": uri}})
            assert report["kind"] == "full"
            found = report["items"]
        else:
            found = wire.diagnostics(uri, version=1)
        (missing,) = [each for each in found if each["code"] == "base.missing"]
        assert missing["range"] == {"start": {"line": 0, "character": 12}, "end": {"line": 0, "character": 15}}

        shown = wire.result("textDocument/hover", at(uri, 2, 4))
        assert shown["contents"]["kind"] == "markdown"
        assert "leaf.yaml:3" in shown["contents"]["value"]
        (target,) = wire.result("textDocument/definition", at(uri, 0, 7))
        assert (target.get("targetUri") or target["uri"]).endswith("low.yaml")
        place = {"line": 2, "character": 17}
        (value,) = wire.result("textDocument/selectionRange", {"textDocument": {"uri": uri}, "positions": [place]})
        assert value["range"] == {"start": {"line": 2, "character": 15}, "end": {"line": 2, "character": end}}

        offered = wire.result("textDocument/completion", at(uri, 0, 15))
        labels = [each["label"] for each in offered["items"]]
        assert "high" in labels
        actions = wire.result(
            "textDocument/codeAction",
            {"textDocument": {"uri": uri}, "range": missing["range"], "context": {"diagnostics": [missing]}},
        )
        assert [each["title"] for each in actions if each["kind"] == "quickfix"][:1] == ['Replace with "high"']
        assert wire.result("textDocument/prepareRename", at(uri, 0, 7))["placeholder"] == "low"
        changes = wire.result("textDocument/rename", at(uri, 0, 7, newName="deep"))["documentChanges"]
        assert changes[-1]["kind"] == "rename"
        assert wire.result("textDocument/inlayHint", {**at(uri, 0, 0), "range": whole()})
        assert wire.result("textDocument/documentSymbol", {"textDocument": {"uri": uri}})
        preview = wire.result("workspace/executeCommand", {"command": "aj.preview", "arguments": [{"uri": uri}]})
        assert '"nodes": 7' in preview["text"]

        other = wire.open(tmp_path / "other.yaml")
        assert wire.result("textDocument/hover", at(other, 0, 7)) is None
        assert wire.finish() == 0


def whole() -> dict[str, Any]:
    """The range of a small document."""
    return {"start": {"line": 0, "character": 0}, "end": {"line": 9, "character": 0}}


def test_helix_takes_templates_alone() -> None:
    (language,) = helix()["language"]
    assert language["language-servers"] == ["aj"]
    assert language["language-id"] == "aj-template"
    patterns = [each["glob"] for each in language["file-types"]]
    assert all(re.match(r"\.(aj|azure_jobs)/\*\*/\*\.ya?ml$", each) for each in patterns)
    queries = sorted((ROOT / "editors/helix/runtime/queries" / language["name"]).glob("*.scm"))
    assert queries
    assert {each.read_text("utf-8") for each in queries} == {"; inherits: yaml\n"}


def test_zed_starts_it_in_the_place_of_another(tmp_path: Path) -> None:
    entry = zed()
    with started(tmp_path, entry["binary"]["path"], entry["binary"]["arguments"]) as wire:
        # Zed answers with the member of the server's settings that a section names.
        settings = {"yaml": {"format": {"enable": True}}} | entry["settings"]
        wire.answers["workspace/configuration"] = lambda params: [
            settings.get(each.get("section")) for each in params["items"]
        ]
        wire.initialize({"workspace": {"configuration": True}, "general": {"positionEncodings": ["utf-16"]}})
        uri = wire.open(tmp_path / ".aj/template/leaf.yaml")
        assert [each["code"] for each in wire.diagnostics(uri)] == ["base.missing"]
        assert wire.finish() == 0
    page = (ROOT / "editors/zed/README.md").read_text("utf-8")
    shown = re.search(r"^ *```json\n( *\{.*?)^ *```", page, re.MULTILINE | re.DOTALL)
    assert shown
    assert json.loads(shown[1])["lsp"]["yaml-language-server"] == entry
