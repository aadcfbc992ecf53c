"""Slurm's words and what is made of them."""

from __future__ import annotations

import pytest

from ajkit.backends.slurm.answers import read_refusal, read_status
from ajkit.shared.job.execution import JobState, OutcomeUnknown, Rejected, Status, Unavailable

WAIT, RUN, DONE, FAILED = JobState.QUEUED, JobState.RUNNING, JobState.DONE, JobState.FAILED
CANCELLED, LOST = JobState.CANCELLED, JobState.LOST


def told(text: str, *, asked: bool = False, limit: int | None = None) -> tuple[JobState, str, int | None]:
    status: Status = read_status(text, asked_to_stop=asked, limit=limit, folder="/jobs/x")
    return status.state, status.message, status.exit_code


def queue(state: str, code: str = "0:0", **facts: str) -> str:
    more = " ".join(f"{name}={value}" for name, value in facts.items())
    return f"queue JobId=41 JobName=aj-x Priority=4 JobState={state} ExitCode={code} {more}\n"


@pytest.mark.parametrize(
    ("text", "status"),
    [
        (queue("PENDING", Reason="Resources"), (WAIT, "waiting for free nodes", None)),
        (queue("PENDING", Reason="QOSGrpCpuLimit"), (WAIT, "Slurm says QOSGrpCpuLimit", None)),
        (queue("PENDING", Reason="None"), (WAIT, "", None)),
        (
            queue("PENDING", Reason="BeginTime", Restarts="1"),
            (WAIT, "put back into the queue by Slurm: Slurm starts it at a later time", None),
        ),
        (queue("CONFIGURING", NodeList="n[1-2]"), (WAIT, "its nodes are getting ready (n[1-2])", None)),
        (queue("RUNNING"), (RUN, "", None)),
        (queue("RUNNING", Restarts="2"), (RUN, "started again by Slurm (restart 2)", None)),
        (queue("COMPLETING"), (RUN, "", None)),
        (queue("SUSPENDED"), (RUN, "suspended by Slurm", None)),
        (queue("COMPLETED"), (DONE, "", 0)),
        (queue("FAILED", "7:0") + "result 7 node-1\n", (FAILED, "node-1 exited with 7", 7)),
        (queue("FAILED", "7:0"), (FAILED, "the job exited with 7", 7)),
        (queue("FAILED", "0:9"), (FAILED, "the job was ended by SIGKILL", 137)),
        (queue("OUT_OF_MEMORY", "0:125"), (FAILED, "out of memory: ask for more with target.memory", 137)),
        (queue("NODE_FAIL", NodeList="n2"), (FAILED, "a node failed (n2)", None)),
        (queue("PREEMPTED"), (FAILED, "a job of higher priority took its nodes", None)),
        (queue("DEADLINE"), (FAILED, "it could not end before its deadline", None)),
        (queue("BOOT_FAIL"), (FAILED, "its nodes did not start", None)),
        (queue("TIMEOUT"), (FAILED, "stopped at the partition's time limit", 124)),
        (queue("LAUNCH_FAILED"), (FAILED, "Slurm could not make its nodes ready for it", None)),
        (queue("REVOKED"), (FAILED, "another cluster of the federation took it", None)),
        ("account COMPLETED|0:0\n", (DONE, "", 0)),
        ("account CANCELLED by 1001|0:15\n", (CANCELLED, None, None)),
        ("account FAILED|3:0\nresult 3 node-0\n", (FAILED, "node-0 exited with 3", 3)),
        ("result 0\n", (DONE, "", 0)),
        ("result 5 node-2\n", (FAILED, "node-2 exited with 5", 5)),
        ("", (LOST, None, None)),
    ],
)
def test_status(text: str, status: tuple[JobState, str | None, int | None]) -> None:
    state, message, code = told(text)
    assert (state, code) == (status[0], status[2])
    assert status[1] is None or message == status[1]


@pytest.mark.parametrize("text", [queue("NEWLY_INVENTED"), "account NEWLY_INVENTED|0:0\n"])
def test_a_word_that_is_not_known_is_no_end(text: str) -> None:
    with pytest.raises(Unavailable, match="Slurm says NEWLY_INVENTED of the job"):
        told(text)


def test_who_cancelled() -> None:
    assert told(queue("CANCELLED"), asked=True)[:2] == (CANCELLED, "cancelled")
    assert told(queue("CANCELLED"))[1].startswith("cancelled from outside of aj: ")
    assert "by the user with the number 1001" in told("account CANCELLED by 1001|0:15\n")[1]


def test_time_limit() -> None:
    over = "stopped at its time limit of 90 seconds"
    assert told(queue("TIMEOUT"), limit=90)[1:] == (over, 124)
    assert told(queue("FAILED", "124:0") + "result 124 late\n", limit=90)[1:] == (over, 124)
    assert told(queue("FAILED", "124:0") + "result 124 node-0\n", limit=90)[1:] == ("node-0 exited with 124", 124)


def test_a_folder_that_the_node_does_not_see() -> None:
    message = told(queue("FAILED", "0:53"))[1]
    assert "/jobs/x" in message
    assert "AJ_SLURM_FOLDER" in message


def test_the_first_component_speaks_for_the_job() -> None:
    assert told(queue("RUNNING") + queue("PENDING"))[0] is RUN


@pytest.mark.parametrize(
    ("errors", "meaning", "message"),
    [
        (
            "sbatch: error: invalid partition: nope\nsbatch: error: Batch job submission failed: Invalid partition",
            Rejected,
            "invalid partition: nope; Batch job submission failed: Invalid partition",
        ),
        ("allocation failure: Requested node configuration is not available", Rejected, None),
        ("", Rejected, "sbatch gave no reason"),
        ("sbatch: error: Batch job submission failed: Socket timed out on send/recv operation", OutcomeUnknown, None),
        ("sbatch: error: Zero Bytes were transmitted or received", OutcomeUnknown, None),
        ("sbatch: error: Unable to contact slurm controller (connect failure)", Unavailable, None),
        ("sbatch: error: Slurm temporarily unable to accept job, sleeping and retrying", Unavailable, None),
        ("sbatch: error: Protocol authentication error", Unavailable, None),
    ],
)
def test_refusal(errors: str, meaning: type[Exception], message: str | None) -> None:
    error = read_refusal(errors)
    assert type(error) is meaning
    assert message is None or str(error) == message
