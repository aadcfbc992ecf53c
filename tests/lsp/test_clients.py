"""Every request once with what each editor says of itself, over stdio, with a client that checks what it is sent."""

from __future__ import annotations

import asyncio
import json
import re
import sys
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pytest_lsp import ClientServerConfig, LanguageClient, client_capabilities
from pytest_lsp.client import DEFAULT_CLIENT_FEATURES, register_lsp_features

from ajkit.lsp.features.table import REQUESTS
from tests.lsp.test_capabilities import is_announced
from tests.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Mapping

    from tests.plugins.goldens import Golden

GOLDENS = Path(__file__).parent / "goldens"
WORKSPACE = {
    ".aj/template/leaf.yaml": """base: [common, env.gpu]
config:
  target: {name: mine}
  jobs:
  - command:
    - bash scripts/run.sh --id $AJ_ID
    - 🚀 $AJ_NODES
    submit_args:
      env: {LR: 0.1}
    sku: "{nodes}x80G{processes}"
    instance_cout: 2
    instance_count: 2
""",
    ".aj/template/common.yaml": """config:
  target: {service: sing, name: theirs, workspace_name: w}
  environment: {image: "python:3.12", setup: [pip install a]}
""",
    ".aj/env/gpu.yaml": "config: {environment: {setup: [pip install b]}, target: {gpus_per_node: 8}}\n",
    ".aj/template/other.yaml": "base: common\nconfig: {target: {name: [wrong]}}\n",
    "scripts/run.sh": "echo\n",
}
LEAF = ".aj/template/leaf.yaml"
RECORDED = {"emacs": "emacs@v29.1", "neovim": "neovim@v0.11.0", "vscode": "visual-studio-code@v1.65.2"}
NEWER: dict[str, Any] = {
    "textDocument": {
        "diagnostic": {"dynamicRegistration": True, "relatedDocumentSupport": False},
        "inlayHint": {"dynamicRegistration": True, "resolveSupport": {"properties": ["tooltip"]}},
    },
    "workspace": {
        "diagnostics": {"refreshSupport": True},
        "inlayHint": {"refreshSupport": True},
        "textDocumentContent": {"dynamicRegistration": True},
    },
}
"""What Visual Studio Code has learnt since the version whose capabilities are on record."""


def position(line: int, character: int) -> dict[str, int]:
    return {"line": line, "character": character}


AT_NAME, AT_BASE = position(2, 18), position(0, 8)
ALL = {"start": position(0, 0), "end": position(12, 0)}


def asked(uri: str, root: str) -> dict[str, dict[str, Any]]:
    """The parameters of every request."""
    item = {"name": "common", "kind": 5, "uri": f"{root}/.aj/template/common.yaml", "range": ALL, "selectionRange": ALL}
    leaf = item | {"name": "leaf", "uri": uri}
    document = {"textDocument": {"uri": uri}}
    return {
        "textDocument/codeAction": document | {"range": ALL, "context": {"diagnostics": []}},
        "textDocument/codeLens": document,
        "textDocument/completion": document | {"position": position(2, 11)},
        "textDocument/declaration": document | {"position": AT_NAME},
        "textDocument/definition": document | {"position": AT_BASE},
        "textDocument/diagnostic": document,
        "textDocument/documentHighlight": document | {"position": AT_NAME},
        "textDocument/documentLink": document,
        "textDocument/documentSymbol": document,
        "textDocument/foldingRange": document,
        "textDocument/hover": document | {"position": AT_NAME},
        "textDocument/inlayHint": document | {"range": ALL},
        "textDocument/prepareRename": document | {"position": AT_BASE},
        "textDocument/prepareTypeHierarchy": document | {"position": AT_BASE},
        "textDocument/references": document | {"position": AT_BASE, "context": {"includeDeclaration": True}},
        "textDocument/rename": document | {"position": AT_BASE, "newName": "shared"},
        "textDocument/selectionRange": document | {"positions": [AT_NAME]},
        "textDocument/semanticTokens/full": document,
        "textDocument/semanticTokens/range": document | {"range": {"start": position(5, 0), "end": position(7, 0)}},
        "typeHierarchy/subtypes": {"item": item},
        "typeHierarchy/supertypes": {"item": leaf},
        "workspace/diagnostic": {"previousResultIds": []},
        "workspace/symbol": {"query": "lf"},
        "workspace/textDocumentContent": {"uri": f"aj-preview://merged{uri.removeprefix('file://')}"},
        "workspace/willRenameFiles": {
            "files": [{"oldUri": item["uri"], "newUri": f"{root}/.aj/template/shared.yaml"}],
        },
    }


def merged(one: Any, other: Any) -> Any:
    if isinstance(one, dict) and isinstance(other, dict):
        return {key: merged(one.get(key), other[key]) if key in other else one[key] for key in {**one, **other}}
    return other


def client() -> LanguageClient:
    """A client that also takes the requests which pytest-lsp knows nothing of."""
    from pygls.protocol import default_converter

    made = LanguageClient(converter_factory=default_converter)
    quiet = ("workspace/codeLens/refresh", "workspace/inlayHint/refresh", "workspace/textDocumentContent/refresh")
    register_lsp_features(made, {**DEFAULT_CLIENT_FEATURES, **dict.fromkeys(quiet, _take)})
    return made


def _take(_client: LanguageClient, _params: Any) -> None:
    """Do what is asked: nothing that anybody sees."""


