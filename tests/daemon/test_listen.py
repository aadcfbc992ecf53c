"""Addresses to listen at, and the names a daemon may be called by."""

from __future__ import annotations

import socket

import pytest

from ajkit.daemon.listen import Listen, Names, bind, read_listen
from ajkit.daemon.place import PlaceProblem
from ajkit.shared.problem import UsageError


@pytest.mark.parametrize(
    ("text", "host", "port"),
    [
        ("127.0.0.1:80", "127.0.0.1", 80),
        ("localhost", "localhost", 7420),
        (":7000", "0.0.0.0", 7000),
        ("[::1]:7000", "::1", 7000),
        ("[::]", "::", 7420),
    ],
)
def test_addresses(text: str, host: str, port: int) -> None:
    listen = read_listen(text)
    assert (listen.host, listen.port) == (host, port)


@pytest.mark.parametrize("text", ["", "a:b", "::1", "host:70000", "http://x", "x y:1", "a/b:1"])
def test_what_is_none(text: str) -> None:
    with pytest.raises(UsageError, match="no address to listen at"):
        read_listen(text)


def test_tls_by_halves() -> None:
    with pytest.raises(UsageError, match="both a certificate"):
        read_listen("x:1", certificate="c.pem")


def test_how_clients_write_it() -> None:
    assert Listen("::1", 0).address(5) == "http://[::1]:5"
    assert Listen("h", 0, (), "c", "k").address(5) == "https://h:5"
    assert [Listen(each, 0).is_private for each in ("localhost", "127.3.0.1", "::1", "0.0.0.0", "h")] == [
        *(True, True, True),
        *(False, False),
    ]


@pytest.mark.parametrize(
    ("host", "known"),
    [
        ("127.0.0.1:7420", True),
        ("10.1.2.3", True),
        ("[::1]:7420", True),
        ("localhost:1", True),
        ("LOCALHOST.", True),
        (socket.gethostname(), True),
        ("aj.example.org:443", True),
        ("evil.example", False),
        ("aj.example.org.evil.example", False),
        ("127.0.0.1.evil.example", False),
        ("localhost@evil.example", False),
        ("evil.example/127.0.0.1", False),
        ("", False),
        ("x" * 300, False),
        ("[::1", False),
    ],
)
def test_names(host: str, *, known: bool) -> None:
    names = Names(Listen("127.0.0.1", 7420, ("aj.example.org",)))
    assert names.has(host) is known


def test_a_port_that_is_taken() -> None:
    with socket.create_server(("127.0.0.1", 0)) as first:
        port = first.getsockname()[1]
        with pytest.raises(PlaceProblem, match="cannot listen at 127"):
            bind(Listen("127.0.0.1", port)).close()


def test_a_host_that_is_nobodys() -> None:
    with pytest.raises(PlaceProblem, match="cannot listen"):
        bind(Listen("192.0.2.1", 0)).close()
