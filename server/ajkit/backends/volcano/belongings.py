"""What a job has beside it in the cluster: given to it once it is there, taken away where it was refused."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ajkit.backends.volcano.cluster import CONFIG_MAP, JOB, SECRET
from ajkit.backends.volcano.manifest import JOB_API, TOKEN

if TYPE_CHECKING:
    from ajkit.backends.volcano.cluster import Cluster
    from ajkit.shared.job.execution import Submission


def give(cluster: Cluster, job: Submission, namespace: str) -> None:
    """Make the job the owner of what was made for it, so that all goes when it goes."""
    target = owner(cluster.get(JOB, job.spec.name, namespace))
    change = {"metadata": {"ownerReferences": [{**target, "controller": False}]}}
    for kind in (CONFIG_MAP, SECRET):
        for each in cluster.labelled(kind, namespace, TOKEN, job.token):
            if not each["metadata"].get("ownerReferences"):
                cluster.merge(kind, each["metadata"]["name"], namespace, change)


def clear(cluster: Cluster, job: Submission, namespace: str) -> None:
    """Take away what was made for a job that was refused."""
    for kind in (SECRET, CONFIG_MAP):
        for each in cluster.labelled(kind, namespace, TOKEN, job.token):
            cluster.delete(kind, each["metadata"]["name"], namespace)


def owner(found: dict[str, Any]) -> dict[str, Any]:
    """The reference to a job by which something belongs to it."""
    metadata = found["metadata"]
    return {
        "apiVersion": JOB_API,
        "kind": "Job",
        "name": metadata["name"],
        "uid": metadata["uid"],
        "controller": True,
        "blockOwnerDeletion": False,
    }


def is_ours(found: dict[str, Any], job: Submission) -> bool:
    """Whether a job that has the name of ours is ours."""
    return bool(found["metadata"].get("labels", {}).get(TOKEN) == job.token)
