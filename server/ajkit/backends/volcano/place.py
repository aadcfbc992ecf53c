"""Where the daemon's settings put things: the namespace, how code gets to the pods, where storage comes from."""

from __future__ import annotations

import re
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ajkit.backends.volcano.blobstore import BlobStore, read_key
from ajkit.shared.problem import UsageError

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping

PART_BYTES = 900 * 1024
MOST_PARTS = 10
_STORE = "/aj/store"
ADDRESS = "address"
"""Where the Secret of a job holds the signed address of its code."""
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
class InBlob:
    """Code in a blob container; pods read it by an address that the daemon signs for them."""

    store: BlobStore

    def volume(self, job: str) -> tuple[dict[str, Any], str]:
        """See `InParts.volume`; the address is a secret."""
        return {"secret": {"secretName": secret_name(job), "items": [{"key": ADDRESS, "path": ADDRESS}]}}, _STORE

    def unpack(self) -> str:
        """See `InParts.unpack`; the address is on no command line."""
        place = f"{_STORE}/{ADDRESS}"
        script = (
            "import shutil, sys, urllib.request as web; "
            "shutil.copyfileobj(web.urlopen(open(sys.argv[1]).read()), sys.stdout.buffer)"
        )
        curl = f'printf \'url = "%s"\' "$(<{place})" | curl -fsSL --retry 5 -K -'
        python = f"python3 -c '{script}' {place}"
        return f"{{ if command -v curl >/dev/null; then {curl}; else {python}; fi; }}"


@dataclass(frozen=True, slots=True)
class Place:
    """The settings of a daemon for this service.

    `code`: how code gets to the pods. `storage_claims`: whether `storage` names PersistentVolumeClaims rather than blob
    containers. `helper_image`: what writes into a claim. `keep_seconds`: how long Kubernetes keeps an ended job.
    """

    code: InParts | InClaim | InBlob = InParts()
    storage_claims: bool = False
    helper_image: str = "busybox:1.36"
    keep_seconds: int = 7 * _DAY


def read_place(environ: Mapping[str, str], read: Callable[[str], str]) -> Place:
    """The settings from the daemon's environment; `read` gives the text of a file, or raises OSError.

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
        code=_code(environ, read),
        storage_claims=storage == "claims",
        helper_image=environ.get("AJ_VOLCANO_HELPER_IMAGE", "") or plain.helper_image,
        keep_seconds=int(keep),
    )


def secret_name(job: str) -> str:
    """The Secret with what the secret references of a job stand for, and the address of its code."""
    return f"{job}-env"


def blob_name(digest: str) -> str:
    """The name of a code archive in a store."""
    return f"{FOLDER}/{digest}.tar.gz"


def part_name(job: str, number: int) -> str:
    """The ConfigMap with one part of a job's code."""
    return f"{job}-code-{number}"


def _code(environ: Mapping[str, str], read: Callable[[str], str]) -> InParts | InClaim | InBlob:
    text = environ.get("AJ_VOLCANO_CODE", "")
    if text in {"", "configmap"}:
        return InParts()
    kind, _, where = text.partition(":")
    if kind == "claim" and re.fullmatch(r"[a-z0-9]([a-z0-9.-]{0,251}[a-z0-9])?", where):
        return InClaim(where)
    if kind == "blob" and re.fullmatch(r"https?://[^/?]+(/[^/?]+){1,2}", where):
        return InBlob(BlobStore(where, _key(environ, read)))
    raise UsageError(
        f"AJ_VOLCANO_CODE={text!r}: write configmap, claim:NAME with a PersistentVolumeClaim, or "
        "blob:https://ACCOUNT.blob.core.windows.net/CONTAINER"
    )


def _key(environ: Mapping[str, str], read: Callable[[str], str]) -> bytes:
    path = environ.get("AJ_BLOB_KEY_FILE", "")
    try:
        key = read_key(read(path) if path else environ.get("AJ_BLOB_KEY", ""))
    except (OSError, ValueError) as error:
        raise UsageError(f"the key of the storage account cannot be read: {error}") from None
    if not key:
        raise UsageError(
            "AJ_VOLCANO_CODE names a blob container: set AJ_BLOB_KEY_FILE to a file with its account's key"
        )
    return key
