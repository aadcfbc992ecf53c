"""The facts of a submission that only its moment knows: the time, and an id that no other job has."""

from __future__ import annotations

import secrets
import string
from datetime import UTC, datetime

SID_LENGTH = 10


def now() -> str:
    """The time as ISO 8601 in UTC, to the second."""
    return datetime.now(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")


def new_sid() -> str:
    """An id for a job, drawn by chance."""
    return "".join(secrets.choice(string.ascii_lowercase + string.digits) for _ in range(SID_LENGTH))
