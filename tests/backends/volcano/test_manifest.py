"""Manifests: as they were, good by Volcano's own schema, and without a field that it would drop."""

from __future__ import annotations

from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from ajkit.backends.volcano.groups import pods_of
from ajkit.backends.volcano.kubernetes import env_text
from ajkit.backends.volcano.manifest import manifest, options_of
from ajkit.backends.volcano.place import InClaim, Place
from ajkit.backends.volcano.pruning import pruned
from ajkit.shared.template.yamltext import yaml_text
from tests.backends.volcano.conftest import example, job_spec
from tests.backends.volcano.fakeapi import schema_of, without_unknown
from tests.backends.volcano.fakenodes import expanded

if TYPE_CHECKING:
    from ajkit.shared.job.spec import JobSpec
    from tests.plugins.goldens import Golden

GOLDENS = Path(__file__).parent / "goldens"
SCHEMA = schema_of("batch.volcano.sh_jobs.yaml")


def rendered(spec: JobSpec, place: Place = Place()) -> dict[str, Any]:  # noqa: B008 - it cannot be changed
    made = manifest(spec, f"aj-{spec.sid}", place, namespace="research", code="digest")
    jsonschema.Draft202012Validator(SCHEMA).validate(made.job)
    assert pruned(made.job["spec"], without_unknown(made.job, SCHEMA)["spec"]) == []
    return made.job


@pytest.mark.parametrize("name", ["train", "tasks"])
def test_examples(name: str, golden: Golden) -> None:
    made = manifest(example(name), "aj-0000000000", Place(), namespace="research", code="digest")
    assert rendered(example(name)) == made.job
    golden(GOLDENS / f"{name}.yaml", f"{yaml_text(made.job)}---\n{yaml_text(made.scripts)}")


def test_the_resolved_shape_is_what_a_pod_asks_for() -> None:
    options = {"rdma": True, "gpu_resource": "amd.com/gpu", "cpus_per_node": "8", "memory": "64Gi"}
    job = rendered(job_spec("true", nodes=3, gpus_per_node=4, options=options))
    task = job["spec"]["tasks"][0]
    resources = task["template"]["spec"]["containers"][0]["resources"]
    assert resources["requests"] == {"cpu": "8", "memory": "64Gi", "amd.com/gpu": 4, "rdma/hca": 1}
    assert resources["limits"] == resources["requests"]
    assert (job["spec"]["minAvailable"], task["replicas"], task["minAvailable"]) == (3, 3, 3)


def test_what_is_optional() -> None:
    options = {"priority_class": "high", "shm_size": "64Gi", "scratch": {"mount_dir": "/s", "size": "5Gi"}}
    storage = {"data": {"storage_account_name": "acc", "container_name": "c", "mount_dir": "/mnt/data"}}
    job = rendered(job_spec("true", options=options, time_limit_seconds=60, storage=storage))
    pod = job["spec"]["tasks"][0]["template"]["spec"]
    volumes = {each["name"]: each for each in pod["volumes"]}
    mounts = {each["name"]: each["mountPath"] for each in pod["containers"][0]["volumeMounts"]}
    assert (job["spec"]["priorityClassName"], pod["priorityClassName"], pod["activeDeadlineSeconds"]) == (
        "high",
        "high",
        60,
    )
    assert volumes["shm"]["emptyDir"] == {"medium": "Memory", "sizeLimit": "64Gi"}
    assert (volumes["scratch"]["emptyDir"], mounts["scratch"]) == ({"sizeLimit": "5Gi"}, "/s")
    assert volumes["storage-0"]["csi"]["volumeAttributes"]["containerName"] == "c"
    claims = rendered(job_spec("true", storage=storage), Place(storage_claims=True, code=InClaim("code")))
    volumes = {each["name"]: each for each in claims["spec"]["tasks"][0]["template"]["spec"]["volumes"]}
    assert volumes["storage-0"]["persistentVolumeClaim"] == {"claimName": "data"}
    assert volumes["stored-code"]["persistentVolumeClaim"] == {"claimName": "code", "readOnly": True}


def test_images_and_their_registry() -> None:
    spec = job_spec("true", image="img:1", image_registry="ghcr.io/x/")
    assert [each.image for each in pods_of(spec, options_of(spec))] == ["ghcr.io/x/img:1"]


@pytest.mark.parametrize("text", ["plain", "$HOME", "$(A)", "$$", "$$(A)", "a$", "$$$(A) $(B", "$($(A))"])
def test_values_are_what_they_were_once_kubernetes_has_read_them(text: str) -> None:
    assert expanded(env_text(text), {"A": "filled in", "B": "too"}) == text


def test_the_longest_names_fit() -> None:
    spec = example("tasks")
    spec = spec.model_copy(update={"name": "x" * 29 + "-0000000000"})
    assert max(len(name) for group in pods_of(spec, options_of(spec)) for name in group.names(spec.name)) <= 63
