"""The facts of a submission that only its moment knows: the time, and an id that no other job has."""

from __future__ import annotations

import os
import string
from datetime import UTC, datetime

SID_LENGTH = 10
_SIGNS = string.ascii_lowercase + string.digits


def now() -> str:
    """The time as ISO 8601 in UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def new_sid() -> str:
    """An id for a job, drawn by chance."""
    drawn = int.from_bytes(os.urandom(32), "big")
    return "".join(_SIGNS[drawn // len(_SIGNS) ** place % len(_SIGNS)] for place in range(SID_LENGTH))
