"""What the answers of an API server mean here, and what it means when there is none."""

from __future__ import annotations

import contextlib
import re
from dataclasses import dataclass
from typing import TYPE_CHECKING

import httpx2
from httpx2.websockets import HTTPXWSException, WebSocketUpgradeError
from lightkube.core.exceptions import ApiError, ConfigError

from ajkit.shared.job.execution import OutcomeUnknown, Rejected, Unavailable

if TYPE_CHECKING:
    from collections.abc import Iterator

_NOT_SENT = (httpx2.ConnectError, httpx2.ConnectTimeout, httpx2.PoolTimeout, httpx2.UnsupportedProtocol)
_NOT_PROCESSED = re.compile(r"failed calling webhook|too many requests", re.IGNORECASE)
_UNCLEAR = frozenset({500, 502, 503, 504})
_NO_DRY_RUN = "does not support dry run"
_MOST_TEXT = 500
_NO_ANSWER = (KeyError, ValueError, TypeError, AttributeError)
"""What the library raises where an error is not written as Kubernetes writes errors."""


class Absent(Exception):
    """There is no such object."""


class Exists(Exception):
    """There is an object of this name already."""


class Forbidden(Rejected):
    """One may not do this here."""


class NoDryRun(Rejected):
    """What watches over the cluster cannot be asked without doing it."""


class NoSuchKind(Unavailable):
    """The API server has no such objects at all: they are not installed, or it is starting."""


class NodeSilent(Unavailable):
    """The API server answers, but the node that a pod is on does not answer it."""


@dataclass(frozen=True, slots=True)
class _Refusal:
    """An answer that is no success. `reason` is Kubernetes' own word; `named`: it tells of one object by its name."""

    code: int
    text: str
    reason: str = ""
    named: bool = False

    def meaning(self) -> Exception:
        """What the answer means where it certainly changed nothing."""
        match self.code:
            case 404:
                return Absent(self.text) if self.named else NoSuchKind(f"the cluster has nothing there: {self.text}")
            case 409 if self.reason != "Conflict":
                return Exists(self.text)
            case 401:
                return Unavailable(f"the cluster does not know who asks: {self.text or 'unauthorized'}")
            case 403:
                return Forbidden(self.text)
            case 400 if _NO_DRY_RUN in self.text:
                return NoDryRun(self.text)
            case 400 | 405 | 413 | 415 | 422:
                return Rejected(self.text)
            case _:
                return Unavailable(f"the cluster answered {self.code}: {self.text}")

    def is_unclear(self) -> bool:
        """Whether something may have been changed all the same."""
        return self.code in _UNCLEAR and not _NOT_PROCESSED.search(self.text)


def refused(response: httpx2.Response) -> Exception:
    """What a refusal means that certainly changed nothing."""
    return _read(response).meaning()


@contextlib.contextmanager
def reading() -> Iterator[None]:
    """Calls that change nothing."""
    try:
        yield
    except httpx2.HTTPStatusError as error:
        raise _told(error).meaning() from None
    except httpx2.HTTPError as error:
        raise Unavailable(f"the cluster does not answer: {_words(error)}") from None
    except (ConfigError, OSError, *_NO_ANSWER) as error:
        if (under := _behind(error)) is not None:
            raise _told(under).meaning() from None
        raise _no_way(error) from None


@contextlib.contextmanager
def writing() -> Iterator[None]:
    """Calls that may have changed something although no answer came."""
    try:
        yield
    except httpx2.HTTPStatusError as error:
        raise _of_change(_told(error)) from None
    except _NOT_SENT as error:
        raise Unavailable(f"the cluster does not answer: {_words(error)}") from None
    except httpx2.HTTPError as error:
        raise OutcomeUnknown(f"the answer of the cluster was lost: {_words(error)}") from None
    except _NO_ANSWER as error:
        if (under := _behind(error)) is not None:
            raise _of_change(_told(under)) from None
        raise OutcomeUnknown(f"the cluster gave an answer that is none: {error!r}") from None
    except (ConfigError, OSError) as error:
        # Whoever asks could not be told to the cluster, so that nothing was sent.
        raise _no_way(error) from None


@contextlib.contextmanager
def talking() -> Iterator[None]:
    """A websocket, which the cluster may refuse to open or close early."""
    try:
        yield
    except WebSocketUpgradeError as error:
        code = error.response.status_code
        raise _Refusal(code, f"no command can be run in a pod here (pods/exec: {code})", named=True).meaning() from None
    except HTTPXWSException as error:
        raise Unavailable(f"the connection to a pod broke: {type(error).__name__} {error}") from None


def _read(response: httpx2.Response) -> _Refusal:
    code, text = response.status_code, response.text[:_MOST_TEXT].strip()
    try:
        said = response.json()
    except ValueError:
        said = None
    if not isinstance(said, dict) or said.get("kind") != "Status":
        return _Refusal(code, text)
    details = said.get("details") or {}
    return _Refusal(code, said.get("message") or text, said.get("reason") or "", bool(details.get("name")))


def _told(error: httpx2.HTTPStatusError) -> _Refusal:
    # Through a websocket the library has the error alone; there a code may be missing.
    response: httpx2.Response | None = error.response
    if response is None and isinstance(error, ApiError):
        return _Refusal(int(error.status.code or 400), str(error), named=True)
    return _read(error.response)


def _of_change(refusal: _Refusal) -> Exception:
    if refusal.is_unclear():
        return OutcomeUnknown(f"the cluster answered {refusal.code}: {refusal.text}")
    return refusal.meaning()


def _behind(error: BaseException) -> httpx2.HTTPStatusError | None:
    """The refusal over which the library stumbled."""
    under = error.__context__
    while under is not None:
        if isinstance(under, httpx2.HTTPStatusError):
            return under
        under = under.__context__
    return None


def _no_way(error: Exception) -> Unavailable:
    said = f"{error.args[0]} is not set or not there" if isinstance(error, KeyError) and error.args else str(error)
    return Unavailable(f"no Kubernetes cluster can be asked from here: {said}")


def _words(error: httpx2.HTTPError) -> str:
    """What an exception says; some say nothing but their name."""
    return str(error) or type(error).__name__
