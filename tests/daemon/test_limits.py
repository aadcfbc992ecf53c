"""What a daemon on TCP bears: babble, crowds, heads and bodies that are too slow or cut off. It lives on."""

from __future__ import annotations

import contextlib
import socket
import time
from typing import TYPE_CHECKING

import pytest

from ajkit.daemon import protocol
from tests.daemons import is_alive
from tests.teams import head, make_team, read_to_end

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.teams import Team

HASTY = """
import sys
import ajkit.daemon.protocol as protocol
import ajkit.daemon.serve as serve
from ajkit.daemon.__main__ import main
protocol.HEADER_SECONDS = 3.0
class Door(serve.Door):
    def __init__(self, app, body_bytes, slow_seconds):
        super().__init__(app, body_bytes, 0.5)
serve.Door = Door
sys.exit(main(sys.argv[1:]))
"""


@pytest.fixture(scope="module")
def team() -> Iterator[Team]:
    """A daemon with little patience, which must live to the end."""
    for each in make_team(program=("-c", HASTY)):
        yield each
        assert is_alive(each.process.pid)
        assert each.web("GET", "/v1/health").status == 200
        assert not [word for word in each.words() if word["level"] == "error"]


@pytest.mark.parametrize(
    "data",
    [
        b"\x16\x03\x01\x02\x00\x01\x00\x01\xfc\x03\x03",
        b"hello\r\n\r\n",
        b"GET\r\n\r\n",
        b"GET / HTTP/9.9\r\n\r\n",
        b"GET / HTTP/1.1\r\n\r\n",
        b"GET / HTTP/1.1\r\nHost: a\r\nHost: b\r\n\r\n",
        b"GET /\x00 HTTP/1.1\r\nHost: 127.0.0.1\r\n\r\n",
        b"POST /v1/jobs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: -1\r\n\r\n",
        b"POST /v1/jobs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 1\r\nContent-Length: 2\r\n\r\nx",
        b"POST /v1/jobs HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: gzip\r\n\r\n",
        b"POST /v1/jobs HTTP/1.1\r\nHost: 127.0.0.1\r\nTransfer-Encoding: chunked\r\n\r\nzz\r\n",
        b"PRI * HTTP/2.0\r\n\r\nSM\r\n\r\n",
        bytes(range(256)) * 100,
    ],
)
def test_babble(team: Team, data: bytes) -> None:
    answer = team.raw(data, seconds=60)
    assert answer == b"" or answer.startswith(b"HTTP/1.1 4")
    if answer:
        assert b"application/problem+json" in answer


def test_a_head_that_never_ends(team: Team) -> None:
    began = time.monotonic()
    with socket.create_connection(("127.0.0.1", team.port), timeout=60) as sock:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            for _ in range(100):
                sock.sendall(b"G")
                time.sleep(0.05)
        assert read_to_end(sock) == b""
    assert time.monotonic() - began < 60


def test_a_second_head_that_never_ends(team: Team) -> None:
    with socket.create_connection(("127.0.0.1", team.port), timeout=60) as sock:
        sock.sendall(head(team, "GET", "/v1/health"))
        assert b"200 OK" in sock.recv(65536)
        began = time.monotonic()
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            for _ in range(100):
                sock.sendall(b"G")
                time.sleep(0.05)
        read_to_end(sock)
        assert time.monotonic() - began < 60


@pytest.mark.parametrize("path", ["/v1/jobs", f"/v1/code/{'0' * 64}"])
def test_a_body_that_stops_coming(team: Team, path: str) -> None:
    method = "PUT" if "code" in path else "POST"
    began = time.monotonic()
    answer = team.raw(head(team, method, path, "Content-Length: 100", "Idempotency-Key: a") + b"{", seconds=60)
    assert b"HTTP/1.1 408 " in answer
    assert b"request.timeout" in answer
    assert time.monotonic() - began < 60


def test_a_body_that_trickles(team: Team) -> None:
    with socket.create_connection(("127.0.0.1", team.port), timeout=60) as sock:
        sock.sendall(head(team, "POST", "/v1/jobs", "Content-Length: 100000", "Idempotency-Key: a"))
        until = time.monotonic() + 60
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            while time.monotonic() < until:
                sock.sendall(b" ")
                time.sleep(0.1)
        assert time.monotonic() < until


def test_a_body_that_is_cut_off(team: Team) -> None:
    for _ in range(20):
        with socket.create_connection(("127.0.0.1", team.port), timeout=60) as sock:
            sock.sendall(head(team, "POST", "/v1/jobs", "Content-Length: 1000", "Idempotency-Key: a") + b'{"spec"')
    assert team.web("GET", "/v1/jobs").json["jobs"] == []


def test_a_crowd_that_says_nothing(team: Team) -> None:
    crowd: list[socket.socket] = []
    try:
        crowd.extend(
            socket.create_connection(("127.0.0.1", team.port), timeout=60)
            for _ in range(protocol.MOST_CONNECTIONS + 50)
        )
        assert team.ask("GET", "/v1/health").status == 200
    finally:
        for each in crowd:
            each.close()
    assert team.web("GET", "/v1/health").status == 200
