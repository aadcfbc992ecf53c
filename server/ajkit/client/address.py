"""Where a daemon is reached: a socket of this host, or the address of a team's daemon and the token for it."""

from __future__ import annotations

import http.client
import re
import socket
from dataclasses import dataclass, field
from typing import TYPE_CHECKING
from urllib.parse import SplitResult, urlsplit

from ajkit.shared.problem import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

SERVER, TOKEN = "AJ_SERVER", "AJ_TOKEN"
DEFAULT_PORT = 7420

TIMEOUT = 60.0
"""Seconds without a byte after which the daemon counts as gone; it says something every 15."""

_BLOCK = 256 * 1024
_LOCAL = ("127.", "localhost", "::1")


class _UnixConnection(http.client.HTTPConnection):
    def __init__(self, path: str) -> None:
        super().__init__("localhost", timeout=TIMEOUT, blocksize=_BLOCK)
        self._path = path

    def connect(self) -> None:
        self.sock = socket.socket(socket.AF_UNIX, socket.SOCK_STREAM)
        self.sock.settimeout(self.timeout)
        self.sock.connect(self._path)


@dataclass(frozen=True, slots=True)
class Address:
    """Where a daemon listens.

    `scheme` is ``unix``, ``http`` or ``https``; `place` the path of the socket, or ``host:port``. The token is never
    shown. `trusted` is a file of certificates to trust besides those of the system.
    """

    scheme: str
    place: str
    token: str = field(default="", repr=False)
    trusted: str = ""

    def __str__(self) -> str:
        return f"unix:{self.place}" if self.scheme == "unix" else f"{self.scheme}://{self.place}"

    @property
    def is_local(self) -> bool:
        """Whether what is sent stays on this machine."""
        return self.scheme == "unix" or self.place.strip("[").startswith(_LOCAL)

    @property
    def headers(self) -> dict[str, str]:
        """What goes with every request."""
        return {"Authorization": f"Bearer {self.token}"} if self.token else {}

    def connection(self) -> http.client.HTTPConnection:
        """A connection that is not open yet."""
        if self.scheme == "unix":
            return _UnixConnection(self.place)
        if self.scheme == "http":
            return http.client.HTTPConnection(self.place, timeout=TIMEOUT, blocksize=_BLOCK)
        import ssl  # noqa: PLC0415 - most daemons are reached without it

        context = ssl.create_default_context(cafile=self.trusted or None)
        return http.client.HTTPSConnection(self.place, timeout=TIMEOUT, blocksize=_BLOCK, context=context)


def unix_address(path: str) -> Address:
    """The address of a socket of this host."""
    return Address("unix", path)


def read_address(environ: Mapping[str, str]) -> Address | None:
    """The daemon that the environment names (``AJ_SERVER``, with ``AJ_TOKEN``); None where it names none.

    ``http://host:7420``, ``https://host`` or ``unix:/path``; without a port it is 7420, 443 for https.

    Raises:
        UsageError: it cannot be an address, or a token that cannot be one.
    """
    text = environ.get(SERVER, "").strip()
    if not text:
        return None
    if text.startswith("unix:"):
        path = text.removeprefix("unix:").removeprefix("//")
        if not path.startswith("/"):
            raise UsageError(f"{SERVER}={text!r}: after unix: comes the absolute path of a socket")
        return Address("unix", path)
    wrong = f"{SERVER} is not an address like https://aj.example.org or unix:/run/user/1000/aj/x.sock"
    try:
        parts = urlsplit(text)
        port = parts.port
    except ValueError:
        raise UsageError(wrong) from None
    if parts.scheme not in {"http", "https"} or not parts.hostname or _has_more(parts):
        raise UsageError(wrong)
    host = f"[{parts.hostname}]" if ":" in parts.hostname else parts.hostname
    token = environ.get(TOKEN, "").strip()
    if not re.fullmatch(r"[\x21-\x7e]*", token):
        raise UsageError(f"{TOKEN} holds characters that no token has")
    port = port or (443 if parts.scheme == "https" else DEFAULT_PORT)
    return Address(parts.scheme, f"{host}:{port}", token, environ.get("SSL_CERT_FILE", ""))


def _has_more(parts: SplitResult) -> bool:
    """Whether an address says more than a daemon's does; a password in it would be shown in messages."""
    return bool(parts.path.strip("/") or parts.query or parts.fragment or parts.username or parts.password)
