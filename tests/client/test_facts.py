"""The facts of a submission: a time that machines read, an id that no other job has."""

from __future__ import annotations

import re
from datetime import UTC, datetime, timedelta

from ajkit.client.facts import new_sid, now


def test_the_time_is_now_in_utc() -> None:
    said = datetime.strptime(now(), "%Y-%m-%dT%H:%M:%SZ").replace(tzinfo=UTC)
    assert abs(datetime.now(UTC) - said) < timedelta(minutes=1)


def test_ids_differ_and_are_fit_for_a_job() -> None:
    drawn = {new_sid() for _ in range(200)}
    assert len(drawn) == 200
    assert all(re.fullmatch(r"[a-z0-9]{10}", each) for each in drawn)
