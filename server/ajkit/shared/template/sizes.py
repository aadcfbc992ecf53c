"""Sizes of memory as people write them, in the binary units of Docker and Slurm: ``64g``, ``512MB``, ``1.5Gi``."""

from __future__ import annotations

import re

_SIZE = re.compile(r"(?P<number>[0-9]{1,15}(?:\.[0-9]{1,15})?) ?(?P<unit>[kmgtp]?)i?b?", re.IGNORECASE)
_UNITS = ("", "k", "m", "g", "t", "p")
MIB = 1024**2


def binary_size(text: str) -> int | None:
    """The number of bytes of a size, every unit a power of 1024 (``64g``, ``64GB`` and ``64Gi`` are one size).

    None for a text that is no size.
    """
    found = _SIZE.fullmatch(text.strip())
    return int(float(found["number"]) * 1024 ** _UNITS.index(found["unit"].lower())) if found else None
