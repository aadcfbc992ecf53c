"""Lets a cluster look at a job, its queue and its pods before anything is sent."""

from __future__ import annotations

import contextlib
from typing import TYPE_CHECKING, Any, TypeVar

from ajkit.backends.volcano.answers import Absent, Exists, Forbidden, NoDryRun, NoSuchKind
from ajkit.backends.volcano.belongings import NameTaken, is_ours
from ajkit.backends.volcano.cluster import JOB, POD_TEMPLATE, PRIORITY, QUEUE
from ajkit.backends.volcano.manifest import JOB_API, TOKEN
from ajkit.backends.volcano.pruning import pruned
from ajkit.shared.job.execution import OutcomeUnknown, Rejected, Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from ajkit.backends.volcano.cluster import Cluster
    from ajkit.backends.volcano.describe import VolcanoOpts
    from ajkit.backends.volcano.manifest import Manifest


T = TypeVar("T")


@contextlib.contextmanager
def nothing_accepted_yet() -> Iterator[None]:
    """Steps before the job itself: whatever became of them, the job was not accepted."""
    try:
        yield
    except OutcomeUnknown as error:
        raise Unavailable(str(error)) from None
    except Absent as error:
        raise Rejected(str(error)) from None


def believed(cluster: Cluster, ask: Callable[[], T]) -> T:
    """What the cluster answers; what an API server denies while it is started is asked once more.

    Raises:
        Unavailable: it is being started.
        Rejected: it denies it all the same.
    """
    try:
        return ask()
    except (Forbidden, NoSuchKind):
        if not cluster.is_ready():
            raise Unavailable("the API server of the cluster is being started, or is not well") from None
    try:
        return ask()
    except NoSuchKind as error:
        raise Rejected(f"{error} (is Volcano installed there, with {JOB_API}?)") from None


def ask_first(cluster: Cluster, options: VolcanoOpts, made: Manifest, namespace: str) -> None:
    """Let the cluster look at the job and its pods before anything is uploaded.

    Raises:
        Rejected: it would refuse something, or drop it without a word.
    """
    name = made.job["metadata"]["name"]
    try:
        ask_queue(cluster, options.queue)
        ask_priority(cluster, options.priority_class)
        dropped = [f"Job: {each}" for each in pruned(made.job, cluster.create(JOB, made.job, dry_run=True))]
    except NoDryRun:
        dropped = []
    except Absent as error:
        raise Rejected(f"there is no such namespace (target.namespace): {error}") from None
    except Exists:
        if not is_ours(cluster.get(JOB, name, namespace), made.job["metadata"]["labels"][TOKEN]):
            raise NameTaken(name) from None
        return
    for task in made.job["spec"]["tasks"]:
        body = {
            "apiVersion": "v1",
            "kind": "PodTemplate",
            "metadata": {"name": f"{name}-{task['name']}", "namespace": namespace},
            "template": task["template"],
        }
        try:
            answer = cluster.create(POD_TEMPLATE, body, dry_run=True)
        except (Forbidden, NoDryRun, Exists):
            continue
        except Rejected as error:
            raise Rejected(f"the pods of {task['name']}: {error}") from None
        dropped += [f"pods of {task['name']}: {each}" for each in pruned(body, answer)]
    if dropped:
        raise Rejected(f"this cluster does not know, and would drop: {', '.join(dropped[:5])}")


def ask_priority(cluster: Cluster, name: str | None) -> None:
    """Refuse a priority class that is not there, over which only the pods would fail, when nobody looks any more."""
    try:
        if name:
            cluster.get(PRIORITY, name)
    except Absent:
        said = f"there is no priority class {name!r} (target.priority_class)"
        raise Rejected(f"{said}{_those_of(cluster, PRIORITY)}") from None
    except Forbidden:
        return


def ask_queue(cluster: Cluster, name: str) -> None:
    """Refuse a queue that is not there or closed; who may not look at queues is not refused."""
    try:
        state = cluster.get(QUEUE, name).get("status", {}).get("state", "Open")
    except Absent:
        raise Rejected(f"there is no queue {name!r} (target.queue){_those_of(cluster, QUEUE)}") from None
    except Forbidden:
        return
    if state in {"Closed", "Closing"}:
        raise Rejected(f"the queue {name!r} (target.queue) is {state.lower()}")


def _those_of(cluster: Cluster, kind: type[Any]) -> str:
    with contextlib.suppress(Rejected, Absent):
        if known := sorted(each["metadata"]["name"] for each in cluster.all(kind)):
            return f"; there are: {', '.join(known)}"
    return ""
