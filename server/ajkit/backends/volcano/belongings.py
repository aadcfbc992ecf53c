"""What a job has beside it in the cluster: given to it once it is there, taken away where it was refused."""

from __future__ import annotations

import contextlib
import os
from typing import TYPE_CHECKING, Any

from ajkit.backends.volcano.answers import Absent, Forbidden
from ajkit.backends.volcano.cluster import CONFIG_MAP, JOB, SECRET
from ajkit.backends.volcano.manifest import JOB_API, TOKEN
from ajkit.backends.volcano.place import secret_name
from ajkit.shared.job.execution import ExecutionError, Rejected

if TYPE_CHECKING:
    from ajkit.backends.volcano.cluster import Cluster
    from ajkit.shared.job.execution import Submission

_GIVEN = "given"


class NameTaken(Rejected):
    """There is a job of this name that is not ours, and what it has beside it must stay."""

    def __init__(self, job: str) -> None:
        super().__init__(f"there is a job {job} of somebody else: choose another --name")


def give(cluster: Cluster, job: Submission, namespace: str, *, anew: bool = False) -> None:
    """Make the job the owner of what was made for it, so that all goes when it goes.

    What is lacking of that, because answers were lost or a daemon was killed, is made up for whenever this is called
    again; once all is done it does nothing. `anew`: everything was made anew.
    """
    mark = os.path.join(job.folder, _GIVEN)
    if anew:
        with contextlib.suppress(FileNotFoundError):
            os.remove(mark)
    elif os.path.exists(mark):
        return
    with contextlib.suppress(ExecutionError, Absent):
        _give(cluster, job, namespace)
        os.makedirs(job.folder, mode=0o700, exist_ok=True)
        with open(mark, "w", encoding="utf-8"):
            pass


def _give(cluster: Cluster, job: Submission, namespace: str) -> None:
    target = owner(cluster.get(JOB, job.spec.name, namespace))
    change = {"metadata": {"ownerReferences": [{**target, "controller": False}]}}
    with contextlib.suppress(Forbidden, Absent):
        cluster.merge(SECRET, secret_name(job.spec.name), namespace, change)
    with contextlib.suppress(Forbidden):
        for each in cluster.labelled(CONFIG_MAP, namespace, TOKEN, job.token):
            if not each["metadata"].get("ownerReferences"):
                cluster.merge(CONFIG_MAP, each["metadata"]["name"], namespace, change)


def clear(cluster: Cluster, job: Submission, namespace: str) -> None:
    """Take away what was made for a job that was refused, or is gone; not what one that is there all the same has.

    An earlier call whose answer was lost may have made it meanwhile.
    """
    try:
        cluster.get(JOB, job.spec.name, namespace)
    except Absent:
        _clear(cluster, job, namespace)
    except ExecutionError:
        return


def _clear(cluster: Cluster, job: Submission, namespace: str) -> None:
    with contextlib.suppress(ExecutionError):
        # By its name: whoever may list secrets may read all of them, a right that is seldom given.
        cluster.delete(SECRET, secret_name(job.spec.name), namespace)
    with contextlib.suppress(ExecutionError):
        for each in cluster.labelled(CONFIG_MAP, namespace, TOKEN, job.token):
            cluster.delete(CONFIG_MAP, each["metadata"]["name"], namespace)


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


def is_ours(found: dict[str, Any], token: str) -> bool:
    """Whether a job that has the name of ours is ours."""
    return bool(found["metadata"].get("labels", {}).get(TOKEN) == token)
