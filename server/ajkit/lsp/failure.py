"""The error answer to a request: a code and words for the person."""

from __future__ import annotations

from typing import Any

PARSE_ERROR, INVALID_REQUEST, METHOD_NOT_FOUND, INVALID_PARAMS, INTERNAL_ERROR = -32700, -32600, -32601, -32602, -32603
NOT_INITIALIZED, REQUEST_CANCELLED, CONTENT_MODIFIED, SERVER_CANCELLED, REQUEST_FAILED = (
    -32002,
    -32800,
    -32801,
    -32802,
    -32803,
)


class RequestFailed(Exception):
    """A request that cannot be answered; `str()` is shown to the person."""

    def __init__(self, message: str, code: int = REQUEST_FAILED, data: Any = None) -> None:
        super().__init__(message)
        self.code = code
        self.data = data
