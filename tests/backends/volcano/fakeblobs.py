"""A loopback blob storage that checks every signature by itself."""

from __future__ import annotations

import base64
import hashlib
import hmac
import re
import threading
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from urllib.parse import parse_qs, unquote, urlsplit

KEY = b"the key of the account"


class FakeBlobs:
    """The blobs of the account `acc` by their paths, what was asked, and the answers to give instead."""

    def __init__(self) -> None:
        self.blobs: dict[str, bytes] = {}
        self.blocks: dict[str, bytes] = {}
        self.requests: list[str] = []
        self.answers: list[int] = []
        self._server = ThreadingHTTPServer(("127.0.0.1", 0), type("Bound", (_Handler,), {"store": self}))
        self._server.daemon_threads = True
        self._thread = threading.Thread(target=self._server.serve_forever, args=(0.05,), daemon=True)
        self._thread.start()
        self.address = f"http://127.0.0.1:{self._server.server_port}/acc/code"

    def close(self) -> None:
        self._server.shutdown()
        self._server.server_close()
        self._thread.join(5)


class _Handler(BaseHTTPRequestHandler):
    protocol_version = "HTTP/1.1"
    disable_nagle_algorithm = True
    store: FakeBlobs

    def log_message(self, *_: object) -> None:
        pass

    def _serve(self) -> None:
        address = urlsplit(self.path)
        query = {name: values[0] for name, values in parse_qs(address.query).items()}
        path = unquote(address.path).removeprefix("/acc/code/")
        body = self.rfile.read(int(self.headers.get("Content-Length") or 0))
        self.store.requests.append(f"{self.command} {query.get('comp', '')}".strip())
        needed = "w" if self.command == "PUT" else "r"
        if self.store.answers:
            self._send(self.store.answers.pop(0))
        elif needed not in query.get("sp", "") or not _is_signed(path, query):
            self._send(403)
        elif query.get("comp") == "block":
            self.store.blocks[query["blockid"]] = body
            self._send(201)
        elif query.get("comp") == "blocklist":
            names = re.findall("<Latest>(.+?)</Latest>", body.decode())
            self.store.blobs[path] = b"".join(self.store.blocks[each] for each in names)
            self._send(201)
        elif path in self.store.blobs:
            self._send(200, b"" if self.command == "HEAD" else self.store.blobs[path])
        else:
            self._send(404)

    do_GET = do_HEAD = do_PUT = _serve  # noqa: N815 - as the library wants them

    def _send(self, status: int, data: bytes = b"") -> None:
        self.send_response(status)
        self.send_header("Content-Length", str(len(data)))
        self.end_headers()
        self.wfile.write(data)


def _is_signed(path: str, query: dict[str, str]) -> bool:
    text = (
        f"{query['sp']}\n\n{query['se']}\n/blob/acc/code/{path}\n\n\n{query['spr']}\n{query['sv']}\n{query['sr']}\n"
        "\n\n\n\n\n\n"
    )
    digest = hmac.new(KEY, text.encode(), hashlib.sha256).digest()
    return hmac.compare_digest(base64.b64decode(query["sig"]), digest)
