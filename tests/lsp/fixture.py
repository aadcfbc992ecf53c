"""One-string fixtures for the language server: a workspace with a cursor, and every feature asked in plain values.

    --- .aj/template/leaf.yaml
    base: lo§w
    config: {}
    --- .aj/template/low.yaml
    config: {a: 1}

`§` marks the cursor (several are asked one after the other); the file that holds the first one is the open document,
others are on disk unless their section line ends in ``(open)``.
"""

from __future__ import annotations

import asyncio
import re
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

from ajkit.lsp import convert
from ajkit.lsp.capabilities import Client
from ajkit.lsp.features.table import COMMANDS, REQUESTS
from ajkit.lsp.session import Session
from ajkit.shared.files import MemoryFiles
from ajkit.shared.template.graph import read_graph

if TYPE_CHECKING:
    from pathlib import Path

    from ajkit.lsp.surroundings import Surroundings

ROOT = "/w"
CURSOR = "§"

BARE: dict[str, Any] = {}
EMACS: dict[str, Any] = {
    "textDocument": {
        "hover": {"contentFormat": ["plaintext"]},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "publishDiagnostics": {"relatedInformation": False},
    }
}
NEOVIM: dict[str, Any] = {
    "general": {"positionEncodings": ["utf-8", "utf-16", "utf-32"]},
    "textDocument": {
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "definition": {"linkSupport": True},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "completion": {"completionItem": {"snippetSupport": True, "documentationFormat": ["markdown", "plaintext"]}},
        "publishDiagnostics": {
            "relatedInformation": True,
            "codeDescriptionSupport": True,
            "tagSupport": {"valueSet": [1, 2]},
        },
        "diagnostic": {"dynamicRegistration": False},
        "rename": {"prepareSupport": True},
        "codeAction": {
            "codeActionLiteralSupport": {"codeActionKind": {"valueSet": ["quickfix", "refactor", "source"]}},
            "isPreferredSupport": True,
            "disabledSupport": True,
        },
    },
    "workspace": {"workspaceEdit": {"resourceOperations": ["rename", "create", "delete"]}},
}
VSCODE: dict[str, Any] = {
    "general": {"positionEncodings": ["utf-16"]},
    "textDocument": {
        **NEOVIM["textDocument"],
        "diagnostic": {"dynamicRegistration": True, "relatedDocumentSupport": False},
        "documentLink": {"tooltipSupport": True},
        "foldingRange": {"rangeLimit": 5000},
        "completion": {
            "completionItem": {
                "snippetSupport": True,
                "documentationFormat": ["markdown", "plaintext"],
                "labelDetailsSupport": True,
                "insertReplaceSupport": True,
                "insertTextModeSupport": {"valueSet": [1, 2]},
            },
            "completionItemKind": {"valueSet": list(range(1, 26))},
            "insertTextMode": 2,
        },
    },
    "workspace": {
        "workspaceEdit": {"resourceOperations": ["create", "rename", "delete"], "documentChanges": True},
        "configuration": True,
        "codeLens": {"refreshSupport": True},
        "diagnostics": {"refreshSupport": True},
        "textDocumentContent": {},
    },
}
CLIENTS = {"bare": BARE, "emacs": EMACS, "neovim": NEOVIM, "vscode": VSCODE}

_SECTION = re.compile(r"^--- (?P<path>\S.*?)(?P<open> \(open\))?[ \t]*$")


@dataclass
class Editor:
    """A client with one workspace: documents are open, features answer."""

    session: Session
    client: Client
    uri: str = ""
    cursors: list[dict[str, int]] = field(default_factory=list)

    def ask(self, method: str, **params: Any) -> Any:
        """The answer to a request about the open document; the first cursor is the position unless another is given."""
        base: dict[str, Any] = {"textDocument": {"uri": self.uri}}
        if self.cursors:
            base["position"] = self.cursors[0]
        answer = REQUESTS[method](self.session, self.client, base | params)
        if asyncio.iscoroutine(answer):
            answer = asyncio.run(answer)
        return convert.wire(answer, self.session.encoding)

    def run(self, command: str, *arguments: Any) -> Any:
        """The answer to a command, waited for."""
        answer = COMMANDS[command](self.session, self.client, list(arguments))
        if asyncio.iscoroutine(answer):
            answer = asyncio.run(answer)
        return convert.wire(answer, self.session.encoding)

    def type(self, new: str, *, uri: str | None = None) -> None:
        """Replace the whole text of an open document."""
        uri = uri or self.uri
        version = self.session.buffers[uri].version or 0
        self.session.change(uri, [{"text": new}], version + 1)

    def text(self, uri: str | None = None) -> str:
        """The text of an open document."""
        return self.session.buffers[uri or self.uri].text.content


def editor(fixture: str, capabilities: dict[str, Any] | None = None, *, graph: bool = True) -> Editor:
    """Open a fixture: the document with the cursor (or the first file), and those marked ``(open)``."""
    files: dict[str, str] = {}
    opened: list[str] = []
    path = ""
    for raw in fixture.strip("\n").split("\n"):
        if section := _SECTION.match(raw):
            path = f"{ROOT}/{section['path']}"
            files[path] = ""
            if section["open"]:
                opened.append(path)
        else:
            files[path] += raw + "\n"
    main = next((each for each in files if CURSOR in files[each]), next(iter(files)))
    client = Client(VSCODE if capabilities is None else capabilities)
    contents, cursors = _cursors(files[main])
    files[main] = contents
    session = Session(MemoryFiles(dict(files)), folder=ROOT)
    session.encoding = client.encoding
    if graph:
        for home in {home for each in files if (home := session.engine.home_of(each))}:
            session.graph_is_read(read_graph(session.files, home))
    for each in dict.fromkeys([main, *opened]):
        session.open(convert.uri_of(each), files[each], 1, "yaml")
    found = Editor(session, client, convert.uri_of(main))
    text = session.buffers[found.uri].text
    found.cursors = [convert.position(text, offset, session.encoding) for offset in cursors]
    return found


def editor_on_disk(
    folder: Path, path: str, capabilities: dict[str, Any] | None = None, surroundings: Surroundings | None = None
) -> Editor:
    """Open a file of a real folder."""
    client = Client(VSCODE if capabilities is None else capabilities)
    session = Session(folder=folder.as_posix(), surroundings=surroundings)
    session.encoding = client.encoding
    found = Editor(session, client, (folder / path).as_uri())
    session.open(found.uri, (folder / path).read_text("utf-8"), 1, "yaml")
    return found


def _cursors(text: str) -> tuple[str, list[int]]:
    pieces = text.split(CURSOR)
    offsets = []
    at = 0
    for piece in pieces[:-1]:
        at += len(piece)
        offsets.append(at)
    return "".join(pieces), offsets


def short(uri: str) -> str:
    """A URI as tests write it: relative to the root."""
    return uri.removeprefix(f"file://{ROOT}/")


def place(location: dict[str, Any]) -> str:
    """A location as tests write it: ``path:line:start-end`` (zero-based)."""
    uri = location.get("targetUri") or location["uri"]
    where = location.get("targetSelectionRange") or location.get("range") or location["selectionRange"]
    return f"{short(uri)}:{span(where)}"


def span(where: dict[str, Any]) -> str:
    """A range as tests write it: ``line:start-end``, or ``line:start-line:end`` over several lines."""
    start, end = where["start"], where["end"]
    tail = f"{end['character']}" if start["line"] == end["line"] else f"{end['line']}:{end['character']}"
    return f"{start['line']}:{start['character']}-{tail}"
