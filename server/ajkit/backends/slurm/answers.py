"""What Slurm's answers mean: the state of a job, told apart, and why sbatch said no."""

from __future__ import annotations

import contextlib
import re
import signal
from typing import TYPE_CHECKING

from ajkit.backends.slurm.script import LATE, TIMED_OUT
from ajkit.shared.job.execution import JobState, OutcomeUnknown, Rejected, Status, Unavailable

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ajkit.shared.job.execution import ExecutionError

_WAITING = frozenset(
    [
        "PENDING",
        "CONFIGURING",
        "POWER_UP_NODE",
        "EXPEDITING",
        "REQUEUED",
        "REQUEUE_HOLD",
        "REQUEUE_FED",
        "SPECIAL_EXIT",
        "RESV_DEL_HOLD",
    ]
)
_RUNNING = frozenset(
    ["RUNNING", "COMPLETING", "SUSPENDED", "STOPPED", "RESIZING", "SIGNALING", "STAGE_OUT", "UPDATE_DB"]
)
_KILLED = 137
_NO_LOG = (0, 53)
"""What Slurm gives as exit code when it cannot open the log of a job on the node."""

_FOLDER_NOT_THERE = (
    "the node cannot see the job's folder ({folder}): it must be on a file system that the nodes share; set "
    "AJ_SLURM_FOLDER for the submission daemon"
)

_REASONS = {
    "None": "",
    "Resources": "waiting for free nodes",
    "Priority": "other jobs are before it",
    "BeginTime": "Slurm starts it at a later time",
    "JobHeldUser": "held; `scontrol release` lets it go on",
    "JobHeldAdmin": "held by an administrator of the cluster",
    "PartitionNodeLimit": "it asks for more nodes than the partition gives to a job: it would wait for ever",
    "PartitionTimeLimit": "its time limit is over that of the partition: it would wait for ever",
    "PartitionDown": "the partition is down",
    "ReqNodeNotAvail": "nodes it needs are down or reserved",
}

_MAYBE = (
    "Socket timed out",
    "Zero Bytes were transmitted",
    "Transport endpoint",
    "receive failure",
    "shutdown failure",
    "Unexpected message received",
)
_CERTAINLY_NOT = (
    "Unable to contact slurm controller",
    "Connection refused",
    "temporarily unable",
    "authentication",
    "Munge",
    "standby mode",
    "shutting down",
)


def read_status(text: str, *, asked_to_stop: bool, limit: int | None, folder: str) -> Status:
    """The state of a job by what the program `ask` printed.

    Args:
        text: lines ``queue …`` (one for each component), ``account …`` and ``result …``, each where there is one.
        asked_to_stop: whether its cancellation was asked for through us.
        limit: the time limit of the job in seconds.
        folder: the folder of the job on the nodes.

    Raises:
        Unavailable: Slurm has a word for it that is not known here.
    """
    said: dict[str, str] = {}
    for line in text.splitlines():
        word, _, rest = line.partition(" ")
        said.setdefault(word, rest)
    result = said.get("result", "").split()
    facts = _facts(said["queue"]) if "queue" in said else _accounted(said.get("account", ""))
    if facts is None:
        return _by_itself(result, limit)
    return _said(facts, result, asked_to_stop=asked_to_stop, limit=limit, folder=folder)


def read_refusal(errors: str) -> ExecutionError:
    """What it means that sbatch did not take a job, by what it said."""
    lines = [re.sub(r"^sbatch: (error: )?", "", each.strip()) for each in errors.splitlines() if each.strip()]
    message = "; ".join(dict.fromkeys(lines)) or "sbatch gave no reason"
    if any(each in errors for each in _MAYBE):
        return OutcomeUnknown(message)
    if any(each in errors for each in _CERTAINLY_NOT):
        return Unavailable(message)
    return Rejected(message)


def _facts(line: str) -> dict[str, str]:
    """The ``Name=value`` pairs of `scontrol --oneliner show job`."""
    return dict(re.findall(r"(?:^|\s)([A-Za-z:/]+)=(\S*)", line))


def _accounted(line: str) -> dict[str, str] | None:
    state, _, code = line.partition("|")
    return {"JobState": state, "ExitCode": code} if state else None


def _by_itself(result: list[str], limit: int | None) -> Status:
    """How a job ended that Slurm has forgotten, by what it wrote itself."""
    if not result:
        return Status(JobState.LOST, "Slurm knows no such job any more, and it has not written down how it ended")
    return _ended(int(result[0]), result, limit)


