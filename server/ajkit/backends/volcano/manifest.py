"""What a job is for Kubernetes: the Volcano Job, and the ConfigMap and Secret beside it."""

from __future__ import annotations

import base64
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ajkit.backends.volcano.describe import VolcanoOpts
from ajkit.backends.volcano.groups import pods_of, program_of
from ajkit.backends.volcano.place import secret_name
from ajkit.backends.volcano.pods import CODE, WHICH_CODE, pod_template, scripts_name, secret_key
from ajkit.shared.job.nodeprogram import NodeProgram
from ajkit.shared.job.secretrefs import secret_names

if TYPE_CHECKING:
    from ajkit.backends.volcano.groups import Pods
    from ajkit.backends.volcano.place import Place
    from ajkit.shared.job.spec import EnvValue, JobSpec

    Json = dict[str, Any]

JOB_API = "batch.volcano.sh/v1alpha1"
TOKEN = "aj/token"  # noqa: S105 - the name of a label
MANAGER = "app.kubernetes.io/managed-by"
_EVICTIONS = 3


@dataclass(frozen=True, slots=True)
class Manifest:
    """The objects of a job, all but its code; `secrets` are the references by their key in the Secret."""

    job: Json
    scripts: Json
    secrets: dict[str, EnvValue]
    groups: tuple[Pods, ...]


def options_of(spec: JobSpec) -> VolcanoOpts:
    """The typed options of a job."""
    return VolcanoOpts.model_validate(spec.backend_spec)


def labels_of(token: str, options: VolcanoOpts) -> dict[str, str]:
    """The labels that everything of a job has; those of aj cannot be overridden."""
    return {**options.labels, MANAGER: "aj", TOKEN: token}


def manifest(spec: JobSpec, token: str, place: Place, *, namespace: str | None, code: str) -> Manifest:
    """The objects of a job.

    Args:
        spec: the job.
        token: what it is looked up by.
        place: how code and storage get to its pods.
        namespace: where it lives.
        code: the digest of its code, or words that stand for it while nothing is submitted.
    """
    options = options_of(spec)
    groups = pods_of(spec, options)
    labels = labels_of(token, options)
    unpack = (
        'command -v tar >/dev/null || aj_fail "the image has no tar, which the code is unpacked with"',
        f'{place.code.unpack()} | tar -xzof - -C {CODE} || aj_fail "the code cannot be unpacked"',
        f"cd {CODE} || exit 1",
    )
    data = {WHICH_CODE: code}
    for group in groups:
        program = program_of(group, groups, spec.name, code=unpack)
        data[f"{group.task}.run.sh"] = program.program
        data[f"{group.task}.{NodeProgram.SETUP}"] = program.setup
        data[f"{group.task}.{NodeProgram.COMMAND}"] = program.command
    return Manifest(
        job={
            "apiVersion": JOB_API,
            "kind": "Job",
            "metadata": _metadata(spec.name, namespace, labels),
            "spec": _job(spec, options, groups, place, labels),
        },
        scripts={
            "apiVersion": "v1",
            "kind": "ConfigMap",
            "metadata": _metadata(scripts_name(spec.name), namespace, labels),
            "data": data,
        },
        secrets={secret_key(group.task, name): group.env[name] for group in groups for name in secret_names(group.env)},
        groups=groups,
    )


def secret(spec: JobSpec, labels: dict[str, str], namespace: str | None, values: dict[str, str]) -> Json:
    """The Secret of a job, with the values of its secret references by their keys."""
    return {
        "apiVersion": "v1",
        "kind": "Secret",
        "type": "Opaque",
        "metadata": _metadata(secret_name(spec.name), namespace, labels),
        "data": {key: base64.b64encode(value.encode()).decode() for key, value in values.items()},
    }


def config_map(name: str, labels: dict[str, str], namespace: str, content: dict[str, bytes]) -> Json:
    """A ConfigMap of bytes."""
    return {
        "apiVersion": "v1",
        "kind": "ConfigMap",
        "metadata": _metadata(name, namespace, labels),
        "binaryData": {key: base64.b64encode(value).decode() for key, value in content.items()},
    }


def _metadata(name: str, namespace: str | None, labels: dict[str, str]) -> Json:
    where = {"namespace": namespace} if namespace else {}
    return {"name": name, **where, "labels": dict(labels)}


def _job(spec: JobSpec, options: VolcanoOpts, groups: tuple[Pods, ...], place: Place, labels: dict[str, str]) -> Json:
    """The specification of the Volcano Job: a gang, which starts as a whole and ends when one of its pods fails."""
    job: Json = {
        "schedulerName": "volcano",
        "queue": options.queue,
        "minAvailable": sum(group.replicas for group in groups),
        "maxRetry": _EVICTIONS,
        "ttlSecondsAfterFinished": place.keep_seconds,
        "plugins": {"svc": ["--publish-not-ready-addresses=true"], "env": [], "ssh": []},
        "policies": [
            {"event": "PodEvicted", "action": "RestartJob"},
            {"event": "PodFailed", "action": "AbortJob"},
        ],
        "tasks": [
            {
                "name": group.task,
                "replicas": group.replicas,
                "minAvailable": group.replicas,
                "template": pod_template(spec, options, group, place, labels),
            }
            for group in groups
        ],
    }
    if options.priority_class:
        job["priorityClassName"] = options.priority_class
    return job
