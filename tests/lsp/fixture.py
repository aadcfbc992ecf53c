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
from ajkit.lsp.failure import RequestFailed
from ajkit.lsp.features.table import COMMANDS, REQUESTS
from ajkit.lsp.session import Session
from ajkit.shared.files import MemoryFiles
from ajkit.shared.template.graph import read_graph
from tests.lsp.variants import ROOT, Meaning, Variant, chosen, difference, is_drawn, moved_uri, translated

if TYPE_CHECKING:
    from collections.abc import Callable, Iterable
    from pathlib import Path

    from ajkit.lsp.surroundings import Surroundings

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
    """A client with one workspace: documents are open, features answer.

    `look` is its session, to look at; who may change something takes it by `session`, for then the variants of the
    workspace that are asked beside it are no longer the same.
    """

    look: Session
    client: Client
    uri: str = ""
    cursors: list[dict[str, int]] = field(default_factory=list)
    shadows: list[tuple[Variant, Editor]] = field(default_factory=list)

    @property
    def session(self) -> Session:
        """The session, to change."""
        self.shadows.clear()
        return self.look

    def ask(self, method: str, **params: Any) -> Any:
        """The answer to a request about the open document; the first cursor is the position unless another is given."""
        base: dict[str, Any] = {"textDocument": {"uri": self.uri}}
        if self.cursors:
            base["position"] = self.cursors[0]
        return self._answered(lambda there, given: there._asked(method, given), base | params)

    def run(self, command: str, *arguments: Any) -> Any:
        """The answer to a command, waited for."""
        return self._answered(lambda there, given: there._run(command, given), list(arguments))

    def _asked(self, method: str, params: dict[str, Any]) -> Any:
        return self._waited(REQUESTS[method](self.look, self.client, params))

    def _run(self, command: str, arguments: list[Any]) -> Any:
        return self._waited(COMMANDS[command](self.look, self.client, arguments))

    def _waited(self, answer: Any) -> Any:
        if asyncio.iscoroutine(answer):
            answer = asyncio.run(answer)
        return convert.wire(answer, self.look.encoding)

    def _answered(self, ask: Callable[[Editor, Any], Any], given: Any) -> Any:
        """The answer, which must mean the same in every variant."""
        if convert.PREVIEW_SCHEME in str(given):
            self.shadows.clear()  # places in a preview count by its own text
        answer, failed = _outcome(ask, self, given)
        for variant, shadow in self.shadows:
            with variant.loader():
                moved = translated(given, self.look, shadow.look, variant, self.uri)
                other, why = _outcome(ask, shadow, moved)
            ours = Meaning(self.look, self.look, Variant("as drawn"))
            theirs = Meaning(self.look, shadow.look, variant)
            expected = ours.of(answer if failed is None else str(failed), self.uri)
            found = theirs.of(other if why is None else str(why), self.uri)
            assert found == expected, f"variant: {variant.name}: {difference(expected, found)}"
        if failed is not None:
            raise failed
        return answer

    def type(self, new: str, *, uri: str | None = None) -> None:
        """Replace the whole text of an open document."""
        uri = uri or self.uri
        if "\r" in new:
            self.shadows.clear()  # it says its own line ends
        version = self.look.buffers[uri].version or 0
        self.look.change(uri, [{"text": new}], version + 1)
        for variant, shadow in self.shadows:
            with variant.loader():
                shadow.type(variant.text(new), uri=moved_uri(uri, variant))

    def text(self, uri: str | None = None) -> str:
        """The text of an open document."""
        return self.look.buffers[uri or self.uri].text.content


def _outcome(ask: Callable[[Editor, Any], Any], there: Editor, given: Any) -> tuple[Any, RequestFailed | None]:
    try:
        return ask(there, given), None
    except RequestFailed as error:
        return None, error


def editor(
    fixture: str,
    capabilities: dict[str, Any] | None = None,
    *,
    graph: bool = True,
    variants: Iterable[Variant] | None = None,
) -> Editor:
    """Open a fixture: the document with the cursor (or the first file), and those marked ``(open)``.

    Every question is asked in a variant of it too; `variants` says which, instead of leaving that to the drawing.
    """
    found = _opened(fixture, capabilities, Variant("as drawn"), graph=graph)
    for variant in chosen(fixture) if variants is None else variants:
        with variant.loader():
            found.shadows.append((variant, _opened(fixture, capabilities, variant, graph=graph)))
    return found


def _opened(fixture: str, capabilities: dict[str, Any] | None, variant: Variant, *, graph: bool) -> Editor:
    files: dict[str, str] = {}
    opened: list[str] = []
    path = ""
    for raw in fixture.strip("\n").split("\n"):
        if section := _SECTION.match(raw):
            path = f"{variant.root}/{section['path']}"
            files[path] = ""
            if section["open"]:
                opened.append(path)
        else:
            files[path] += raw + "\n"
    main = next((each for each in files if CURSOR in files[each]), next(iter(files)))
    client = Client(VSCODE if capabilities is None else capabilities)
    contents, cursors = _cursors(files[main])
    files[main] = contents
    cursors = [variant.there(contents, each) for each in cursors]
    files = {each: variant.text(content) if is_drawn(each) else content for each, content in files.items()}
    real = variant.real
    placed = {
        real + each.removeprefix(variant.root) if real else each: variant.mark + text for each, text in files.items()
    }
    memory = MemoryFiles(dict(placed), {variant.root: real} if real else None)
    session = Session(memory, folder=variant.root)
    session.encoding = variant.encoding or client.encoding
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
