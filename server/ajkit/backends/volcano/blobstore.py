"""Azure Blob as a store of code: written by the daemon, read by pods through an address that the daemon signs."""

from __future__ import annotations

import base64
import binascii
import hashlib
import hmac
import logging
import os
from dataclasses import dataclass, field
from datetime import UTC, datetime, timedelta
from typing import TYPE_CHECKING
from urllib.parse import quote, urlsplit

import httpx2

from ajkit.shared.job.execution import Rejected, Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable

VERSION = "2022-11-02"
_BLOCK = 8 * 2**20
_WRITE_TIME = timedelta(hours=2)
READ_TIME = timedelta(days=14)
"""How long a job may wait for its nodes: a pod that starts later finds its code locked away."""


@dataclass(frozen=True, slots=True)
class BlobStore:
    """A blob container by its address (``https://ACCOUNT.blob.core.windows.net/CONTAINER``), and the account's key."""

    address: str
    key: bytes = field(repr=False)

    def signed(self, name: str, permission: str, until: datetime, *, version: str = VERSION) -> str:
        """The address of one blob, good for some permissions (``r``, ``cw``) until a time."""
        secure = "https" if self.address.startswith("https:") else "https,http"
        expiry = until.astimezone(UTC).strftime("%Y-%m-%dT%H:%M:%SZ")
        account, container = _account_and_container(self.address)
        resource = f"/blob/{account}/{container}/{name}"
        fields = [permission, "", expiry, resource, "", "", secure, version, "b", "", "", "", "", "", "", ""]
        digest = hmac.new(self.key, "\n".join(fields).encode(), hashlib.sha256).digest()
        query = {
            "se": expiry,
            "sp": permission,
            "spr": secure,
            "sv": version,
            "sr": "b",
            "sig": base64.b64encode(digest).decode(),
        }
        words = "&".join(f"{field}={quote(value, safe='')}" for field, value in query.items())
        return f"{self.address}/{quote(name)}?{words}"

    def put(self, name: str, path: str, now: datetime, report: Callable[[str], None]) -> None:
        """Upload a file under a name, whole or not at all, unless it is there.

        Raises:
            Rejected: the storage says no.
            Unavailable: it does not answer.
        """
        quiet()
        with httpx2.Client(timeout=httpx2.Timeout(60.0), headers={"x-ms-version": VERSION}) as client:
            there = _ask(client, "HEAD", self.signed(name, "r", now + _WRITE_TIME))
            if there.status_code == 200:
                report("the code is there already")
                return
            report(f"uploading {os.path.getsize(path) / 2**20:.1f} MiB of code")
            address = self.signed(name, "cw", now + _WRITE_TIME)
            blocks: list[str] = []
            with open(path, "rb") as file:
                while data := file.read(_BLOCK):
                    blocks.append(base64.b64encode(f"{len(blocks):08d}".encode()).decode())
                    block = f"{address}&comp=block&blockid={quote(blocks[-1], safe='')}"
                    _done(_ask(client, "PUT", block, data))
            listed = "".join(f"<Latest>{each}</Latest>" for each in blocks)
            body = f'<?xml version="1.0" encoding="utf-8"?><BlockList>{listed}</BlockList>'
            _done(_ask(client, "PUT", f"{address}&comp=blocklist", body.encode()))


def quiet() -> None:
    """Keep the library's own lines out of logs: they hold whole addresses, signatures and all."""
    for name in ("httpx2", "httpcore2"):
        logging.getLogger(name).setLevel(logging.WARNING)


def read_key(text: str) -> bytes:
    """The key of a storage account as Azure shows it.

    Raises:
        ValueError: it is none.
    """
    try:
        return base64.b64decode(text.strip(), validate=True)
    except binascii.Error:
        raise ValueError("the key of a storage account is base64 text") from None


def _account_and_container(address: str) -> tuple[str, str]:
    """Azure has the account in its host name, a server of one's own in its path."""
    parts = urlsplit(address)
    steps = parts.path.strip("/").split("/")
    return (steps[0], steps[1]) if len(steps) > 1 else ((parts.hostname or "").partition(".")[0], steps[0])


def _ask(client: httpx2.Client, method: str, address: str, data: bytes | None = None) -> httpx2.Response:
    try:
        answer = client.request(method, address, content=data)
    except httpx2.HTTPError as error:
        raise Unavailable(f"the store of code does not answer: {str(error) or type(error).__name__}") from None
    if answer.status_code in {429, 500, 503}:
        raise Unavailable(f"the store of code is busy ({answer.status_code})")
    return answer


def _done(answer: httpx2.Response) -> None:
    if not answer.is_success:
        raise Rejected(f"the store does not take the code: {answer.status_code} {answer.reason_phrase}")
