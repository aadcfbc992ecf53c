"""The web page of a daemon: files of this package, the same for everybody; what they show comes with a token."""

from __future__ import annotations

import hashlib
import os
from functools import cache
from typing import TYPE_CHECKING

from starlette.responses import Response
from starlette.routing import Route

if TYPE_CHECKING:
    from starlette.requests import Request

_KINDS = {
    "html": "text/html; charset=utf-8",
    "css": "text/css; charset=utf-8",
    "js": "text/javascript; charset=utf-8",
    "svg": "image/svg+xml",
}
_FOLDER = os.path.join(os.path.dirname(__file__), "page")

POLICY = (
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; connect-src 'self'; base-uri 'none'; "
    "form-action 'none'; frame-ancestors 'none'; require-trusted-types-for 'script'; trusted-types 'none'"
)

FILES = {
    "/" if name == "index.html" else f"/page/{name}": name
    for name in sorted(os.listdir(_FOLDER))
    if name.rpartition(".")[2] in _KINDS
}
"""The path of each file of the page."""

PUBLIC = frozenset(FILES)
"""Paths that need no token: they are of the program, not of its jobs."""


def page_routes() -> list[Route]:
    """The routes of the page."""
    return [Route(path, _file) for path in FILES]


@cache
def _read(name: str) -> tuple[bytes, str]:
    with open(os.path.join(_FOLDER, name), "rb") as file:
        content = file.read()
    return content, f'"{hashlib.sha256(content).hexdigest()[:32]}"'


async def _file(request: Request) -> Response:
    name = FILES[request.url.path]
    content, tag = _read(name)
    headers = {"cache-control": "no-cache", "etag": tag, "content-security-policy": POLICY}
    if request.headers.get("if-none-match") == tag:
        return Response(status_code=304, headers=headers)
    return Response(content, headers=headers, media_type=_KINDS[name.rpartition(".")[2]])
