"""A Jobs API on the loopback that plays by what a test tells it; its jobs do what is said, and nothing runs."""

from __future__ import annotations

import io
import json
import socket
import tarfile
import threading
import zipfile
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING, Any

from ajkit.shared.job.execution import Snapshot, Submission
from tests.daemons import job_spec

if TYPE_CHECKING:
    from pathlib import Path

TRACE = "Traceback (most recent call last):\n  File x\nRuntimeError: {}\n"


class Cluster:
    """What the cluster has, and how it answers: `say` gives (status, text) for a path, `drop` paths that get none."""

    def __init__(self) -> None:
        self.jobs: dict[str, dict[str, Any]] = {}
        self.logs: dict[str, str] = {}
        self.packages: dict[str, bytes] = {}
        self.asked: list[str] = []
        self.headers: dict[str, str] = {}
        self.say: dict[str, tuple[int, str]] = {}
        self.drop: set[str] = set()
        cluster = self

        class Handler(BaseHTTPRequestHandler):
            def do_GET(self) -> None:
                self.answer("GET")

            def do_PUT(self) -> None:
                self.answer("PUT")

            def do_POST(self) -> None:
                self.answer("POST")

            def answer(self, method: str) -> None:
                body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
                if self.headers.get("Transfer-Encoding") == "chunked":
                    body = _chunked(self.rfile)
                cluster.headers = dict(self.headers)
                status, text = cluster.answer(method, self.path, body)
                if f"{method} {self.path}" in cluster.drop:
                    self.connection.shutdown(socket.SHUT_RDWR)
                    return
                data = text.encode()
                self.send_response(status)
                self.send_header("Content-Length", str(len(data)))
                self.end_headers()
                self.wfile.write(data)

            def log_message(self, *_: object) -> None:
                pass

        self._server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.01,))
        self._thread.start()

    @property
    def address(self) -> str:
        return f"http://127.0.0.1:{self._server.server_address[1]}"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join()

    def answer(self, method: str, path: str, body: bytes) -> tuple[int, str]:
        """What Ray would say, unless it was told to say something else."""
        self.asked.append(f"{method} {path}")
        if f"{method} {path}" in self.say:
            return self.say[f"{method} {path}"]
        words = path.strip("/").split("/")
        match method, words[1], words[2:]:
            case "GET", "packages", [_, name]:
                return (200, "") if name in self.packages else (404, "")
            case "PUT", "packages", [_, name]:
                self.packages[name] = body
                return 200, ""
            case "POST", "jobs", []:
                return self._submit(json.loads(body))
            case "POST", "jobs", [_, "stop"]:
                return 200, json.dumps({"stopped": True})
            case "GET", "jobs", [name, *rest] if name in self.jobs:
                return 200, json.dumps({"logs": self.logs.get(name, "")} if rest else self.jobs[name])
        return 404, "no such thing"

    def _submit(self, request: dict[str, Any]) -> tuple[int, str]:
        name = request["submission_id"]
        if name in self.jobs:
            return 500, TRACE.format(f"Job with submission_id {name} already exists.")
        self.jobs[name] = {"status": "PENDING", "message": "Job has not started yet.", **request}
        return 200, json.dumps({"submission_id": name})

    def unpacked(self, part: str) -> dict[str, bytes]:
        """The files of the one package that has a word in its name."""
        (name,) = (each for each in self.packages if part in each)
        with zipfile.ZipFile(io.BytesIO(self.packages[name])) as package:
            return {each: package.read(each) for each in package.namelist()}


def _chunked(file: Any) -> bytes:
    parts = []
    while size := int(file.readline(), 16):
        parts.append(file.read(size))
        file.readline()
    return b"".join(parts)


def submission(root: Path, command: str = "true", **fields: Any) -> Submission:
    """A job with a file of code."""
    (root / "tree").mkdir(exist_ok=True)
    (root / "tree" / "train.py").write_text("print(1)\n")
    with tarfile.open(root / "code.tar", "w") as tar:
        tar.add(root / "tree" / "train.py", "train.py")
    spec = job_spec(command, service="ray", backend_spec=fields.pop("options", {}), sid="abcdefghij", **fields)
    code = Snapshot("d" * 64, str(root / "tree"), str(root / "code.tar"))
    return Submission(token="aj-abcdefghij", spec=spec, folder=str(root / "job"), code=code)
