"""Servers to compare with: yaml-language-server under our schema, pygls that does nothing, and ours on a slow disk."""

from __future__ import annotations

import contextlib
import fcntl
import os
import shutil
import subprocess
import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

from tests.lsp.wire import Wire

if TYPE_CHECKING:
    from collections.abc import Callable

ROOT = Path(__file__).parents[2]
PEER = Path(__file__).parent / "peer"
SLOW_STAT = 0.005
"""Seconds that one look at a file takes on the slow disk."""

CAPABILITIES: dict[str, Any] = {
    "general": {"positionEncodings": ["utf-16"]},
    "textDocument": {
        "hover": {"contentFormat": ["markdown", "plaintext"]},
        "documentSymbol": {"hierarchicalDocumentSymbolSupport": True},
        "completion": {"completionItem": {"snippetSupport": True, "documentationFormat": ["markdown", "plaintext"]}},
        "publishDiagnostics": {"relatedInformation": True},
    },
    "workspace": {"configuration": True, "codeLens": {"refreshSupport": True}},
}


class Timed(Wire):
    """A wire that knows when each message came, in seconds of `time.perf_counter`, and what CPU the server has used."""

    headers = frozenset({b"content-length", b"content-type"})
    patience = 300.0

    def __init__(self, folder: Path, **how: Any) -> None:
        self.began = time.perf_counter()
        self.came: dict[Any, float] = {}
        self.heard: list[float] = []
        super().__init__(folder, PYTHONPATH=str(ROOT), **how)

    def _take(self, message: dict[str, Any]) -> None:
        now = time.perf_counter()
        if "method" not in message:
            self.came[message["id"]] = now
        elif "id" not in message:
            self.heard.append(now)
        super()._take(message)

    def asked_in(self, method: str, params: Any) -> tuple[float, Any]:
        """Seconds until a request was answered, and its result."""
        began = time.perf_counter()
        identity = self.begin(method, params)
        answer = self.response(identity)
        assert "error" not in answer, answer["error"]
        return self.came.pop(identity) - began, answer["result"]

    def published_in(self, uri: str, version: int, act: Callable[[], None]) -> float:
        """Seconds from an act until the diagnostics of a version of a document come (of any, where none is told)."""
        mark = len(self.told)
        began = time.perf_counter()
        act()

        def wanted(params: Any) -> bool:
            return bool(params["uri"] == uri and params.get("version", version) == version)

        found = self.wait_told("textDocument/publishDiagnostics", wanted, after=mark)
        return (
            next(self.heard[index] for index in range(mark, len(self.told)) if self.told[index]["params"] is found)
            - began
        )

    def work(self) -> float:
        """What `cpu` tells, to the nanosecond, of the threads that are alive: what one message costs."""
        spent = 0
        for task in Path(f"/proc/{self.process.pid}/task").iterdir():
            with contextlib.suppress(OSError):  # it has ended meanwhile
                spent += int((task / "schedstat").read_text("ascii").split()[0])
        return spent / 1e9

    def memory(self) -> float:
        """Megabytes that the server has in memory."""
        for line in Path(f"/proc/{self.process.pid}/status").read_text("ascii").splitlines():
            if line.startswith("VmRSS"):
                return int(line.split()[1]) / 1024
        return 0.0


def ours(folder: Path, **how: Any) -> Timed:
    """Our server, initialized."""
    wire = Timed(folder, **how)
    wire.initialize(CAPABILITIES)
    return wire


def slow(folder: Path) -> Timed:
    """Our server on a disk where each look at a file takes five milliseconds."""
    return ours(folder, command=("-c", "from tests.bench.lsp_servers import serve_slowly; serve_slowly()"))


def empty(folder: Path) -> Timed:
    """A pygls server that only counts edits, initialized."""
    wire = Timed(folder, command=("-c", "from tests.bench.lsp_servers import serve_nothing; serve_nothing()"))
    wire.initialize(CAPABILITIES)
    return wire


def peer(folder: Path) -> Timed:
    """yaml-language-server with our schema for all that is below `.aj`, initialized."""
    wire = Timed(folder, program="node", command=(str(_installed()), "--stdio"))
    schema = (ROOT / "schema/template.schema.json").as_uri()
    settings = {
        "yaml": {
            "schemas": {schema: [".aj/**/*.yaml"]},
            "schemaStore": {"enable": False},
            "validate": True,
            "hover": True,
            "completion": True,
        }
    }
    wire.answers["workspace/configuration"] = lambda params: [settings.get(each["section"]) for each in params["items"]]
    wire.initialize(CAPABILITIES)
    return wire


def has_node() -> bool:
    """Whether the peer can run here."""
    return shutil.which("node") is not None and shutil.which("npm") is not None


def _installed() -> Path:
    """The peer's program, installed once as its lock file says."""
    program = PEER / "node_modules/yaml-language-server/bin/yaml-language-server"
    with (PEER / "package-lock.json").open("rb") as lock:
        fcntl.flock(lock, fcntl.LOCK_EX)
        if not program.exists():
            command = ["npm", "ci", "--ignore-scripts", "--no-audit", "--no-fund", "--silent"]
            subprocess.run(command, cwd=PEER, check=True, stdout=subprocess.DEVNULL)
    return program


def serve_nothing() -> None:
    """The floor: pygls as one starts with it, which answers everything with nothing."""
    from lsprotocol import types
    from pygls.lsp.server import LanguageServer

    server = LanguageServer("empty", "1")

    @server.feature(types.TEXT_DOCUMENT_DID_OPEN)
    def opened(params: types.DidOpenTextDocumentParams) -> None:
        publish(params.text_document.uri, params.text_document.version)

    @server.feature(types.TEXT_DOCUMENT_DID_CHANGE)
    def changed(params: types.DidChangeTextDocumentParams) -> None:
        publish(params.text_document.uri, params.text_document.version)

    @server.feature(types.TEXT_DOCUMENT_HOVER)
    def hover(_: types.HoverParams) -> None:
        return None

    @server.feature(types.TEXT_DOCUMENT_COMPLETION)
    def completion(_: types.CompletionParams) -> None:
        return None

    @server.feature(types.TEXT_DOCUMENT_DOCUMENT_SYMBOL)
    def symbols(_: types.DocumentSymbolParams) -> None:
        return None

    def publish(uri: str, version: int) -> None:
        server.text_document_publish_diagnostics(types.PublishDiagnosticsParams(uri, [], version))

    server.start_io()


def serve_slowly() -> None:
    """Our server, with a pause before each look at a file."""
    from ajkit.lsp.main import main

    for name in ("stat", "lstat", "open", "scandir", "listdir"):
        setattr(os, name, _slowed(getattr(os, name)))
    main()


def _slowed(act: Callable[..., Any]) -> Callable[..., Any]:
    def slowed(*args: Any, **kwargs: Any) -> Any:
        time.sleep(SLOW_STAT)
        return act(*args, **kwargs)

    return slowed
