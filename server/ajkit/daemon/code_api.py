"""The paths of code: whether an archive is here, and taking one."""

from __future__ import annotations

import asyncio

from fastapi import APIRouter, Request, Response

from ajkit.daemon.archive import UnsafeArchive
from ajkit.daemon.parts import parts_of
from ajkit.daemon.refusals import RefusedRequest
from ajkit.daemon.store import TooLarge, WrongDigest
from ajkit.shared.contract import CodeInfo, Digest, ProblemDocument, code_path

router = APIRouter(responses={"default": {"model": ProblemDocument, "description": "Refused, and why"}})

_ARCHIVE_BODY = {
    "requestBody": {
        "required": True,
        "content": {"application/x-tar": {"schema": {"type": "string", "format": "binary"}}},
    }
}


@router.get(code_path("{digest}"))
async def find(request: Request, digest: Digest) -> CodeInfo:
    """Whether the archive of a digest is here."""
    size = parts_of(request).store.size_of(digest)
    if size is None:
        raise RefusedRequest("code.unsent", f"there is no code {digest} here")
    return CodeInfo(digest=digest, size=size)


@router.put(code_path("{digest}"), status_code=201, openapi_extra=_ARCHIVE_BODY)
async def take(request: Request, response: Response, digest: Digest) -> CodeInfo:
    """Take the archive of a code folder: a tar whose SHA-256 is the digest. It is checked before it is kept."""
    store = parts_of(request).store
    known = store.size_of(digest)
    if known is not None:
        response.status_code = 200
        async for _ in request.stream():
            continue
        return CodeInfo(digest=digest, size=known)
    with store.receive() as incoming:
        try:
            async for data in request.stream():
                await asyncio.to_thread(incoming.write, data)
            size = await asyncio.to_thread(incoming.keep, digest)
        except TooLarge:
            raise RefusedRequest(
                "code.too-large", f"at most {store.size} bytes in {store.entries} entries are taken (AJ_CODE_MAX_MIB)"
            ) from None
        except WrongDigest as error:
            raise RefusedRequest("code.digest", f"what came has the digest {error.got}, not {digest}") from None
        except UnsafeArchive as error:
            raise RefusedRequest("code.unsafe", str(error)) from None
    return CodeInfo(digest=digest, size=size)
