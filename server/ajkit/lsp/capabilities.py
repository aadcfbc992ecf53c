"""What the client can do, and what the server therefore says it does."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ajkit.lsp import convert

if TYPE_CHECKING:
    from collections.abc import Iterable

TOKEN_TYPES = ("namespace", "property", "variable", "macro", "string")
TOKEN_MODIFIERS = ("inherited", "overridden", "unknown", "definition")


@dataclass(frozen=True, slots=True)
class Client:
    """The capabilities that a client announced, as far as they change what is sent to it."""

    raw: dict[str, Any]

    def has(self, *path: str) -> bool:
        """Whether a capability is there and true (or an object)."""
        value = self.get(*path)
        return value is not None and value is not False

    def get(self, *path: str) -> Any:
        """The value of a capability; None where any part of the path is absent or odd."""
        value: Any = self.raw
        for step in path:
            value = value.get(step) if isinstance(value, dict) else None
        return value

    @property
    def encoding(self) -> str:
        """The position encoding to speak: the cheapest one that the client knows."""
        known = self.get("general", "positionEncodings")
        if isinstance(known, list):
            return next((each for each in convert.ENCODINGS if each in known), convert.UTF16)
        return convert.UTF16

    @property
    def pulls_diagnostics(self) -> bool:
        """Whether the client asks for diagnostics itself; then none are pushed, or it would show each twice.

        A client that cannot be told to ask again would keep what is outdated where another file was edited: such a one
        is pushed what is wrong, if it takes that at all.
        """
        told = self.has("workspace", "diagnostics", "refreshSupport")
        return self.has("textDocument", "diagnostic") and (told or not self.has("textDocument", "publishDiagnostics"))

    @property
    def markdown(self) -> bool:
        """Whether hovers may be Markdown."""
        formats = self.get("textDocument", "hover", "contentFormat")
        return isinstance(formats, list) and "markdown" in formats

    @property
    def snippets(self) -> bool:
        """Whether completion items may be snippets."""
        return self.has("textDocument", "completion", "completionItem", "snippetSupport")


def server_capabilities(client: Client, methods: Iterable[str], commands: Iterable[str]) -> dict[str, Any]:
    """What the server announces: only what it has handlers for, in the form that this client understands."""
    served = set(methods)
    found: dict[str, Any] = {
        "positionEncoding": client.encoding,
        "textDocumentSync": {"openClose": True, "change": 2, "save": {"includeText": False}},
        "workspace": {"workspaceFolders": {"supported": True, "changeNotifications": True}},
    }
    found |= {name: options for method, name, options in _OPTIONS if method in served}
    if "textDocument/prepareRename" in served and client.has("textDocument", "rename", "prepareSupport"):
        found["renameProvider"] = {"prepareProvider": True}
    if not client.has("textDocument", "codeAction", "codeActionLiteralSupport"):
        found.pop("codeActionProvider", None)
    if "textDocument/diagnostic" in served and client.pulls_diagnostics:
        found["diagnosticProvider"] = {
            "identifier": "aj",
            "interFileDependencies": True,
            "workspaceDiagnostics": "workspace/diagnostic" in served,
        }
    if commands:
        found["executeCommandProvider"] = {"commands": sorted(commands)}
    if "workspace/willRenameFiles" in served:
        pattern = {"glob": "**/*.yaml", "matches": "file"}
        folders = {"glob": "**/*", "matches": "folder"}
        filters = [{"scheme": "file", "pattern": each} for each in (pattern, folders)]
        found["workspace"]["fileOperations"] = {
            name: {"filters": filters}
            for name in ("willRename", "didRename", "didCreate", "didDelete")
            if f"workspace/{name}Files" in served
        }
    if "workspace/textDocumentContent" in served and client.has("workspace", "textDocumentContent"):
        found["workspace"]["textDocumentContent"] = {"schemes": [convert.PREVIEW_SCHEME]}
    return found


_TOKENS = {"legend": {"tokenTypes": TOKEN_TYPES, "tokenModifiers": TOKEN_MODIFIERS}, "full": True, "range": True}
_OPTIONS: tuple[tuple[str, str, Any], ...] = (
    ("textDocument/hover", "hoverProvider", True),
    ("textDocument/definition", "definitionProvider", True),
    ("textDocument/declaration", "declarationProvider", True),
    ("textDocument/references", "referencesProvider", True),
    ("textDocument/documentHighlight", "documentHighlightProvider", True),
    ("textDocument/documentLink", "documentLinkProvider", {"resolveProvider": False}),
    ("textDocument/documentSymbol", "documentSymbolProvider", True),
    ("workspace/symbol", "workspaceSymbolProvider", True),
    ("textDocument/foldingRange", "foldingRangeProvider", True),
    ("textDocument/selectionRange", "selectionRangeProvider", True),
    ("textDocument/semanticTokens/full", "semanticTokensProvider", _TOKENS),
    ("textDocument/prepareTypeHierarchy", "typeHierarchyProvider", True),
    (
        "textDocument/completion",
        "completionProvider",
        {"triggerCharacters": [":", " ", "-", ".", "[", ",", "{", "$"], "resolveProvider": False},
    ),
    (
        "textDocument/codeAction",
        "codeActionProvider",
        {"codeActionKinds": ["quickfix", "refactor.move", "refactor.rewrite"], "resolveProvider": False},
    ),
    ("textDocument/rename", "renameProvider", True),
    ("textDocument/codeLens", "codeLensProvider", {"resolveProvider": False}),
    ("textDocument/inlayHint", "inlayHintProvider", {"resolveProvider": False}),
)
