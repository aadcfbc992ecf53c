"""Every part of a submission replaced by something odd: refused or taken, never a fault of the daemon."""

from __future__ import annotations

import copy
from typing import TYPE_CHECKING, Any

from ajkit.client.snapshot import pack
from ajkit.shared.job.execution import JobState
from tests.daemons import draw_sid, job_spec, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.daemons import Host

ODD: list[Any] = [
    *(None, -1, 10**30, 1.5),
    *("\0", "\u2028", "x" * 70_000, "\ud800"),
    *([[]], {"": ""}),
]


def parts(value: Any, way: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield way
    if isinstance(value, dict):
        for key, below in value.items():
            yield from parts(below, (*way, key))
    elif isinstance(value, list):
        for at, below in enumerate(value):
            yield from parts(below, (*way, at))


def replaced(value: Any, way: tuple[Any, ...], odd: Any) -> Any:
    if not way:
        return odd
    made = copy.copy(value)
    made[way[0]] = replaced(made[way[0]], way[1:], odd)
    return made


def whole(digest: str) -> dict[str, Any]:
    spec = job_spec(
        "exit 0",
        setup=["x=1"],
        env={"A": "1"},
        storage={"s": {"storage_account_name": "a", "container_name": "b", "mount_dir": "/m"}},
        sources=[{"path": "p", "sha256": "0"}],
        extra={"mine": [1]},
        description="d",
    )
    return {
        "spec": spec.model_dump(mode="json"),
        "code_digest": digest,
        "caller": {"path": "/usr/bin:/bin", "virtual_env": "/v"},
    }


def test_no_odd_body_is_a_fault(shared_host: Host) -> None:
    with pack(shared_host.code, []) as archive:
        shared_host.daemon().upload(archive)
    body = whole(archive.digest)
    statuses = set()
    for way in parts(body):
        for odd in ODD:
            body["spec"]["sid"] = draw_sid()
            sent = replaced(body, way, odd)
            answer = shared_host.ask("POST", "/v1/jobs", sent, Idempotency_Key=draw_sid())
            statuses.add(answer.status)
            assert answer.status < 500, (way, odd, answer.body)
    assert statuses == {201, 422}
    daemon = shared_host.daemon()
    wait_until(lambda: not list(daemon.jobs(live=True)), 120)
    assert {each.state for each in daemon.jobs()} <= {JobState.DONE, JobState.FAILED, JobState.REJECTED}
