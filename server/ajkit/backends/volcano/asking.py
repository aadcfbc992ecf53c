"""Lets a cluster look at a job, its queue and its pods before anything is sent."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING

from ajkit.backends.volcano.cluster import JOB, POD_TEMPLATE, QUEUE, Absent, Exists, Forbidden
from ajkit.backends.volcano.manifest import JOB_API
from ajkit.backends.volcano.pruning import pruned
from ajkit.shared.job.execution import OutcomeUnknown, Rejected, Unavailable

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ajkit.backends.volcano.cluster import Cluster
    from ajkit.backends.volcano.describe import VolcanoOpts
    from ajkit.backends.volcano.manifest import Manifest


@contextlib.contextmanager
def nothing_accepted_yet() -> Iterator[None]:
    """Steps before the job itself: whatever became of them, the job was not accepted."""
    try:
        yield
    except OutcomeUnknown as error:
        raise Unavailable(str(error)) from None
    except Absent as error:
        raise Rejected(str(error)) from None


def ask_first(cluster: Cluster, options: VolcanoOpts, made: Manifest, namespace: str) -> None:
    """Let the cluster look at the job and its pods before anything is uploaded.

    Raises:
        Rejected: it would refuse something, or drop it without a word.
    """
    ask_queue(cluster, options.queue)
    try:
        answer = cluster.create(JOB, made.job, dry_run=True)
    except Absent as error:
        raise Rejected(
            f"the cluster has no {JOB_API} Job (is Volcano installed?), or no such namespace: {error}"
        ) from None
    except Exists:
        return
    dropped = [f"Job: {each}" for each in pruned(made.job, answer)]
    for task in made.job["spec"]["tasks"]:
        body = {
            "apiVersion": "v1",
            "kind": "PodTemplate",
            "metadata": {"name": f"{made.job['metadata']['name']}-{task['name']}", "namespace": namespace},
            "template": task["template"],
        }
        try:
            answer = cluster.create(POD_TEMPLATE, body, dry_run=True)
        except Forbidden:
            continue
        except Rejected as error:
            raise Rejected(f"the pods of {task['name']}: {error}") from None
        except Exists:
            continue
        dropped += [f"pods of {task['name']}: {each}" for each in pruned(body, answer)]
    if dropped:
        raise Rejected(f"this cluster does not know, and would drop: {', '.join(dropped[:5])}")


def ask_queue(cluster: Cluster, name: str) -> None:
    """Refuse a queue that is not there or closed; who may not look at queues is not refused."""
    try:
        state = cluster.get(QUEUE, name).get("status", {}).get("state", "Open")
    except Absent:
        known = []
        with contextlib.suppress(Rejected, Absent):
            known = sorted(each["metadata"]["name"] for each in cluster.all(QUEUE))
        there = f"; there are: {', '.join(known)}" if known else ""
        raise Rejected(f"there is no queue {name!r} (target.queue){there}") from None
    except Forbidden:
        return
    if state in {"Closed", "Closing"}:
        raise Rejected(f"the queue {name!r} (target.queue) is {state.lower()}")
