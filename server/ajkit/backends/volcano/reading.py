"""What the objects of a job say about it: its state, why it waits, how it ended."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ajkit.shared.job.execution import JobState, Status

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

    Json = Mapping[str, Any]

TIMED_OUT = 124
_WAITING = frozenset({"", "Pending", "Restarting", "Inqueue"})
_STOPPING = frozenset({"Aborting", "Terminating", "Completing", "Restarting"})
_HARMLESS = frozenset({"ContainerCreating", "PodInitializing"})


def phase_of(job: Json) -> str:
    """The phase that Volcano gives a job; empty before it has seen it."""
    phase: str = job.get("status", {}).get("state", {}).get("phase", "") or ""
    return phase


def pods_are_going(phase: str) -> bool:
    """Whether Volcano is taking pods away, with their output, or has ended the job."""
    return phase in _STOPPING or is_over(phase)


def is_over(phase: str) -> bool:
    """Whether nothing more happens to a job in this phase."""
    return phase in {"Completed", "Failed", "Aborted", "Terminated"}


def has_ended(pod: Json) -> bool:
    """Whether a pod writes no more."""
    return pod.get("status", {}).get("phase") in {"Succeeded", "Failed"}


def status_of(job: Json, pods: Sequence[Json], warnings: Sequence[str]) -> Status:
    """The state of a job from its object, its pods, and what the cluster warned of."""
    phase = phase_of(job)
    said = job.get("status", {}).get("state", {})
    words = said.get("message") or said.get("reason") or ""
    failed = [each for each in pods if each.get("status", {}).get("phase") == "Failed"]
    if phase in _WAITING:
        return Status(JobState.QUEUED, _why_waiting(phase, pods, warnings) or words)
    if not is_over(phase):
        return Status(JobState.RUNNING, _why_waiting(phase, pods, ()) if phase == "Running" else words)
    if phase == "Completed":
        return Status(JobState.DONE, "", 0)
    if phase == "Terminated":
        return Status(JobState.CANCELLED, words or "cancelled")
    if phase == "Aborted" and not failed:
        return Status(JobState.CANCELLED, words or "aborted from outside")
    endings = [_ending(each) for each in failed]
    code = max((code for code, _ in endings if code is not None), default=None)
    return Status(JobState.FAILED, "; ".join(text for _, text in endings[:3]) or words or "failed", code)


def _ending(pod: Json) -> tuple[int | None, str]:
    """The exit code of a pod that failed, and how it failed."""
    name, status = pod["metadata"]["name"], pod["status"]
    if status.get("reason") == "DeadlineExceeded":
        return TIMED_OUT, f"{name} was stopped at its time limit"
    for container in _containers(pod):
        ended = container.get("state", {}).get("terminated")
        if ended and ended.get("exitCode"):
            reason = ended.get("reason", "Error")
            code = int(ended["exitCode"])
            return code, f"{name} exited with {code}" if reason == "Error" else f"{name}: {reason} (exit code {code})"
    return None, f"{name}: {status.get('message') or status.get('reason') or 'failed'}"


def _why_waiting(phase: str, pods: Sequence[Json], warnings: Sequence[str]) -> str:
    """What the first pod that does not get on is waiting for, else what the cluster warned of last."""
    for pod in pods:
        for text in _troubles(pod):
            return f"{pod['metadata']['name']}: {text}"
    if warnings:
        return warnings[-1]
    return "Volcano has not looked at it yet" if not phase else ""


def _troubles(pod: Json) -> Iterator[str]:
    status = pod.get("status", {})
    for condition in status.get("conditions", []):
        if condition.get("type") == "PodScheduled" and condition.get("status") == "False" and condition.get("message"):
            yield str(condition["message"])
    for container in _containers(pod):
        waiting = container.get("state", {}).get("waiting", {})
        reason = waiting.get("reason", "")
        if reason and reason not in _HARMLESS:
            message = waiting.get("message", "")
            yield f"{reason}: {message}" if message else reason


def _containers(pod: Json) -> Sequence[Json]:
    found: Sequence[Json] = pod.get("status", {}).get("containerStatuses", [])
    return found
