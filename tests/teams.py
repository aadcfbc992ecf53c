"""A daemon that a team reaches on TCP: a real process on a loopback port, its tokens, and raw requests to it."""

from __future__ import annotations

import contextlib
import http.client
import json
import os
import shutil
import socket
import subprocess
import sys
import tempfile
from typing import TYPE_CHECKING, Any

import pytest

from ajkit.client.places import read_note
from ajkit.daemon.tokens import Tokens
from ajkit.shared.contract import NOTE
from tests.daemons import Answer, Host, is_alive, wait_until

if TYPE_CHECKING:
    import ssl
    from collections.abc import Iterator


class Team(Host):
    """A host whose daemon listens on TCP as well. Tokens: `ana` may do all, `wall` may look."""

    scheme = "http"

    def begin(self, *arguments: str, program: tuple[str, ...], **environ: str) -> None:
        """Make the tokens and start the daemon, of a program's own where one is given."""
        os.makedirs(self.state, mode=0o700, exist_ok=True)
        self.tokens = Tokens(self.state)
        self.token = self.tokens.add("ana")
        self.looker = self.tokens.add("wall", read_only=True)
        self.log = os.path.join(self.root, "log")
        self._command = [sys.executable, *program, "--state", self.state, "--log", "json", *arguments]
        self._environ = environ
        self._start("127.0.0.1:0")

    def restart(self) -> None:
        """Kill the daemon as a power cut would, and start it at the same address."""
        self.process.kill()
        self.process.wait()
        os.unlink(os.path.join(self.state, NOTE))
        self._start(f"127.0.0.1:{self.port}")

    def _start(self, listen: str) -> None:
        with open(self.log, "ab") as log:
            self.process = subprocess.Popen(
                [*self._command, "--listen", listen], env=self.environ | self._environ, stderr=log
            )
        wait_until(lambda: read_note(self.state) is not None)
        note = read_note(self.state)
        assert note is not None
        assert note.server is not None
        self.server = note.server
        self.port = int(note.server.rpartition(":")[2])
        self.environ |= {"AJ_SERVER": self.server, "AJ_TOKEN": self.token}

    def words(self) -> list[dict[str, Any]]:
        """What the daemon has logged."""
        with open(self.log, encoding="utf-8") as file:
            return [json.loads(line) for line in file]

    def web(
        self,
        method: str,
        path: str,
        body: object = None,
        *,
        token: str | None = "",
        context: ssl.SSLContext | None = None,
        **headers: str,
    ) -> Answer:
        """A request on TCP; `token` is the text to send, ana's by default, None for none."""
        connection: http.client.HTTPConnection
        if context is None:
            connection = http.client.HTTPConnection("127.0.0.1", self.port, timeout=60)
        else:
            connection = http.client.HTTPSConnection("127.0.0.1", self.port, timeout=60, context=context)
        with contextlib.closing(connection):
            sent = {name.replace("_", "-"): value for name, value in headers.items()}
            if token is not None:
                sent["Authorization"] = f"Bearer {token or self.token}"
            data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
            connection.request(method, path, data, {"Content-Type": "application/json", **sent})
            with connection.getresponse() as answer:
                return Answer(answer.status, dict(answer.headers), answer.read())

    def raw(self, data: bytes, *, seconds: float = 60) -> bytes:
        """Send bytes and read until the daemon closes."""
        with socket.create_connection(("127.0.0.1", self.port), timeout=seconds) as sock:
            sock.sendall(data)
            return read_to_end(sock)

    def end(self) -> None:
        """Stop the daemon in good order."""
        if is_alive(self.process.pid):
            self.process.terminate()
        self.process.wait(60)


def read_to_end(sock: socket.socket) -> bytes:
    """All that comes until the other end closes."""
    got = b""
    with contextlib.suppress(ConnectionResetError):
        while data := sock.recv(65536):
            got += data
    return got


def head(team: Team, method: str, path: str, *lines: str) -> bytes:
    """The head of a request with ana's token."""
    own = ["Host: 127.0.0.1", f"Authorization: Bearer {team.token}"]
    return "\r\n".join([f"{method} {path} HTTP/1.1", *own, *lines, "", ""]).encode()


def make_team(*arguments: str, program: tuple[str, ...] = ("-m", "ajkit.daemon"), **environ: str) -> Iterator[Team]:
    """A team's daemon, stopped at the end."""
    root = tempfile.mkdtemp(prefix="aj-")
    team = Team(root)
    try:
        team.begin(*arguments, program=program, **environ)
        yield team
    finally:
        team.end()
        team.end_jobs()
        shutil.rmtree(root, ignore_errors=True)


@pytest.fixture(scope="module")
def team() -> Iterator[Team]:
    """A team's daemon for all tests of a module."""
    yield from make_team()
