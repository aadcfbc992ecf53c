"""How the code of a job gets to its pods: packed once, then into ConfigMaps, a claim or a blob container."""

from __future__ import annotations

import contextlib
import gzip
import os
import posixpath
import shutil
import time
from typing import TYPE_CHECKING

from ajkit.backends.volcano.answers import Absent, Exists
from ajkit.backends.volcano.blobstore import READ_TIME
from ajkit.backends.volcano.cluster import CONFIG_MAP, POD
from ajkit.backends.volcano.manifest import config_map
from ajkit.backends.volcano.place import ADDRESS, MOST_PARTS, PART_BYTES, InBlob, InClaim, blob_name, part_name
from ajkit.shared.job.execution import Rejected, Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable
    from datetime import datetime
    from typing import Any

    from ajkit.backends.volcano.cluster import Cluster
    from ajkit.backends.volcano.place import Place
    from ajkit.shared.job.execution import Snapshot

    Report = Callable[[str], None]

_MIB = 2**20
_PULL_SECONDS = 300.0
_UPLOAD_SECONDS = 1800.0
_MOUNT = "/aj-store"
_STUCK = frozenset({"ErrImagePull", "ImagePullBackOff", "InvalidImageName", "CreateContainerConfigError"})


def packed(code: Snapshot, folder: str) -> str:
    """The path of the code as a compressed archive in the job's folder; the same code gives the same bytes."""
    os.makedirs(folder, mode=0o700, exist_ok=True)
    path = os.path.join(folder, "code.tar.gz")
    with open(code.archive, "rb") as plain, open(path, "wb") as file, _compressor(file) as archive:
        shutil.copyfileobj(plain, archive, _MIB)
    return path


def _compressor(file: Any) -> gzip.GzipFile:
    return gzip.GzipFile(filename="", mode="wb", compresslevel=6, fileobj=file, mtime=0)


def deliver(
    cluster: Cluster,
    place: Place,
    archive: str,
    digest: str,
    *,
    job: str,
    namespace: str,
    labels: dict[str, str],
    now: datetime,
    report: Report,
) -> dict[str, str]:
    """Put the code where the pods of the job look for it; what is there already stays.

    Answers what the Secret of the job has to hold for that.

    Raises:
        Rejected: it is too large for this way, or the cluster or the store does not let us.
        Unavailable: the helper pod does not start, the store does not answer; trying again is safe.
    """
    match place.code:
        case InClaim(claim):
            helper = Helper(cluster, claim, place.helper_image, job=job, namespace=namespace, labels=labels)
            helper.write(archive, digest, report)
        case InBlob(store):
            store.put(blob_name(digest), archive, now, report)
            return {ADDRESS: store.signed(blob_name(digest), "r", now + READ_TIME)}
        case _:
            _in_parts(cluster, archive, job, namespace, labels, report)
    return {}


def _in_parts(cluster: Cluster, archive: str, job: str, namespace: str, labels: dict[str, str], report: Report) -> None:
    size = os.path.getsize(archive)
    if size > PART_BYTES * MOST_PARTS:
        most = PART_BYTES * MOST_PARTS / _MIB
        raise Rejected(
            f"the code is {size / _MIB:.1f} MiB when packed, and ConfigMaps carry {most:.1f} MiB: leave "
            "more out with code.ignore, or let the daemon put it elsewhere "
            "(AJ_VOLCANO_CODE, docs/backends/volcano.md)"
        )
    report(f"sending {-(-size // 1024)} KiB of code")
    with open(archive, "rb") as file:
        for number in range(MOST_PARTS):
            data = file.read(PART_BYTES)
            if not data and number:
                return
            body = config_map(part_name(job, number), labels, namespace, {f"part-{number}": data})
            cluster.put(CONFIG_MAP, body)


class Helper:
    """A pod that has a claim mounted for as long as something is written into it."""

    def __init__(
        self, cluster: Cluster, claim: str, image: str, *, job: str, namespace: str, labels: dict[str, str]
    ) -> None:
        self._cluster = cluster
        self._claim = claim
        self._image = image
        self._name = f"{job}-upload"
        self._namespace = namespace
        self._labels = labels

    def write(self, archive: str, digest: str, report: Report) -> None:
        """Write an archive under its digest unless it is there; see `deliver`."""
        target = f"{_MOUNT}/{blob_name(digest)}"
        report(f"starting a pod that writes into {self._claim}")
        try:
            with contextlib.suppress(Exists):
                self._cluster.create(POD, self._pod())
            self._wait()
            if self._run(f"test -f {target} && echo there || echo missing").strip() == "there":
                report("the code is there already")
                return
            size = os.path.getsize(archive)
            report(f"sending {size / _MIB:.1f} MiB of code")
            part = f"{target}.{self._name}"
            # Renamed only when all of it has come: a job never sees a part of an archive.
            script = (
                f"mkdir -p {posixpath.dirname(target)} && cat >{part} && "
                f'[ "$(wc -c <{part} | tr -d " ")" = {size} ] && mv {part} {target} || {{ rm -f {part}; exit 1; }}'
            )
            self._run(script, archive)
        finally:
            # One that is left over ends by itself.
            with contextlib.suppress(Exception):
                self._cluster.delete(POD, self._name, self._namespace, at_once=True)

    def _run(self, script: str, archive: str | None = None) -> str:
        command = ["sh", "-c", script]
        if archive is None:
            return self._cluster.run(self._name, self._namespace, command, None, _PULL_SECONDS)
        with open(archive, "rb") as file:
            return self._cluster.run(self._name, self._namespace, command, file, _UPLOAD_SECONDS)

    def _wait(self) -> None:
        until = time.monotonic() + _PULL_SECONDS
        while time.monotonic() < until:
            try:
                status = self._cluster.get(POD, self._name, self._namespace).get("status", {})
            except Absent:
                raise Unavailable(f"the pod {self._name} was taken away while it started") from None
            if status.get("phase") == "Running":
                return
            waiting = [each.get("state", {}).get("waiting", {}) for each in status.get("containerStatuses", [])]
            for each in waiting:
                if each.get("reason") in _STUCK:
                    raise Rejected(
                        f"the pod that would write the code into {self._claim} does not start: {each['reason']} "
                        f"({self._image}; set AJ_VOLCANO_HELPER_IMAGE to an image with sh that the cluster can pull)"
                    )
            time.sleep(0.2)
        raise Unavailable(f"the pod {self._name}, which would write the code into {self._claim}, does not start")

    def _pod(self) -> dict[str, Any]:
        volume = {"name": "store", "persistentVolumeClaim": {"claimName": self._claim}}
        resources = {"cpu": "500m", "memory": "256Mi"}
        container = {
            "name": "main",
            "image": self._image,
            "command": ["sleep", "3600"],
            "resources": {"requests": resources, "limits": resources},
            "volumeMounts": [{"name": "store", "mountPath": _MOUNT}],
        }
        return {
            "apiVersion": "v1",
            "kind": "Pod",
            "metadata": {"name": self._name, "namespace": self._namespace, "labels": dict(self._labels)},
            "spec": {
                "restartPolicy": "Never",
                "activeDeadlineSeconds": 3600,
                "terminationGracePeriodSeconds": 0,
                "containers": [container],
                "volumes": [volume],
            },
        }
