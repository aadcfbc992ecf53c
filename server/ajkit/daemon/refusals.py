"""Everything that goes wrong, answered as a problem document with a stable code."""

from __future__ import annotations

import errno
import logging
import sqlite3
from typing import TYPE_CHECKING, Any, cast

from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect
from starlette.responses import Response

from ajkit.shared.contract import PROBLEM_TYPE, ProblemDocument, ProblemShape, problem_document
from ajkit.shared.job.execution import ExecutionError

if TYPE_CHECKING:
    from starlette.requests import Request

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
    # Who has not sent a body in time will not send another request either.
    headers = {"connection": "close"} if document.code == "request.timeout" else None
    return Response(document.model_dump_json(), document.status, headers, PROBLEM_TYPE)


def _refused(_: Request, error: Exception) -> Response:
    return answer(cast("RefusedRequest", error).document)


def _http(request: Request, error: Exception) -> Response:
    failed = cast("HTTPException", error)
    code = {404: "request.path", 405: "request.method"}.get(failed.status_code, "request.invalid")
    return answer(problem_document(code, f"{request.method} {request.url.path}: {failed.detail}"))


def _cut_off(_: Request, __: Exception) -> Response:
    return answer(problem_document("request.malformed", "the body was cut off"))


def _unwritable(_: Request, error: Exception) -> Response:
    return answer(problem_document("disk.unwritable", f"nothing was done: {error}"))


def _disk(request: Request, error: Exception) -> Response:
    if cast("OSError", error).errno not in {errno.ENOSPC, errno.EDQUOT, errno.EROFS, errno.EACCES}:
        return _fault(request, error)
    return answer(problem_document("disk.unwritable", f"nothing was done: {error}"))


def _engine(_: Request, error: Exception) -> Response:
    return answer(problem_document("engine.unavailable", str(error)))


def _fault(request: Request, error: Exception) -> Response:
    log.error("%s %s failed", request.method, request.url.path, exc_info=error)
    return answer(problem_document("daemon.fault", f"{type(error).__name__}: the log of the daemon says more"))


REFUSERS: dict[Any, Any] = {
    RefusedRequest: _refused,
    HTTPException: _http,
    ClientDisconnect: _cut_off,
    sqlite3.OperationalError: _unwritable,
    OSError: _disk,
    ExecutionError: _engine,
    Exception: _fault,
}
"""What answers each kind of exception of the app."""
