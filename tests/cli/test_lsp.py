"""`aj lsp` at the wire: what an editor starts, and what a person starts to watch it."""

from __future__ import annotations

import json
import os
import socket
import subprocess
import sys
import time
from typing import TYPE_CHECKING, Any

import pytest

from tests.e2e.ports import free_ports
from tests.lsp.wire import TIMEOUT, Wire

if TYPE_CHECKING:
    from tests.cli.conftest import Person

HOME = """
--- .aj/template/leaf.yaml
base: nowhere
"""


def test_an_editor_is_served(person: Person) -> None:
    person.draw(HOME)
    with Wire(person.folder, command=("-m", "ajkit.cli", "lsp")) as wire:
        assert wire.initialize()["serverInfo"]["name"] == "aj"
        uri = wire.open(person.folder / ".aj/template/leaf.yaml")
        assert [each["code"] for each in wire.diagnostics(uri)] == ["base.missing"]
        assert wire.finish() == 0


def test_an_editor_that_leaves_without_a_word(person: Person) -> None:
    with Wire(person.folder, command=("-m", "ajkit.cli", "lsp")) as wire:
        wire.initialize()
        wire.tell("exit")
        assert wire.ended() == 1


def framed(message: dict[str, Any]) -> bytes:
    body = json.dumps(message).encode()
    return b"Content-Length: %d\r\n\r\n" % len(body) + body


def test_on_a_port(person: Person) -> None:
    (port,) = free_ports(1)
    environment = {name: value for name, value in os.environ.items() if name != "AJ_HOME"}
    server = subprocess.Popen(
        [sys.executable, "-m", "ajkit.cli", "lsp", "--tcp", f":{port}"],
        stdin=subprocess.DEVNULL,
        stderr=subprocess.PIPE,
        cwd=person.folder,
        env=environment,
    )
    with server:
        try:
            assert server.stderr is not None
            assert server.stderr.readline().startswith(b"waiting for an editor at 127.0.0.1:")
            greeted_at(port)
            assert server.wait(TIMEOUT) == 0
        finally:
            server.kill()


def greeted_at(port: int) -> None:
    """Begin and end a session."""
    with connected(port) as line, line.makefile("rb") as said:
        line.sendall(framed({"jsonrpc": "2.0", "id": 1, "method": "initialize", "params": {"capabilities": {}}}))
        size = int(said.readline().split(b":")[1])
        said.readline()
        assert json.loads(said.read(size))["result"]["serverInfo"]["name"] == "aj"
        line.sendall(framed({"jsonrpc": "2.0", "id": 2, "method": "shutdown"}))
        line.sendall(framed({"jsonrpc": "2.0", "method": "exit"}))


def connected(port: int) -> socket.socket:
    until = time.monotonic() + TIMEOUT
    while True:
        try:
            return socket.create_connection(("127.0.0.1", port), timeout=TIMEOUT)
        except ConnectionRefusedError:
            assert time.monotonic() < until
            time.sleep(0.05)


@pytest.mark.parametrize("address", ["8765", "host", "host:", "host:x", ":70000"])
def test_what_is_no_address(person: Person, address: str) -> None:
    said = person.aj("lsp", "--tcp", address)
    assert said.code == 2
    assert "write HOST:PORT, like 127.0.0.1:8765" in said.err
