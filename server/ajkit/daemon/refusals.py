"""Everything that goes wrong, answered as a problem document with a stable code."""

from __future__ import annotations

import logging
import sqlite3
from typing import TYPE_CHECKING

from fastapi.exceptions import RequestValidationError
from fastapi.responses import Response
from starlette.exceptions import HTTPException

from ajkit.shared.contract import PROBLEM_TYPE, ProblemDocument, ProblemShape, problem_document
from ajkit.shared.job.execution import ExecutionError
from ajkit.shared.where import format_keypath

if TYPE_CHECKING:
    from fastapi import FastAPI, Request

log = logging.getLogger(__name__)


class RefusedRequest(HTTPException):
    """A request that is answered by a problem document."""

    def __init__(
        self, code: str, detail: str, *, problems: list[ProblemShape] | None = None, job_id: str | None = None
    ) -> None:
        self.document = problem_document(code, detail, problems=problems, job_id=job_id)
        super().__init__(self.document.status, detail)


def answer(document: ProblemDocument) -> Response:
    """A problem document as a response."""
    return Response(document.model_dump_json(), status_code=document.status, media_type=PROBLEM_TYPE)


def said_of_fields(error: RequestValidationError) -> list[ProblemShape]:
    """What is wrong with a request, one problem for each field; values are not repeated, they may be secret."""
    return [
        ProblemShape(
            path=None,
            code="request.invalid",
            severity="error",
            message=f"{format_keypath(each['loc'][1:]) or each['loc'][0]}: {each['msg']}",
            range=None,
        )
        for each in error.errors()
    ]


def add_refusals(app: FastAPI) -> None:
    """Answer every exception of the app as a problem document."""

    @app.exception_handler(RefusedRequest)
    async def refused(_: Request, error: RefusedRequest) -> Response:
        return answer(error.document)

    @app.exception_handler(RequestValidationError)
    async def invalid(_: Request, error: RequestValidationError) -> Response:
        problems = said_of_fields(error)
        detail = "; ".join(each.message for each in problems[:3]) + ("; …" if len(problems) > 3 else "")
        return answer(problem_document("request.invalid", detail, problems=problems))

    @app.exception_handler(HTTPException)
    async def http(request: Request, error: HTTPException) -> Response:
        codes = {404: "request.path", 405: "request.method"}
        code = codes.get(error.status_code, "request.invalid")
        return answer(problem_document(code, f"{request.method} {request.url.path}: {error.detail}"))

    @app.exception_handler(sqlite3.OperationalError)
    async def unwritable(_: Request, error: sqlite3.OperationalError) -> Response:
        return answer(problem_document("journal.unwritable", f"nothing was done: {error}"))

    @app.exception_handler(ExecutionError)
    async def engine(_: Request, error: ExecutionError) -> Response:
        return answer(problem_document("engine.unavailable", str(error)))

    @app.exception_handler(Exception)
    async def fault(request: Request, error: Exception) -> Response:
        log.error("%s %s failed", request.method, request.url.path, exc_info=error)
        return answer(problem_document("daemon.fault", f"{type(error).__name__}: the log of the daemon says more"))
