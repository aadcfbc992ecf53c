"""Ports for servers that are told theirs: free ones, which the system gives to nobody who only calls out."""

from __future__ import annotations

import random
import socket

FIRST, LAST = 30000, 32767
"""Below those that Linux takes for connections, so that none is gone before its server has begun to listen."""
_CHANCE = random.Random()


def free_ports(count: int) -> list[int]:
    """Some free ports, no two alike."""
    found: list[int] = []
    for port in _CHANCE.sample(range(FIRST, LAST + 1), LAST + 1 - FIRST):
        if len(found) == count:
            break
        with socket.socket() as probe:
            if not probe.connect_ex(("127.0.0.1", port)):
                continue  # somebody answers there, perhaps at this address alone
        with socket.socket() as probe:
            try:
                probe.bind(("0.0.0.0", port))
            except OSError:
                continue
        found.append(port)
    assert len(found) == count, f"no {count} ports are free between {FIRST} and {LAST}"
    return found
