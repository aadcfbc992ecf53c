"""Azure's management API over HTTP: tokens that expire, throttling, and answers that get lost."""

from __future__ import annotations

import logging
import threading
from email.utils import parsedate_to_datetime
from typing import TYPE_CHECKING, Any

import httpx
from azure.core.exceptions import AzureError
from azure.identity import DefaultAzureCredential

from ajkit.shared.job.execution import OutcomeUnknown, Rejected, Unavailable

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    Json = dict[str, Any]

API = "2025-12-01"
_SCOPE = "https://management.azure.com/.default"
_EARLY_SECONDS = 120.0
_TRIES = 4
_LONGEST_WAIT = 30.0
_FIRST_WAIT = 0.5
_BUSY = frozenset({408, 500, 502, 503, 504})
_NOT_SENT = (httpx.ConnectError, httpx.ConnectTimeout, httpx.PoolTimeout)


class Absent(Exception):
    """There is no such resource."""


class Arm:
    """What is asked of Azure. Blocks; may be used by several threads."""

    def __init__(self, endpoint: str, now: Callable[[], float], sleep: Callable[[float], None]) -> None:
        """`now` gives the seconds since 1970; `sleep` waits."""
        # Its lines hold whole addresses, and with them the signatures of storage.
        for name in ("httpx", "httpcore", "azure"):
            logging.getLogger(name).setLevel(logging.WARNING)
        self._endpoint = endpoint
        self._now = now
        self._sleep = sleep
        self._http = httpx.Client(timeout=httpx.Timeout(30.0, connect=10.0))
        self._credential = DefaultAzureCredential()
        self._lock = threading.Lock()
        self._token = ""
        self._expires = 0.0

    def close(self) -> None:
        """Let go of all connections."""
        self._http.close()
        self._credential.close()

    def get(self, path: str, api: str = API) -> Json:
        """A resource by its id, or the answer of an absolute address.

        Raises:
            Absent: there is none.
            Rejected: one may not see it.
            Unavailable: Azure cannot be asked.
        """
        found: Json = self._ask("GET", path, api, None).json()
        return found

    def list(self, path: str, api: str = API) -> Iterator[Json]:
        """The resources of a collection, page by page."""
        following: str | None = path
        while following:
            page = self.get(following, api)
            yield from page.get("value", [])
            following = page.get("nextLink")

    def put(self, path: str, body: Json) -> Json:
        """Make a resource, or change it: asking again does the same.

        Raises:
            Rejected: Azure says no.
            Unavailable: it was certainly not done.
            OutcomeUnknown: perhaps it was.
        """
        made: Json = self._ask("PUT", path, API, body).json()
        return made

    def post(self, path: str, body: Json | None = None) -> Json:
        """Call an action of a resource; see `put`."""
        answer = self._ask("POST", path, API, body)
        said: Json = answer.json() if answer.content else {}
        return said

    def read(self, address: str, offset: int, limit: int) -> bytes:
        """Some bytes of a blob by an address that carries its own permission; none beyond its end.

        Raises:
            Absent: there is none.
            Rejected: the permission has expired.
            Unavailable: it cannot be read.
        """
        headers = {"x-ms-range": f"bytes={offset}-{offset + limit - 1}"}
        try:
            answer = self._http.get(address, headers=headers)
        except httpx.HTTPError as error:
            raise Unavailable(f"a log cannot be read: {_words(error)}") from None
        match answer.status_code:
            case 200 | 206:
                # Storage that ignores the range answers all of it.
                return answer.content if answer.status_code == 206 else answer.content[offset : offset + limit]
            case 416:
                return b""
            case 404:
                raise Absent(address.partition("?")[0])
            case 403:
                raise Rejected("the permission to read a log has expired")
            case code:
                raise Unavailable(f"a log cannot be read: {code}")

    def write(self, address: str, content: Iterator[bytes], size: int) -> None:
        """Write a blob by an address that carries its own permission, in blocks, whole or not at all.

        Raises:
            Rejected: the storage says no.
            Unavailable: it cannot be written.
        """
        names = []
        for number, block in enumerate(content):
            names.append(f"{number:08d}".encode().hex())
            self._store(f"{address}&comp=block&blockid={names[-1]}", block)
        listed = "".join(f"<Latest>{each}</Latest>" for each in names)
        body = f'<?xml version="1.0" encoding="utf-8"?><BlockList>{listed}</BlockList>'
        self._store(f"{address}&comp=blocklist", body.encode(), {"x-ms-meta-size": str(size)})

    def _store(self, address: str, data: bytes, headers: dict[str, str] | None = None) -> None:
        for tried in range(1, _TRIES + 1):
            try:
                answer = self._http.put(
                    address, content=data, headers={"x-ms-version": "2022-11-02", **(headers or {})}
                )
            except httpx.HTTPError as error:
                if tried == _TRIES:
                    raise Unavailable(f"the code cannot be uploaded: {_words(error)}") from None
            else:
                if answer.is_success:
                    return
                if answer.status_code not in (_BUSY | {429}):
                    raise Rejected(f"the storage does not take the code: {answer.status_code} {_reason(answer)}")
                if tried == _TRIES:
                    raise Unavailable(f"the code cannot be uploaded: {answer.status_code} {_reason(answer)}")
            self._sleep(_FIRST_WAIT * 2**tried)

    def _ask(self, method: str, path: str, api: str, body: Json | None) -> httpx.Response:
        """One answer, after as many tries as are safe: a refusal to listen may be tried again, a lost answer not."""
        changes = method != "GET"
        address = path if "://" in path else f"{self._endpoint}{path}"
        query = {} if "api-version=" in address or "://" in path else {"api-version": api}
        fresh = False
        for tried in range(1, _TRIES + 1):
            headers = {"Authorization": f"Bearer {self._bearer(fresh=fresh)}"}
            try:
                answer = self._http.request(method, address, params=query or None, json=body, headers=headers)
            except _NOT_SENT as error:
                raise Unavailable(f"Azure does not answer: {_words(error)}") from None
            except httpx.HTTPError as error:
                if changes:
                    raise OutcomeUnknown(f"the answer of Azure was lost: {_words(error)}") from None
                if tried == _TRIES:
                    raise Unavailable(f"Azure does not answer: {_words(error)}") from None
                wait = _FIRST_WAIT * 2**tried
            else:
                if answer.is_success:
                    return answer
                wait = self._after(answer, changes=changes, fresh=fresh)
                fresh = answer.status_code == 401
                if tried == _TRIES:
                    raise Unavailable(f"Azure answered {answer.status_code}: {_reason(answer)}")
            self._sleep(wait)
        raise Unavailable("Azure does not answer")

    def _after(self, answer: httpx.Response, *, changes: bool, fresh: bool) -> float:
        """The seconds after which to ask again, where that is safe; raises what the answer means where it is not."""
        code, reason = answer.status_code, _reason(answer)
        if code == 404:
            raise Absent(reason)
        if code == 401 and not fresh:
            return 0.0
        if code == 401:
            raise Unavailable(f"Azure does not accept who asks: {reason} (sign in again, e.g. az login)")
        if code == 429 or (code in _BUSY and not changes):
            wait = _retry_after(answer, self._now())
            if wait > _LONGEST_WAIT:
                raise Unavailable(f"Azure asks to be left alone for {wait:.0f} seconds")
            return wait
        if code in _BUSY:
            raise OutcomeUnknown(f"Azure answered {code}: {reason}")
        raise Rejected(f"Azure answered {code}: {reason}")

    def _bearer(self, *, fresh: bool) -> str:
        """A token that holds for a while yet; a new one where the last was not accepted."""
        with self._lock:
            if fresh or self._now() > self._expires - _EARLY_SECONDS:
                try:
                    got = self._credential.get_token(_SCOPE)
                except AzureError as error:
                    first = str(error).strip().split("\n")[0]
                    raise Unavailable(f"nobody is signed in to Azure here: {first} (az login)") from None
                self._token, self._expires = got.token, float(got.expires_on)
            return self._token


def _retry_after(answer: httpx.Response, now: float) -> float:
    """The seconds that an answer asks to wait."""
    text = answer.headers.get("Retry-After", "")
    if text.isdecimal():
        return float(text)
    try:
        return max(0.0, parsedate_to_datetime(text).timestamp() - now)
    except ValueError:
        return 2.0


def _reason(answer: httpx.Response) -> str:
    """What an answer says is wrong."""
    try:
        error = answer.json()["error"]
        details = [each.get("message", "") for each in error.get("details") or []]
        return "; ".join(each for each in (error.get("message", ""), *details) if each)[:1000] or error["code"]
    except (ValueError, KeyError, TypeError, AttributeError):
        return answer.text[:300].strip() or answer.reason_phrase


def _words(error: httpx.HTTPError) -> str:
    return str(error) or type(error).__name__
