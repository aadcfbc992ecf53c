"""The pod of a group: its one container, what it asks for, what it mounts, and its variables."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from ajkit.backends.volcano.kubernetes import env_text
from ajkit.backends.volcano.place import secret_name
from ajkit.shared.job.nodeprogram import NodeProgram

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ajkit.backends.volcano.describe import VolcanoOpts
    from ajkit.backends.volcano.groups import Pods
    from ajkit.backends.volcano.place import Place
    from ajkit.shared.job.spec import JobSpec

    Json = dict[str, Any]

ROOT = "/aj"
PROGRAMS = f"{ROOT}/job"
CODE = f"{ROOT}/code"
CONTAINER = "main"
_SHM = "/dev/shm"  # noqa: S108 - where Linux keeps shared memory
_GRACE_SECONDS = 30
_CSI = "blob.csi.azure.com"


def pod_template(spec: JobSpec, options: VolcanoOpts, group: Pods, place: Place, labels: Mapping[str, str]) -> Json:
    """The pod template of a group."""
    volumes, mounts = _volumes(spec, options, group, place)
    pod: Json = {
        "restartPolicy": "Never",
        "enableServiceLinks": False,
        "terminationGracePeriodSeconds": _GRACE_SECONDS,
        "containers": [_container(spec, options, group, mounts)],
        "volumes": volumes,
    }
    if spec.time_limit_seconds:
        pod["activeDeadlineSeconds"] = spec.time_limit_seconds
    if options.priority_class:
        pod["priorityClassName"] = options.priority_class
    if group.node_selector:
        pod["nodeSelector"] = dict(group.node_selector)
    return {"metadata": {"labels": dict(labels)}, "spec": pod}


def scripts_name(job: str) -> str:
    """The ConfigMap with the programs of a job."""
    return f"{job}-aj"


def secret_key(task: str, variable: str) -> str:
    """Where a variable of a task is in that Secret."""
    return f"{task}.{variable}"


def _container(spec: JobSpec, options: VolcanoOpts, group: Pods, mounts: list[Json]) -> Json:
    asked = {"cpu": group.cpus, "memory": group.memory}
    resources: dict[str, str | int] = {name: amount for name, amount in asked.items() if amount is not None}
    if group.gpus:
        resources[options.gpu_resource] = group.gpus
    if group.rdma:
        resources[options.rdma_resource] = 1
    container: Json = {
        "name": CONTAINER,
        "image": group.image,
        "command": ["/bin/bash", f"{PROGRAMS}/run.sh"],
        "env": _variables(spec.name, group),
        # Devices can only be asked for like this, and whoever asks for all alike is evicted last.
        "resources": {"requests": dict(resources), "limits": dict(resources)},
        "volumeMounts": mounts,
    }
    if options.capabilities:
        container["securityContext"] = {"capabilities": {"add": list(options.capabilities)}}
    return container


def _variables(job: str, group: Pods) -> list[Json]:
    variables: list[Json] = [{"name": "PYTHONUNBUFFERED", "value": "1"}] if "PYTHONUNBUFFERED" not in group.env else []
    for name, value in group.env.items():
        if isinstance(value, str):
            variables.append({"name": name, "value": env_text(value)})
        else:
            key = {"name": secret_name(job), "key": secret_key(group.task, name)}
            variables.append({"name": name, "valueFrom": {"secretKeyRef": key}})
    return variables


def _volumes(spec: JobSpec, options: VolcanoOpts, group: Pods, place: Place) -> tuple[list[Json], list[Json]]:
    names = ("run.sh", NodeProgram.SETUP, NodeProgram.COMMAND)
    items = [{"key": f"{group.task}.{name}", "path": name} for name in names]
    shm: Json = {"medium": "Memory"} | ({"sizeLimit": group.shm_size} if group.shm_size else {})
    stored, where = place.code.volume(spec.name)
    pairs: list[tuple[Json, Json]] = [
        (
            {"name": "job", "configMap": {"name": scripts_name(spec.name), "items": [*items, _WHICH_CODE]}},
            {"name": "job", "mountPath": PROGRAMS, "readOnly": True},
        ),
        ({"name": "stored-code", **stored}, {"name": "stored-code", "mountPath": where, "readOnly": True}),
        ({"name": "code", "emptyDir": {}}, {"name": "code", "mountPath": CODE}),
        ({"name": "shm", "emptyDir": shm}, {"name": "shm", "mountPath": _SHM}),
    ]
    if options.scratch:
        room: Json = {"sizeLimit": options.scratch.size} if options.scratch.size else {}
        pairs.append(
            ({"name": "scratch", "emptyDir": room}, {"name": "scratch", "mountPath": options.scratch.mount_dir})
        )
    for number, (name, mount) in enumerate(spec.storage.items()):
        volume = f"storage-{number}"
        source: Json = {"persistentVolumeClaim": {"claimName": name}}
        if not place.storage_claims:
            attributes = {
                "storageAccount": mount.storage_account_name,
                "containerName": mount.container_name,
                "secretName": f"azure-storage-account-{mount.storage_account_name}-secret",
            }
            source = {"csi": {"driver": _CSI, "volumeAttributes": attributes}}
        pairs.append(({"name": volume, **source}, {"name": volume, "mountPath": mount.mount_dir}))
    return [volume for volume, _ in pairs], [mount for _, mount in pairs]


WHICH_CODE = "code"
"""Where the ConfigMap of the programs says which code the job runs."""
_WHICH_CODE = {"key": WHICH_CODE, "path": WHICH_CODE}
