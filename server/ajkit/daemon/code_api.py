"""The paths of code: whether an archive is here, and taking one."""

from __future__ import annotations

import asyncio

from ajkit.daemon.archive import UnsafeArchive
from ajkit.daemon.refusals import RefusedRequest
from ajkit.daemon.routes import Answer, Call, Headers, Nothing, Path
from ajkit.daemon.store import TooLarge, WrongDigest
from ajkit.shared.contract import CodeInfo, code_path

_Plain = Call[Nothing, Headers, Nothing]


async def find_code(call: _Plain) -> CodeInfo:
    """Whether the archive of a digest is here."""
    digest = call.place("digest")
    size = call.parts.store.size_of(digest)
    if size is None:
        raise RefusedRequest("code.unsent", f"there is no code {digest} here")
    return CodeInfo(digest=digest, size=size)


async def take_code(call: _Plain) -> CodeInfo | Answer:
    """Take the archive of a code folder: a tar whose SHA-256 is the digest. It is checked before it is kept."""
    digest, store = call.place("digest"), call.parts.store
    known = store.size_of(digest)
    if known is not None:
        async for _ in call.request.stream():
            continue
        return Answer(CodeInfo(digest=digest, size=known), 200)
    with store.receive() as incoming:
        try:
            async for data in call.request.stream():
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


_PLACES = {"digest": "^[0-9a-f]{64}$"}

PATHS = (
    Path("GET", code_path("{digest}"), find_code, CodeInfo, places=_PLACES),
    Path("PUT", code_path("{digest}"), take_code, CodeInfo, status=201, takes="application/x-tar", places=_PLACES),
)
