"""What Azure ML says about a job: its state, how it failed, and where its logs are."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Any

from ajkit.shared.job.execution import JobState, LogStream, Status

if TYPE_CHECKING:
    from collections.abc import Mapping

    Json = Mapping[str, Any]

_QUEUED = frozenset({"NotStarted", "Starting", "Provisioning", "Preparing", "Queued", "Scheduled"})
_RUNNING = frozenset({"Running", "Finalizing", "CancelRequested", "NotResponding"})
_CODE = re.compile(r"(?:status|exit) code:? (\d{1,3})\b", re.IGNORECASE)
_LOG = re.compile(r"user_logs/std_log(?:_process_(?P<node>\d+))?\.txt")
_WORDS = {
    "NotStarted": "Azure ML has not started it yet",
    "Provisioning": "nodes are being provisioned",
    "Preparing": "the environment is being prepared",
    "Queued": "waiting for nodes",
    "NotResponding": "it does not answer any more, Azure ML says",
    "Finalizing": "its outputs are being collected",
}


def status_of(job: Json, details: Json) -> Status | None:
    """The state of a job by its resource and, where it failed, the details of its run; None for no state known here."""
    state = str(job.get("properties", {}).get("status", ""))
    if state in _QUEUED:
        return Status(JobState.QUEUED, _WORDS.get(state, ""))
    if state in _RUNNING:
        return Status(JobState.RUNNING, _WORDS.get(state, ""))
    match state:
        case "Completed":
            return Status(JobState.DONE, "", 0)
        case "Canceled":
            return Status(JobState.CANCELLED, "cancelled")
        case "Paused":
            return Status(JobState.QUEUED, "paused: somebody has to resume it, or the cluster took its nodes")
        case "Failed":
            message = _error(details)
            found = _CODE.search(message)
            return Status(JobState.FAILED, message[:500] or "failed", int(found[1]) if found else None)
    return None


def streams_of(details: Json) -> dict[LogStream, str]:
    """The logs of the nodes of a job, in node order, each with an address that can be read for a while."""
    found: dict[LogStream, str] = {}
    for name, address in (details.get("logFiles") or {}).items():
        matched = _LOG.fullmatch(name)
        if matched:
            node = int(matched["node"] or 0)
            found[LogStream(f"node-{node}", node)] = address
    return dict(sorted(found.items(), key=lambda item: item[0].node))


def _error(details: Json) -> str:
    """The innermost words on why a run failed."""
    error = (details.get("error") or {}).get("error") or {}
    return str(error.get("message") or "").strip()
