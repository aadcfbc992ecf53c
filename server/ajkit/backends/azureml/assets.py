"""The assets of a job: its environment, its code and its datastores, each made once in a workspace."""

from __future__ import annotations

import os
from functools import partial
from typing import IO, TYPE_CHECKING

from ajkit.backends.azureml.arm import Absent, Arm
from ajkit.backends.azureml.body import ARCHIVE, Asset, code_asset, datastore_of, environment_of, image_of
from ajkit.shared.job.execution import Rejected

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from typing import Any

    from ajkit.backends.azureml.workspace import Workspace
    from ajkit.shared.job.execution import Snapshot
    from ajkit.shared.job.spec import JobSpec

    Json = dict[str, Any]
    Report = Callable[[str], None]

_BLOCK = 8 * 2**20


def ensure_environment(arm: Arm, workspace: Workspace, spec: JobSpec) -> None:
    """Make the environment of the image unless it is there, or the template names one."""
    asset = environment_of(spec)
    if isinstance(asset, Asset):
        body = {"image": image_of(spec), "osType": "Linux", "description": "an image that aj was told to use"}
        _ensure(arm, asset.path(workspace), lambda: {"properties": body})


def ensure_datastores(arm: Arm, workspace: Workspace, spec: JobSpec) -> None:
    """Make a datastore for each blob container that the job mounts; the job's identity opens it."""
    for mount in spec.storage.values():
        body: Json = {
            "datastoreType": "AzureBlob",
            "accountName": mount.storage_account_name,
            "containerName": mount.container_name,
            "credentials": {"credentialsType": "None"},
        }
        _ensure(arm, f"{workspace.path}/datastores/{datastore_of(mount)}", partial(dict, properties=body))


def ensure_code(arm: Arm, workspace: Workspace, code: Snapshot, report: Report) -> None:
    """Upload the code of a job unless this workspace has it.

    Raises:
        Rejected: Azure does not say where to.
    """
    asset = code_asset(code.digest)

    def body() -> Json:
        size = os.path.getsize(code.archive)
        wanted = {"pendingUploadType": "TemporaryBlobReference"}
        answer = arm.post(f"{asset.path(workspace)}/startPendingUpload", wanted)
        try:
            place = answer["blobReferenceForConsumption"]
            where, signed = place["blobUri"], place["credential"]["sasUri"]
        except (KeyError, TypeError):
            raise Rejected("Azure ML does not say where to upload the code to") from None
        report(f"uploading {size / 2**20:.1f} MiB of code")
        container, _, signature = signed.partition("?")
        with open(code.archive, "rb") as file:
            arm.write(f"{container}/{asset.name}/{ARCHIVE}?{signature}", _blocks(file), size)
        return {"properties": {"codeUri": f"{where}/{asset.name}", "description": "a code folder that aj uploaded"}}

    _ensure(arm, asset.path(workspace), body)


def _ensure(arm: Arm, path: str, body: Callable[[], Json]) -> None:
    """Make something that never changes once it is there."""
    try:
        arm.get(path)
    except Absent:
        arm.put(path, body())


def _blocks(file: IO[bytes]) -> Iterator[bytes]:
    while block := file.read(_BLOCK):
        yield block