def _said(
    facts: Mapping[str, str], result: list[str], *, asked_to_stop: bool, limit: int | None, folder: str
) -> Status:
    state, *by = facts["JobState"].split(" by ")
    state = state.split()[0].rstrip("+")
    reason = facts.get("Reason", "None")
    if state in _WAITING:
        return Status(JobState.QUEUED, _why_waiting(state, reason, facts))
    if state in _RUNNING:
        return Status(JobState.RUNNING, _how_running(state, facts))
    code, number = _exit(facts.get("ExitCode", "0:0"))
    if state == "COMPLETED":
        return Status(JobState.DONE, "", 0)
    if state == "CANCELLED":
        return Status(JobState.CANCELLED, _who_cancelled(by, asked=asked_to_stop))
    if state == "FAILED" and (code, number) == _NO_LOG:
        return Status(JobState.FAILED, _FOLDER_NOT_THERE.format(folder=folder))
    if state == "FAILED":
        return _ended(128 + number if number else code, result, limit)
    return _taken(state, facts, limit)


def _ended(code: int, result: list[str], limit: int | None) -> Status:
    if result[1:] == [LATE]:
        return Status(JobState.FAILED, _over_time(limit), TIMED_OUT)
    if code == 0:
        return Status(JobState.DONE, "", 0)
    who = result[1] if len(result) > 1 else "the job"
    how = f"was ended by {_signal(code - 128)}" if code > 128 else f"exited with {code}"
    return Status(JobState.FAILED, f"{who} {how}", code)


def _signal(number: int) -> str:
    with contextlib.suppress(ValueError):
        return signal.Signals(number).name
    return f"signal {number}"


def _taken(state: str, facts: Mapping[str, str], limit: int | None) -> Status:
    """A job that Slurm ended.

    Raises:
        Unavailable: by a word that is none of those known here.
    """
    nodes = facts.get("NodeList", "").replace("(null)", "")
    match state:
        case "TIMEOUT":
            return Status(JobState.FAILED, _over_time(limit), TIMED_OUT)
        case "OUT_OF_MEMORY":
            return Status(JobState.FAILED, "out of memory: ask for more with target.memory", _KILLED)
        case "NODE_FAIL":
            return Status(JobState.FAILED, f"a node failed ({nodes})" if nodes else "a node failed")
        case "BOOT_FAIL":
            return Status(JobState.FAILED, "its nodes did not start")
        case "PREEMPTED":
            return Status(JobState.FAILED, "a job of higher priority took its nodes")
        case "DEADLINE":
            return Status(JobState.FAILED, "it could not end before its deadline")
        case "LAUNCH_FAILED" | "RECONFIG_FAIL":
            return Status(JobState.FAILED, "Slurm could not make its nodes ready for it")
        case "REVOKED":
            return Status(JobState.FAILED, "another cluster of the federation took it")
        case _:
            # What is not known to be an end is none: the job may run.
            raise Unavailable(f"Slurm says {state} of the job, which is not known here")


def _over_time(limit: int | None) -> str:
    return f"stopped at its time limit of {limit} seconds" if limit else "stopped at the partition's time limit"


def _why_waiting(state: str, reason: str, facts: Mapping[str, str]) -> str:
    if state == "CONFIGURING":
        return f"its nodes are getting ready ({facts.get('NodeList', '')})"
    words = _REASONS.get(reason, f"Slurm says {reason}")
    restarts = int(facts.get("Restarts", "0") or 0)
    if restarts:
        again = "put back into the queue by Slurm"
        return f"{again}: {words}" if words else again
    return words


def _how_running(state: str, facts: Mapping[str, str]) -> str:
    if state in {"SUSPENDED", "STOPPED"}:
        return "suspended by Slurm"
    restarts = int(facts.get("Restarts", "0") or 0)
    return f"started again by Slurm (restart {restarts})" if restarts else ""


def _who_cancelled(by: list[str], *, asked: bool) -> str:
    if asked:
        return "cancelled"
    whom = f" by the user with the number {by[0]}" if by else ""
    return f"cancelled from outside of aj{whom}: scancel, or an administrator of the cluster"


def _exit(text: str) -> tuple[int, int]:
    code, _, number = text.partition(":")
    return int(code or 0), int(number or 0)
