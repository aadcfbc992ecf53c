"""HTTP to the daemon: requests, refusals as exceptions, and streams of server-sent events."""

from __future__ import annotations

import contextlib
import http.client
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING
from urllib.parse import urlencode

from pydantic import ValidationError

from ajkit.shared.contract import PROBLEM_TYPE, ProblemDocument
from ajkit.shared.problem import AjError

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from ajkit.client.address import Address

Query = dict[str, str | int | list[str]]


class DaemonRefused(AjError):
    """The daemon said no; `document` is its problem document, `code` its stable code."""

    def __init__(self, document: ProblemDocument) -> None:
        self.document = document
        self.code = document.code
        super().__init__(f"{document.code}: {document.detail}")


class DaemonGone(AjError):
    """The daemon cannot be reached, or went away before it answered."""


@dataclass(frozen=True, slots=True)
class Sent:
    """A server-sent event: its name, its mark (to resume after it), its data."""

    event: str
    mark: str
    data: str


class Wire:
    """Requests to one daemon. Each has a connection of its own, so that a wire can be shared by threads."""

    def __init__(self, address: Address) -> None:
        """`address` is where the daemon listens."""
        self.address = address

    def call(
        self,
        method: str,
        path: str,
        *,
        query: Query | None = None,
        body: bytes | None = None,
        headers: Mapping[str, str] | None = None,
    ) -> bytes:
        """The body of the answer.

        Raises:
            DaemonRefused: it said no.
            DaemonGone: it did not answer; whether it did what was asked is unknown.
        """
        with self._answer(method, path, query, body, dict(headers or {})) as answer:
            return answer.read()

    def send(self, method: str, path: str, content: IO[bytes], size: int) -> bytes:
        """The body of the answer to a file of `size` bytes; raises what `call` does."""
        with self._answer(method, path, None, content, {"Content-Length": str(size)}) as answer:
            return answer.read()

    def stream(self, path: str, *, query: Query | None = None, after: str = "") -> Iterator[Sent]:
        """Server-sent events after a mark, until the daemon ends the stream.

        Raises:
            DaemonRefused: it said no.
            DaemonGone: it went away; resume after the last mark.
        """
        headers = {"Last-Event-ID": after} if after else {}
        with self._answer("GET", path, query, None, headers) as answer:
            yield from _events(answer)

    @contextlib.contextmanager
    def _answer(
        self, method: str, path: str, query: Query | None, body: bytes | IO[bytes] | None, headers: dict[str, str]
    ) -> Iterator[http.client.HTTPResponse]:
        connection = self.address.connection()
        try:
            target = f"{path}?{urlencode(query, doseq=True)}" if query else path
            if isinstance(body, bytes):
                headers["Content-Type"] = "application/json"
            try:
                connection.request(method, target, body, {**self.address.headers, **headers})
            except (BrokenPipeError, ConnectionResetError):
                # A refusal may come before the whole body is taken; it is read below.
                if connection.sock is None:
                    raise
            with connection.getresponse() as answer:
                if answer.status >= 400:
                    raise _refusal(answer)
                yield answer
        except (OSError, http.client.HTTPException) as error:
            reason = getattr(error, "strerror", None) or error
            raise DaemonGone(f"the daemon at {self.address} cannot be reached: {reason}") from error
        finally:
            connection.close()


def _refusal(answer: http.client.HTTPResponse) -> AjError:
    text = answer.read()
    if answer.headers.get_content_type() == PROBLEM_TYPE:
        with contextlib.suppress(ValidationError):
            return DaemonRefused(ProblemDocument.model_validate_json(text))
    return DaemonGone(f"what answers is not the daemon of aj: {answer.status} {answer.reason}")


def _events(lines: Iterable[bytes]) -> Iterator[Sent]:
    fields: dict[str, str] = {}
    for line in lines:
        name, _, value = line.decode().rstrip("\r\n").partition(":")
        if name:
            fields[name] = value.removeprefix(" ")
        elif line.strip() == b"" and "data" in fields:
            yield Sent(fields.get("event", "message"), fields.get("id", ""), fields["data"])
            fields = {}
