"""A raw JSON-RPC client over a real server process: for what a polite client never does, and for timing."""

from __future__ import annotations

import contextlib
import json
import os
import subprocess
import sys
import threading
import time
from collections import deque
from typing import TYPE_CHECKING, Any, Self

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence
    from pathlib import Path

TIMEOUT = 60.0


def write_templates(folder: Path, **texts: str) -> Path:
    """Write templates by their names into the AJ_HOME of a project; the project."""
    templates = folder / ".aj" / "template"
    templates.mkdir(parents=True)
    for name, text in texts.items():
        (templates / f"{name}.yaml").write_text(text)
    return folder


class Wire:
    """A server process and what it sent. Requests of the server are answered by `answers`, others with null.

    Nothing that a test asserts may depend on who is the faster of the two: a machine may stop either for seconds.
    """

    headers = frozenset({b"content-length"})
    """What may stand before a message."""
    patience = TIMEOUT
    """Seconds to wait for anything."""

    def __init__(
        self,
        folder: Path,
        *,
        command: Sequence[str] = ("-m", "ajkit.lsp.main"),
        program: str = sys.executable,
        **environment: str,
    ) -> None:
        clean = {name: value for name, value in os.environ.items() if name != "AJ_HOME"}
        self.process = subprocess.Popen(
            [program, *command],
            stdin=subprocess.PIPE,
            stdout=subprocess.PIPE,
            stderr=subprocess.PIPE,
            cwd=folder,
            env=clean | environment,
        )
        self.folder = folder
        self.answers: dict[str, Callable[[Any], Any]] = {}
        self.asked: list[dict[str, Any]] = []
        self.told: list[dict[str, Any]] = []
        self.stderr: deque[bytes] = deque(maxlen=500)
        self._responses: dict[Any, dict[str, Any]] = {}
        self._news = threading.Condition()
        self._closed = False
        self._ids = 0
        self._readers = [threading.Thread(target=work, daemon=True) for work in (self._read, self._read_errors)]
        for each in self._readers:
            each.start()

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        if self.process.poll() is None:
            self.process.kill()
        self.ended()
        for stream in (self.process.stdin, self.process.stdout, self.process.stderr):
            if stream:
                with contextlib.suppress(BrokenPipeError):  # something was still to be sent
                    stream.close()

    # -- sending ----------------------------------------------------------------------------------------------------

    def raw(self, data: bytes) -> None:
        """Send bytes as they are."""
        assert self.process.stdin
        self.process.stdin.write(data)
        self.process.stdin.flush()

    def send(self, message: Any) -> None:
        """Send one framed message."""
        body = json.dumps(message).encode()
        self.raw(b"Content-Length: %d\r\n\r\n" % len(body) + body)

    def tell(self, method: str, params: Any = None) -> None:
        """Send a notification."""
        self.send({"jsonrpc": "2.0", "method": method, "params": params})

    def begin(self, method: str, params: Any = None) -> int:
        """Send a request; its id."""
        self._ids += 1
        self.send({"jsonrpc": "2.0", "id": self._ids, "method": method, "params": params})
        return self._ids

    def ask(self, method: str, params: Any = None) -> dict[str, Any]:
        """Send a request and wait for the whole answer."""
        return self.response(self.begin(method, params))

    def result(self, method: str, params: Any = None) -> Any:
        """Send a request and wait for its result, which must not be an error."""
        answer = self.ask(method, params)
        assert "error" not in answer, answer["error"]
        return answer["result"]

    # -- waiting ----------------------------------------------------------------------------------------------------

    @property
    def answered(self) -> frozenset[Any]:
        """The requests whose answers are here and were not taken yet."""
        return frozenset(self._responses)

    def response(self, identity: Any) -> dict[str, Any]:
        """The answer to a request."""
        self._wait(lambda: identity in self._responses, f"an answer to request {identity}")
        return self._responses.pop(identity)

    def wait_told(self, method: str, wanted: Callable[[Any], bool] = lambda _: True, *, after: int = 0) -> Any:
        """The parameters of the first notification of a method that is as wanted."""

        def found() -> list[Any]:
            return [each["params"] for each in self.told[after:] if each["method"] == method and wanted(each["params"])]

        self._wait(lambda: bool(found()), method)
        return found()[0]

    def wait_asked(self, method: str, count: int = 1) -> list[dict[str, Any]]:
        """The requests of a method that the server sent, once there are so many."""

        def found() -> list[dict[str, Any]]:
            return [each for each in self.asked if each["method"] == method]

        self._wait(lambda: len(found()) >= count, method)
        return found()

    def until(self, asked: Callable[[], Any]) -> Any:
        """Ask again and again until the answer counts as true; that answer."""
        end = time.monotonic() + self.patience
        while not (found := asked()):
            assert time.monotonic() < end, "it does not come to that"
            time.sleep(0.002)  # what it waits for may need the processor
        return found

    def _wait(self, ready: Callable[[], bool], what: str) -> None:
        end = time.monotonic() + self.patience
        with self._news:
            while not ready():
                left = end - time.monotonic()
                if left <= 0 or self._closed:
                    said = b"".join(self.stderr).decode(errors="replace")
                    raise TimeoutError(f"no {what}; exit code {self.process.poll()}; stderr: {said}")
                self._news.wait(left)

    # -- the usual steps --------------------------------------------------------------------------------------------

    def initialize(self, capabilities: dict[str, Any] | None = None, **more: Any) -> dict[str, Any]:
        """The usual beginning; the server's answer."""
        root = self.folder.as_uri()
        params = {
            "processId": os.getpid(),
            "rootUri": root,
            "workspaceFolders": [{"uri": root, "name": "w"}],
            "capabilities": capabilities or {},
        }
        answer: dict[str, Any] = self.result("initialize", params | more)
        self.tell("initialized", {})
        return answer

    def open(self, path: Path, text: str | None = None, *, version: int = 1, language: str = "yaml") -> str:
        """Open a document; its URI."""
        uri = path.as_uri()
        content = path.read_text("utf-8") if text is None else text
        self.tell(
            "textDocument/didOpen",
            {"textDocument": {"uri": uri, "languageId": language, "version": version, "text": content}},
        )
        return uri

    def change(self, uri: str, version: int, *changes: dict[str, Any]) -> None:
        """Change a document."""
        self.tell(
            "textDocument/didChange",
            {"textDocument": {"uri": uri, "version": version}, "contentChanges": list(changes)},
        )

    def diagnostics(self, uri: str, *, version: int | None = None, after: int = 0) -> list[dict[str, Any]]:
        """The diagnostics published for a document (for a version of it)."""

        def wanted(params: Any) -> bool:
            return params["uri"] == uri and (version is None or params.get("version") == version)

        found: list[dict[str, Any]] = self.wait_told("textDocument/publishDiagnostics", wanted, after=after)[
            "diagnostics"
        ]
        return found

    def settle(self) -> set[str]:
        """Wait until all that follows from what was sent has been told; the states of the homes in use."""

        def states() -> set[str]:
            answer = self.result("workspace/executeCommand", {"command": "aj.status"})
            return {each["state"] for each in answer["homes"]}

        self.until(lambda: "indexing" not in states())
        return states()  # once more: what follows from a message, or from a home that is read, is told in the next turn

    def finish(self) -> int:
        """Shut down in the polite way; the exit code."""
        assert self.ask("shutdown")["result"] is None
        self.tell("exit")
        return self.ended()

    def ended(self) -> int:
        """Wait until the server has ended and all that it said is here; its exit code."""
        code = self.process.wait(self.patience)
        for each in self._readers:
            each.join(self.patience)
        return code

    def cpu(self) -> float:
        """Seconds of CPU that the server has used, of the user and of the system, in steps of a hundredth."""
        with open(f"/proc/{self.process.pid}/stat", encoding="ascii") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    # -- reading ----------------------------------------------------------------------------------------------------

    def _read(self) -> None:
        assert self.process.stdout
        out = self.process.stdout
        while True:
            size = 0
            while line := out.readline().strip():
                name, _, value = line.partition(b":")
                assert name.lower() in self.headers, line
                if name.lower() == b"content-length":
                    size = int(value)
            body = out.read(size) if size else b""
            whole = bool(body) and len(body) == size  # the half of a message is what a process that was killed leaves
            with self._news:
                if whole:
                    self._take(json.loads(body))
                else:
                    self._closed = True
                self._news.notify_all()
            if not whole:
                return

    def _take(self, message: dict[str, Any]) -> None:
        if "method" not in message:
            self._responses[message["id"]] = message
        elif "id" in message:
            self.asked.append(message)
            answer = self.answers.get(message["method"])
            with contextlib.suppress(BrokenPipeError):  # it asked, and ended without waiting
                result = answer(message.get("params")) if answer else None
                self.send({"jsonrpc": "2.0", "id": message["id"], "result": result})
        else:
            self.told.append(message)

    def _read_errors(self) -> None:
        assert self.process.stderr
        for line in self.process.stderr:
            self.stderr.append(line)
