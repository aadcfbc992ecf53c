"""What a daemon on TCP says to heads and bodies that are too large, and to many requests at once."""

from __future__ import annotations

import contextlib
import os
import socket
import threading
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from tests.teams import head, read_to_end, team

if TYPE_CHECKING:
    from tests.teams import Team

__all__ = ["team"]


@pytest.mark.parametrize("lines", [["X-A: " + "a" * 20_000], [f"X-{number}: {'a' * 100}" for number in range(200)]])
def test_a_head_that_is_too_large(team: Team, lines: list[str]) -> None:
    answer = team.raw(head(team, "GET", "/v1/jobs", "Connection: close", *lines))
    assert answer.startswith(b"HTTP/1.1 431 ")
    assert b'"code":"request.head"' in answer


def test_a_head_that_comes_in_pieces_and_does_not_end(team: Team) -> None:
    with socket.create_connection(("127.0.0.1", team.port), timeout=60) as sock:
        with contextlib.suppress(BrokenPipeError, ConnectionResetError):
            for _ in range(20):
                sock.sendall(b"X-A: " + b"a" * 4000)
        assert b'"code":"request.malformed"' in read_to_end(sock)


def send_while_it_is_taken(sock: socket.socket, data: bytes) -> None:
    with contextlib.suppress(OSError):  # the other side may answer and go in the middle of it
        sock.sendall(data)


def test_a_body_that_is_too_large(team: Team) -> None:
    lines = head(team, "POST", "/v1/jobs", f"Content-Length: {64 * 2**20}", "Idempotency-Key: a")
    with socket.create_connection(("127.0.0.1", team.port), timeout=60) as sock:
        sock.sendall(lines)
        sender = threading.Thread(target=send_while_it_is_taken, args=(sock, b"x" * 64 * 2**20))
        sender.start()
        got = b""
        with contextlib.suppress(OSError):
            got = read_to_end(sock)
        sender.join(60)
    assert b"413" in got.partition(b"\r\n")[0]


def test_a_stranger_cannot_make_it_take_a_body(team: Team) -> None:
    lines = b"POST /v1/jobs HTTP/1.1\r\nHost: 127.0.0.1\r\nContent-Length: 100000000\r\n\r\n"
    answer = team.raw(lines + b"x" * 200_000, seconds=60)
    assert answer.startswith(b"HTTP/1.1 401 ") or answer == b""
    before = os.listdir(os.path.join(team.state, "code"))
    assert [each for each in before if each.startswith("incoming")] == []


def test_many_at_once(team: Team) -> None:
    with ThreadPoolExecutor(32) as pool:
        found = list(pool.map(lambda _: team.web("GET", "/v1/jobs").status, range(300)))
    assert set(found) == {200}
