"""What the objects of a job say about it."""

from __future__ import annotations

from typing import Any

import pytest

from ajkit.backends.volcano.reading import status_of
from ajkit.shared.job.execution import JobState, Status


def job(phase: str, **said: str) -> dict[str, Any]:
    return {"status": {"state": {"phase": phase, **said}}}


def pod(name: str, phase: str, **status: Any) -> dict[str, Any]:
    return {"metadata": {"name": name}, "status": {"phase": phase, **status}}


def ended(code: int, reason: str = "Error") -> list[dict[str, Any]]:
    return [{"state": {"terminated": {"exitCode": code, "reason": reason}}}]


def waiting(reason: str, message: str = "") -> list[dict[str, Any]]:
    return [{"state": {"waiting": {"reason": reason, "message": message}}}]


CREATING = pod("p", "Pending", containerStatuses=waiting("ContainerCreating"))
NO_IMAGE = pod("p", "Pending", containerStatuses=waiting("ImagePullBackOff", "no such image"))
GONE = pod("p-0", "Failed", containerStatuses=ended(3))
KILLED = pod("p-1", "Failed", containerStatuses=ended(137, "OOMKilled"))
LATE = pod("p-2", "Failed", reason="DeadlineExceeded", containerStatuses=ended(143))
EVICTED = pod("p-3", "Failed", reason="Evicted", message="the node was low on memory")


@pytest.mark.parametrize(
    ("phase", "pods", "expected"),
    [
        ("Pending", [], Status(JobState.QUEUED, "the last warning")),
        ("Pending", [CREATING], Status(JobState.QUEUED, "the last warning")),
        ("Restarting", [], Status(JobState.QUEUED, "the last warning")),
        ("Pending", [NO_IMAGE], Status(JobState.QUEUED, "p: ImagePullBackOff: no such image")),
        ("Running", [pod("p", "Running")], Status(JobState.RUNNING)),
        ("Aborting", [], Status(JobState.RUNNING)),
        ("Completed", [], Status(JobState.DONE, "", 0)),
        ("Terminated", [], Status(JobState.CANCELLED, "cancelled")),
        ("Aborted", [], Status(JobState.CANCELLED, "aborted from outside")),
        ("Aborted", [GONE], Status(JobState.FAILED, "p-0 exited with 3", 3)),
        ("Failed", [GONE, KILLED], Status(JobState.FAILED, "p-0 exited with 3; p-1: OOMKilled (exit code 137)", 137)),
        ("Aborted", [LATE], Status(JobState.FAILED, "p-2 was stopped at its time limit", 124)),
        ("Aborted", [EVICTED], Status(JobState.FAILED, "p-3: the node was low on memory")),
        ("Failed", [], Status(JobState.FAILED, "failed")),
    ],
)  # fmt: skip
def test_states(phase: str, pods: list[dict[str, Any]], expected: Status) -> None:
    assert status_of(job(phase), pods, ["an early warning", "the last warning"]) == expected


def test_words_of_volcano() -> None:
    assert status_of(job("Pending", message="pod group is not ready"), [], []).message == "pod group is not ready"
    assert status_of({}, [], []) == Status(JobState.QUEUED, "Volcano has not looked at it yet")
