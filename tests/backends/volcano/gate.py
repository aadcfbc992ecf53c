"""A loopback proxy before an API server: it writes down what is asked, and can keep answers back or replace them."""

from __future__ import annotations

import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from typing import TYPE_CHECKING

import httpx2

if TYPE_CHECKING:
    from collections.abc import Callable

_PASSED = ("authorization", "content-type", "accept")


class Gate:
    """Plain HTTP on this side, the API server's address on the other.

    `requests` are the methods and targets in order. What a request for which `holds` is true asks is done, but its
    answer is kept back: `held` is set then, and when the gate is closed the connection ends without it.
    """

    def __init__(self, server: str) -> None:
        self.requests: list[str] = []
        self.holds: Callable[[str], bool] = lambda _: False
        self.held = threading.Event()
        self.client = httpx2.Client(base_url=server, verify=False, timeout=60)
        self.closed = threading.Event()
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (_Handler,), {"gate": self}))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()
        self.url = f"http://127.0.0.1:{self._server.server_port}"

    def close(self) -> None:
        self.closed.set()
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)
        self.client.close()


class _Handler(BaseHTTPRequestHandler):
    gate: Gate
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True

    def log_message(self, *_: object) -> None:
        pass

    def _pass_on(self) -> None:
        asked = f"{self.command} {self.path}"
        self.gate.requests.append(asked)
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        headers = {name: self.headers[name] for name in _PASSED if name in self.headers}
        answer = self.gate.client.request(self.command, self.path, content=body, headers=headers)
        if self.gate.holds(asked):
            self.gate.held.set()
            self.gate.closed.wait(60)
            self.close_connection = True
            return
        self.send_response(answer.status_code)
        self.send_header("Content-Type", answer.headers.get("content-type", ""))
        self.send_header("Content-Length", str(len(answer.content)))
        self.end_headers()
        self.wfile.write(answer.content)

    do_GET = do_POST = do_PUT = do_PATCH = do_DELETE = _pass_on  # noqa: N815 - as the library wants them