def capabilities(name: str, made: LanguageClient) -> types.ClientCapabilities:
    """What an editor says of itself."""
    converter = made.protocol._converter
    if name == "bare":
        return types.ClientCapabilities()
    known = client_capabilities(RECORDED[name])
    if name != "vscode":
        return known
    newer: types.ClientCapabilities = converter.structure(
        merged(converter.unstructure(known), NEWER), types.ClientCapabilities
    )
    return newer


async def answers(name: str, folder: Path) -> dict[str, Any]:
    """What a client is answered, by request, and the problems it was told of without asking."""
    config = ClientServerConfig([sys.executable, "-m", "ajkit.lsp.main"], client_factory=client)
    made = await config.start()
    assert isinstance(made, LanguageClient)
    root, uri = folder.as_uri(), (folder / LEAF).as_uri()
    converter = made.protocol._converter
    protocol: Any = made.protocol
    server: Any = made._server
    try:
        params = types.InitializeParams(
            capabilities=capabilities(name, made),
            root_uri=root,
            workspace_folders=[types.WorkspaceFolder(uri=root, name="w")],
        )
        announced = converter.unstructure((await made.initialize_session(params)).capabilities)
        text = (folder / LEAF).read_text("utf-8")
        item = types.TextDocumentItem(uri=uri, language_id="yaml", version=1, text=text)
        made.text_document_did_open(types.DidOpenTextDocumentParams(text_document=item))
        ready = types.ExecuteCommandParams(command="aj.graph", arguments=[{"uri": uri}])
        await made.workspace_execute_command_async(ready)
        del announced["executeCommandProvider"]  # the same for all; docs/editor-features.md lists them
        found: dict[str, Any] = {"announced": announced}
        for method, each in asked(uri, root).items():
            if not is_announced(method, announced):
                found[method] = "not announced"
                continue
            kind: Any = types.METHOD_TO_TYPES[method][2]
            request: Any = converter.structure(each, kind)
            try:
                found[method] = converter.unstructure(await protocol.send_request_async(method, request))
            except JsonRpcException as error:
                found[method] = {"error": str(error)}
        found["pushed"] = {uri: converter.unstructure(each) for uri, each in made.diagnostics.items()}
        await made.shutdown_session()
        assert server.returncode == 0
        assert made.error is None
    finally:
        if server.returncode is None:
            server.kill()
        stop: Any = made.stop
        await stop()
    return found


@pytest.fixture(scope="module")
def told(tmp_path_factory: pytest.TempPathFactory) -> dict[str, dict[str, Any]]:
    """What every client was answered."""
    folder = tmp_path_factory.mktemp("clients")
    for path, text in WORKSPACE.items():
        (folder / path).parent.mkdir(parents=True, exist_ok=True)
        (folder / path).write_text(text, "utf-8")

    async def all_of_them() -> list[dict[str, Any]]:
        return await asyncio.gather(*(answers(name, folder) for name in CLIENTS))

    shown = json.dumps(asyncio.run(all_of_them()), ensure_ascii=False).replace(str(folder), "/w")
    shown = shown.replace(ROOT.as_uri(), "file:///repository")
    shown = re.sub(r'"resultId": "[0-9a-f]{16}"', '"resultId": "…"', shown)  # made of paths too
    return dict(zip(CLIENTS, json.loads(shown), strict=True))


CLIENTS = ("bare", "emacs", "neovim", "vscode")


def page(answer: Any) -> str:
    return json.dumps(brief(answer), indent=1, ensure_ascii=False, sort_keys=True) + "\n"


def brief(value: Any) -> Any:
    """An answer as people can read it: ranges as ``line:character-line:character``, numbers in a row."""
    if isinstance(value, dict):
        if value.keys() == {"start", "end"}:
            return "-".join(f"{each['line']}:{each['character']}" for each in (value["start"], value["end"]))
        return {key: brief(each) for key, each in value.items()}
    if isinstance(value, list):
        if value and all(isinstance(each, int) for each in value):
            return " ".join(map(str, value))
        return [brief(each) for each in value]
    return value


def test_every_request_is_asked() -> None:
    assert asked("", "").keys() == REQUESTS.keys()


@pytest.mark.parametrize("name", CLIENTS)
def test_answers(told: Mapping[str, dict[str, Any]], name: str, golden: Golden) -> None:
    golden(GOLDENS / f"{name}.json", page(told[name]))


@pytest.mark.parametrize("name", CLIENTS)
def test_diagnostics_come_by_one_way(told: Mapping[str, dict[str, Any]], name: str) -> None:
    found = told[name]
    pushed = {uri: each for uri, each in found["pushed"].items() if each}
    if name == "vscode":
        assert found["pushed"] == {}
        assert {each["code"] for each in found["textDocument/diagnostic"]["items"]} == {"schema.unknown-key"}
    else:
        assert found["textDocument/diagnostic"] == found["workspace/diagnostic"] == "not announced"
        assert [{each["code"] for each in items} for items in pushed.values()] == [{"schema.unknown-key"}]


@pytest.mark.parametrize("method", sorted(REQUESTS))
def test_what_is_announced_is_answered_alike(told: Mapping[str, dict[str, Any]], method: str) -> None:
    """An editor that can less gets the same answer in a plainer form, never an empty one."""
    given = {name: each[method] for name, each in told.items() if each[method] != "not announced"}
    assert given
    assert all(given.values()), method
