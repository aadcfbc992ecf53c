"""What the server announces, as a page for people and against what it answers."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

from ajkit.lsp.capabilities import Client, server_capabilities
from ajkit.lsp.features.table import COMMANDS, REQUESTS
from tests.lsp.fixture import CLIENTS
from tests.lsp.wire import Wire
from tests.repository import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.plugins.goldens import Golden

PAGE = ROOT / "docs" / "editor-features.md"
HEAD = """# What the language server answers

Made from the running server by `pytest tests/lsp/test_capabilities.py --update-goldens`; a test holds it to what is
announced and served. `yes` is announced to that client; the clients are what these editors say of themselves.

| request | what it is for | {clients} |
| --- | --- | {rules} |
"""


def announced(name: str) -> dict[str, Any]:
    """The capabilities announced to a client."""
    return server_capabilities(Client(CLIENTS[name]), REQUESTS, COMMANDS)


def page() -> str:
    """The table of requests, and the list of commands."""
    names = [each for each in CLIENTS if each != "bare"]
    rows = []
    for method, feature in sorted(REQUESTS.items()):
        doc = (feature.__doc__ or "").strip().split("\n")[0]
        words = doc.partition(": ")[2] or doc.strip("`.")
        told = ["yes" if is_announced(method, announced(each)) else "–" for each in names]
        rows.append(f"| `{method}` | {words.rstrip('.')} | {' | '.join(told)} |")
    commands = "\n".join(
        f"- `{each}`: {(COMMANDS[each].__doc__ or '').strip().splitlines()[0]}" for each in sorted(COMMANDS)
    )
    head = HEAD.format(clients=" | ".join(names), rules=" | ".join("---" for _ in names))
    return f"{head}{chr(10).join(rows)}\n\n## Commands\n\n{commands}\n"


_PROVIDERS = {
    "textDocument/prepareTypeHierarchy": "typeHierarchyProvider",
    "textDocument/semanticTokens/full": "semanticTokensProvider",
    "textDocument/semanticTokens/range": "semanticTokensProvider",
    "textDocument/prepareRename": "renameProvider",
    "typeHierarchy/subtypes": "typeHierarchyProvider",
    "typeHierarchy/supertypes": "typeHierarchyProvider",
    "workspace/diagnostic": "diagnosticProvider",
    "workspace/symbol": "workspaceSymbolProvider",
}


def is_announced(method: str, found: dict[str, Any]) -> bool:
    """Whether capabilities announce a method."""
    if method == "workspace/textDocumentContent":
        return "textDocumentContent" in found["workspace"]
    if method == "workspace/willRenameFiles":
        return "willRename" in found["workspace"].get("fileOperations", {})
    if method == "textDocument/prepareRename":
        return isinstance(found.get("renameProvider"), dict)
    return _PROVIDERS.get(method, f"{method.removeprefix('textDocument/')}Provider") in found


def test_the_page_is_fresh(golden: Golden) -> None:
    golden(PAGE, page())


def test_everything_announced_is_served(tmp_path: Path) -> None:
    with Wire(tmp_path) as wire:
        answer = wire.initialize(CLIENTS["vscode"])
        assert json.loads(json.dumps(announced("vscode"))) | answer["capabilities"] == answer["capabilities"]
        served = [method for method in REQUESTS if is_announced(method, answer["capabilities"])]
        assert len(served) >= len(REQUESTS) - 1
        for command in answer["capabilities"]["executeCommandProvider"]["commands"]:
            found = wire.ask("workspace/executeCommand", {"command": command, "arguments": []})
            assert "there is no command" not in json.dumps(found)
        for method in served:
            assert wire.ask(method, {})["id"]
        assert wire.finish() == 0
