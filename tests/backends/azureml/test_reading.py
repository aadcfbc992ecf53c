"""What Azure ML says about a job."""

from __future__ import annotations

import pytest

from ajkit.backends.azureml.reading import status_of, streams_of
from ajkit.shared.job.execution import JobState, LogStream, Status


@pytest.mark.parametrize(
    ("state", "expected"),
    [
        ("NotStarted", Status(JobState.QUEUED, "Azure ML has not started it yet")),
        ("Preparing", Status(JobState.QUEUED, "the environment is being prepared")),
        ("Queued", Status(JobState.QUEUED, "waiting for nodes")),
        ("Running", Status(JobState.RUNNING)),
        ("CancelRequested", Status(JobState.RUNNING)),
        ("Finalizing", Status(JobState.RUNNING, "its outputs are being collected")),
        ("Completed", Status(JobState.DONE, "", 0)),
        ("Canceled", Status(JobState.CANCELLED, "cancelled")),
        ("Failed", Status(JobState.FAILED, "failed")),
        ("Unknown", None),
    ],
)
def test_states(state: str, expected: Status | None) -> None:
    assert status_of({"properties": {"status": state}}, {}) == expected


@pytest.mark.parametrize(
    ("message", "code"),
    [("exited with status code 137. Please", 137), ("Exit code: 2", 2), ("Image build failed", None)],
)
def test_why_it_failed(message: str, code: int | None) -> None:
    details = {"error": {"error": {"message": message}}}
    assert status_of({"properties": {"status": "Failed"}}, details) == Status(JobState.FAILED, message, code)


def test_logs_in_node_order() -> None:
    files = {
        "user_logs/std_log_process_10.txt": "c",
        "system_logs/lifecycler.log": "x",
        "user_logs/std_log_process_02.txt": "b",
        "user_logs/std_log_process_00.txt": "a",
    }
    assert streams_of({"logFiles": files}) == {
        LogStream("node-0", 0): "a",
        LogStream("node-2", 2): "b",
        LogStream("node-10", 10): "c",
    }
    assert streams_of({"logFiles": {"user_logs/std_log.txt": "a"}}) == {LogStream("node-0", 0): "a"}
    assert streams_of({"logFiles": None}) == {}
