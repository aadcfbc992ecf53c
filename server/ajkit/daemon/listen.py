"""Where a team's daemon listens on TCP: the address it is given, the names it is called by, its certificate."""

from __future__ import annotations

import ipaddress
import re
import socket
from dataclasses import dataclass

from ajkit.daemon.place import PlaceProblem
from ajkit.shared.problem import UsageError

PORT = 7420
_LONGEST = 253


@dataclass(frozen=True, slots=True)
class Listen:
    """A TCP address to listen at.

    `host` is a name or number of this machine; `names` are further names that clients may call it by; `certificate` and
    `key` are the files that TLS needs, None without it.
    """

    host: str
    port: int
    names: tuple[str, ...] = ()
    certificate: str | None = None
    key: str | None = None

    @property
    def is_private(self) -> bool:
        """Whether nobody but this machine can connect."""
        if self.host == "localhost":
            return True
        try:
            return ipaddress.ip_address(self.host).is_loopback
        except ValueError:
            return False

    def address(self, port: int) -> str:
        """The address as clients write it, with the port that was got."""
        host = f"[{self.host}]" if ":" in self.host else self.host
        return f"{'https' if self.certificate else 'http'}://{host}:{port}"


def read_listen(
    text: str, names: tuple[str, ...] = (), certificate: str | None = None, key: str | None = None
) -> Listen:
    """Read ``HOST:PORT``, ``HOST``, ``:PORT`` (every address of this machine) or ``[IPv6]:PORT``.

    Raises:
        UsageError: it is none of these, or TLS is given by halves.
    """
    found = re.fullmatch(r"(?:\[(?P<six>[0-9A-Fa-f:.]+)\]|(?P<host>[^\s:\[\]/]*))(?::(?P<port>\d{1,5}))?", text)
    port = int(found["port"]) if found and found["port"] else PORT
    if found is None or not text or port > 65535:
        raise UsageError(f"{text!r} is no address to listen at: write HOST:PORT, like 127.0.0.1:{PORT} or [::1]:{PORT}")
    if (certificate is None) != (key is None):
        raise UsageError("TLS needs both a certificate (--tls-cert) and its key (--tls-key)")
    return Listen(found["six"] or found["host"] or "0.0.0.0", port, names, certificate, key)  # noqa: S104 - asked for


def bind(listen: Listen) -> socket.socket:
    """A socket bound to an address.

    Raises:
        PlaceProblem: nothing can listen there.
    """
    try:
        found = socket.getaddrinfo(listen.host, listen.port, type=socket.SOCK_STREAM, flags=socket.AI_PASSIVE)
        family, kind, protocol, _, address = found[0]
        listener = socket.socket(family, kind, protocol)
    except OSError as error:
        raise PlaceProblem(f"cannot listen at {listen.host}:{listen.port}: {error}") from None
    try:
        listener.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        listener.bind(address)
    except OSError as error:
        listener.close()
        raise PlaceProblem(f"cannot listen at {listen.host}:{listen.port}: {error.strerror}") from None
    return listener


class Names:
    """The names that a daemon may be called by: its own, those it was given, and every address in numbers.

    A page of another site can make its own name point here (DNS rebinding), but then the browser sends that name.
    """

    def __init__(self, listen: Listen) -> None:
        """The names of this machine count."""
        own = {listen.host, "localhost", socket.gethostname(), socket.getfqdn(), *listen.names}
        self._own = {each.lower().rstrip(".") for each in own}

    def has(self, host: str) -> bool:
        """Whether the text of a Host header names this daemon; the port does not matter."""
        if len(host) > _LONGEST or not (found := re.fullmatch(r"(\[[0-9A-Fa-f:.]+\]|[^\s:\[\]/@]+)(:\d{1,5})?", host)):
            return False
        name = found[1].strip("[]").lower().rstrip(".")
        if name in self._own:
            return True
        try:
            ipaddress.ip_address(name)
        except ValueError:
            return False
        return True
