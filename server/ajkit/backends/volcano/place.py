"""Where the daemon's settings put things: the namespace, how code gets to the pods, where storage comes from."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ajkit.shared.problem import UsageError

if TYPE_CHECKING:
    from collections.abc import Mapping

PART_BYTES = 900 * 1024
MOST_PARTS = 10
_STORE = "/aj/store"
FOLDER = "aj-code"
_DAY = 86400


@dataclass(frozen=True, slots=True)
class InParts:
    """Code in ConfigMaps of the job, each below the megabyte that one may hold: needs nothing but the cluster."""

    def volume(self, job: str) -> tuple[dict[str, Any], str]:
        """The volume with the stored code, and where a pod sees it."""
        parts = [{"configMap": {"name": part_name(job, number), "optional": True}} for number in range(MOST_PARTS)]
        return {"projected": {"sources": parts}}, _STORE

    def unpack(self) -> str:
        """The shell command that writes the archive to its output."""
        return f"cat {_STORE}/part-*"


@dataclass(frozen=True, slots=True)
class InClaim:
    """Code in a PersistentVolumeClaim that pods of all nodes can mount, written through a helper pod."""

    claim: str

    def volume(self, job: str) -> tuple[dict[str, Any], str]:  # noqa: ARG002 - one claim for all jobs
        """See `InParts.volume`."""
        return {"persistentVolumeClaim": {"claimName": self.claim, "readOnly": True}}, _STORE

    def unpack(self) -> str:
        """See `InParts.unpack`."""
        return f'cat "{_STORE}/{FOLDER}/$(<"$aj/code").tar.gz"'


@dataclass(frozen=True, slots=True)
class Place:
    """The settings of a daemon for this service.

    `code`: how code gets to the pods. `storage_claims`: whether `storage` names PersistentVolumeClaims rather than blob
    containers. `helper_image`: what writes into a claim. `keep_seconds`: how long Kubernetes keeps an ended job.
    """

    code: InParts | InClaim = InParts()
    storage_claims: bool = False
    helper_image: str = "busybox:1.36"
    keep_seconds: int = 7 * _DAY


def read_place(environ: Mapping[str, str]) -> Place:
    """The settings from the daemon's environment.

    Raises:
        UsageError: a variable that says nothing that can be done.
    """
    plain = Place()
    keep = environ.get("AJ_VOLCANO_KEEP_SECONDS", "") or str(plain.keep_seconds)
    if not keep.isdecimal():
        raise UsageError(f"AJ_VOLCANO_KEEP_SECONDS={keep!r} is not a number of seconds")
    storage = environ.get("AJ_VOLCANO_STORAGE", "") or "blob"
    if storage not in {"blob", "claims"}:
        raise UsageError(f"AJ_VOLCANO_STORAGE={storage!r} is neither blob nor claims")
    return Place(
        code=_code(environ.get("AJ_VOLCANO_CODE", "")),
        storage_claims=storage == "claims",
        helper_image=environ.get("AJ_VOLCANO_HELPER_IMAGE", "") or plain.helper_image,
        keep_seconds=int(keep),
    )


def part_name(job: str, number: int) -> str:
    """The ConfigMap with one part of a job's code."""
    return f"{job}-code-{number}"


def _code(text: str) -> InParts | InClaim:
    if text in {"", "configmap"}:
        return InParts()
    kind, _, claim = text.partition(":")
    if kind != "claim" or not re.fullmatch(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?", claim):
        raise UsageError(f"AJ_VOLCANO_CODE={text!r}: write configmap, or claim:NAME with a PersistentVolumeClaim")
    return InClaim(claim)
