"""The HTTP face of the daemon: every path, every refusal, and the page that describes them."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

from starlette.applications import Starlette
from starlette.responses import HTMLResponse, JSONResponse
from starlette.routing import Route

from ajkit.daemon import about_api, code_api, follow_api, jobs_api
from ajkit.daemon.refusals import REFUSERS
from ajkit.daemon.routes import Path, route
from ajkit.daemon.web import page_routes

if TYPE_CHECKING:
    from starlette.requests import Request
    from starlette.responses import Response

    from ajkit.daemon.parts import Parts

PATHS: tuple[Path[Any, Any, Any], ...] = (*about_api.PATHS, *jobs_api.PATHS, *follow_api.PATHS, *code_api.PATHS)


def make_app(parts: Parts) -> Starlette:
    """The app over the parts of a daemon; its description is at ``/openapi.json``, a page to read at ``/docs``."""
    described = [Route("/openapi.json", _document), Route("/docs", _page)]
    routes = [*(route(each, parts) for each in PATHS), *described, *page_routes()]
    app = Starlette(routes=routes, exception_handlers=REFUSERS)
    app.router.redirect_slashes = False
    return app


async def _document(_: Request) -> Response:
    # Late: nobody needs the schemas while jobs run.
    from ajkit.daemon.openapi import openapi_document  # noqa: PLC0415

    return JSONResponse(openapi_document(PATHS))


async def _page(_: Request) -> Response:
    from ajkit.daemon.openapi import openapi_page  # noqa: PLC0415

    policy = "default-src 'none'; style-src 'unsafe-inline'; frame-ancestors 'none'; base-uri 'none'"
    return HTMLResponse(openapi_page(PATHS), headers={"content-security-policy": policy})
