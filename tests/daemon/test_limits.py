"""What a daemon on TCP bears: babble, crowds, heads and bodies that are too large, too slow or cut off. It lives on."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from ajkit.daemon import protocol
from tests.daemons import is_alive
from tests.teams import make_team, read_to_end

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.teams import Team

HASTY = """
import sys
import ajkit.daemon.protocol as protocol
import ajkit.daemon.serve as serve
from ajkit.daemon.__main__ import main
protocol.HEADER_SECONDS = 1.0
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


def head(team: Team, method: str, path: str, *lines: str) -> bytes:
    """The head of a request with ana's token."""
    own = ["Host: 127.0.0.1", f"Authorization: Bearer {team.token}"]
    return "\r\n".join([f"{method} {path} HTTP/1.1", *own, *lines, "", ""]).encode()


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
    answer = team.raw(data, seconds=10)
    assert answer == b"" or answer.startswith(b"HTTP/1.1 4")
    if answer:
        assert b"application/problem+json" in answer


@pytest.mark.parametrize("lines", [["X-A: " + "a" * 20_000], [f"X-{number}: {'a' * 100}" for number in range(200)]])
def test_a_head_that_is_too_large(team: Team, lines: list[str]) -> None:
    answer = team.raw(head(team, "GET", "/v1/jobs", "Connection: close", *lines))
    assert answer.startswith(b"HTTP/1.1 431 ")
    assert b'"code":"request.head"' in answer


def test_a_head_that_comes_in_pieces_and_does_not_end(team: Team) -> None:
    with socket.create_connection(("127.0.0.1", team.port), timeout=20) as sock:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            for _ in range(20):
                sock.sendall(b"X-A: " + b"a" * 4000)
        assert b'"code":"request.malformed"' in read_to_end(sock)


def test_a_head_that_never_ends(team: Team) -> None:
    began = time.monotonic()
    with socket.create_connection(("127.0.0.1", team.port), timeout=20) as sock:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            for _ in range(100):
                sock.sendall(b"G")
                time.sleep(0.05)
        assert read_to_end(sock) == b""
    assert time.monotonic() - began < 10


def test_a_second_head_that_never_ends(team: Team) -> None:
    with socket.create_connection(("127.0.0.1", team.port), timeout=20) as sock:
        sock.sendall(head(team, "GET", "/v1/health"))
        assert b"200 OK" in sock.recv(65536)
        began = time.monotonic()
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            for _ in range(100):
                sock.sendall(b"G")
                time.sleep(0.05)
        read_to_end(sock)
        assert time.monotonic() - began < 10


@pytest.mark.parametrize("path", ["/v1/jobs", f"/v1/code/{'0' * 64}"])
def test_a_body_that_stops_coming(team: Team, path: str) -> None:
    method = "PUT" if "code" in path else "POST"
    began = time.monotonic()
    answer = team.raw(head(team, method, path, "Content-Length: 100", "Idempotency-Key: a") + b"{", seconds=20)
    assert b"HTTP/1.1 408 " in answer
    assert b"request.timeout" in answer
    assert time.monotonic() - began < 10


def test_a_body_that_trickles(team: Team) -> None:
    with socket.create_connection(("127.0.0.1", team.port), timeout=20) as sock:
        sock.sendall(head(team, "POST", "/v1/jobs", "Content-Length: 100000", "Idempotency-Key: a"))
        until = time.monotonic() + 10
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            while time.monotonic() < until:
                sock.sendall(b" ")
                time.sleep(0.1)
        assert time.monotonic() < until


def test_a_body_that_is_cut_off(team: Team) -> None:
    for _ in range(20):
        with socket.create_connection(("127.0.0.1", team.port), timeout=20) as sock:
            sock.sendall(head(team, "POST", "/v1/jobs", "Content-Length: 1000", "Idempotency-Key: a") + b'{"spec"')
    assert team.web("GET", "/v1/jobs").json["jobs"] == []


def send_while_it_is_taken(sock: socket.socket, data: bytes) -> None:
    with contextlib.suppress(OSError):  # the other side may answer and go in the middle of it
        sock.sendall(data)


def test_a_body_that_is_too_large(team: Team) -> None:
    lines = head(team, "POST", "/v1/jobs", f"Content-Length: {64 * 2**20}", "Idempotency-Key: a")
    with socket.create_connection(("127.0.0.1", team.port), timeout=20) as sock:
        sock.sendall(lines)
        sender = threading.Thread(target=send_while_it_is_taken, args=(sock, b"x" * 64 * 2**20))
        sender.start()
        got = b""
        with contextlib.suppress(OSError):
            got = read_to_end(sock)
        sender.join(20)
    assert b"413" in got.partition(b"\r\n")[0]


def test_a_stranger_cannot_make_it_take_a_body(team: Team) -> None:
    lines = b"POST /v1/jobs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000000\r\n\r\n"
    answer = team.raw(lines + b"x" * 200_000, seconds=20)
    assert answer.startswith(b"HTTP/1.1 401 ") or answer == b""
    before = os.listdir(os.path.join(team.state, "code"))
    assert [each for each in before if each.startswith("incoming")] == []


def test_a_crowd_that_says_nothing(team: Team) -> None:
    crowd: list[socket.socket] = []
    try:
        crowd.extend(
            socket.create_connection(("127.0.0.1", team.port), timeout=20)
            for _ in range(protocol.MOST_CONNECTIONS + 50)
        )
        assert team.ask("GET", "/v1/health").status == 200
    finally:
        for each in crowd:
            each.close()
    assert team.web("GET", "/v1/health").status == 200


def test_many_at_once(team: Team) -> None:
    with ThreadPoolExecutor(32) as pool:
        found = list(pool.map(lambda _: team.web("GET", "/v1/jobs").status, range(300)))
    assert set(found) == {200}
