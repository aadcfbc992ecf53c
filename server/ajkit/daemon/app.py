"""The HTTP face of the daemon: every path, every refusal, and the page that describes them."""

from __future__ import annotations

from typing import TYPE_CHECKING

from fastapi import FastAPI

from ajkit import __version__
from ajkit.daemon import about_api, code_api, follow_api, jobs_api
from ajkit.daemon.refusals import add_refusals

if TYPE_CHECKING:
    from ajkit.daemon.parts import Parts


def make_app(parts: Parts) -> FastAPI:
    """The app over the parts of a daemon; its OpenAPI page is at ``/docs``, the document at ``/openapi.json``."""
    app = FastAPI(title="aj submission daemon", version=__version__, redoc_url=None)
    app.state.parts = parts
    for each in (about_api, code_api, jobs_api, follow_api):
        app.include_router(each.router)
    add_refusals(app)
    return app
