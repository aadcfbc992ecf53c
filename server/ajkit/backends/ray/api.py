"""Ray's Jobs API over HTTP: what it answers, and whether what was asked may have been done."""

from __future__ import annotations

import http.client
import json
import ssl
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING, Any
from urllib.parse import quote, urlsplit

from ajkit.shared.job.execution import OutcomeUnknown, Unavailable

if TYPE_CHECKING:
    from collections.abc import Mapping

_SECONDS, _UPLOAD_SECONDS = 20.0, 600.0
_SHOWN = 400


@dataclass(frozen=True, slots=True)
class Answer:
    """What the API said: an HTTP status and a text."""

    status: int
    text: str

    @property
    def reason(self) -> str:
        """Why it said no: the last line, which of a Python traceback is the error."""
        lines = [each for each in self.text.strip().splitlines() if each.strip()]
        return (lines[-1] if lines else f"HTTP {self.status}")[:_SHOWN]


@dataclass(frozen=True, slots=True)
class Api:
    """The Jobs API at an address (``http://head:8265``)."""

    address: str
    headers: Mapping[str, str]

    def job(self, job_id: str) -> dict[str, Any] | None:
        """All that is known of a job; None where there is no such job.

        Raises:
            Unavailable: the cluster cannot be asked.
        """
        return self._found(f"/api/jobs/{quote(job_id)}")

    def logs(self, job_id: str) -> str:
        """All that the driver of a job has printed.

        Raises:
            Unavailable: the cluster cannot be asked.
        """
        found = self._found(f"/api/jobs/{quote(job_id)}/logs")
        return "" if found is None else str(found.get("logs") or "")

    def submit(self, body: Mapping[str, Any]) -> Answer:
        """Ask for a job.

        Raises:
            Unavailable: it was certainly not taken.
            OutcomeUnknown: it may have been taken.
        """
        return self._ask("POST", "/api/jobs/", json.dumps(body).encode(), {"Content-Type": "application/json"})

    def stop(self, job_id: str) -> None:
        """Ask for the end of a job. That this is answered well says nothing: only its status tells.

        Raises:
            Unavailable: the cluster cannot be asked.
        """
        said = self._look("POST", f"/api/jobs/{quote(job_id)}/stop")
        if said.status not in {200, 404}:
            raise Unavailable(f"{self.address} does not stop the job: {said.reason}")

    def has_package(self, name: str) -> bool:
        """Whether the cluster has a package; it is kept for ten minutes from now on, used or not.

        Raises:
            Unavailable: the cluster cannot be asked.
        """
        said = self._look("GET", f"/api/packages/gcs/{quote(name)}")
        if said.status not in {200, 404}:
            raise Unavailable(f"{self.address} cannot say which packages it has: {said.reason}")
        return said.status == 200

    def put_package(self, name: str, content: IO[bytes]) -> None:
        """Upload a package; doing it twice changes nothing.

        Raises:
            Unavailable: it is not there.
        """
        try:
            said = self._ask("PUT", f"/api/packages/gcs/{quote(name)}", content, {}, _UPLOAD_SECONDS)
        except OutcomeUnknown as error:
            raise Unavailable(str(error)) from None
        if said.status != 200:
            raise Unavailable(f"{self.address} does not take the code: {said.reason}")

    def _found(self, path: str) -> dict[str, Any] | None:
        said = self._look("GET", path)
        if said.status == 404:
            return None
        try:
            found = json.loads(said.text)
        except ValueError:
            found = None
        if said.status != 200 or not isinstance(found, dict):
            raise Unavailable(f"{self.address} answers {said.status}: {said.reason}")
        return found

    def _look(self, method: str, path: str) -> Answer:
        """Ask what can be asked again at any time."""
        try:
            return self._ask(method, path, None, {})
        except OutcomeUnknown as error:
            raise Unavailable(str(error)) from None

    def _ask(
        self,
        method: str,
        path: str,
        body: bytes | IO[bytes] | None,
        headers: Mapping[str, str],
        seconds: float = _SECONDS,
    ) -> Answer:
        place = urlsplit(self.address)
        secure = place.scheme == "https"
        made = (
            http.client.HTTPSConnection(place.netloc, timeout=seconds, context=ssl.create_default_context())
            if secure
            else http.client.HTTPConnection(place.netloc, timeout=seconds)
        )
        try:
            try:
                made.connect()
            except (OSError, http.client.HTTPException) as error:
                raise Unavailable(f"{self.address} cannot be reached: {error}") from None
            try:
                made.request(method, place.path.rstrip("/") + path, body, {**self.headers, **headers})
                said = made.getresponse()
                return Answer(said.status, said.read().decode("utf-8", "replace"))
            except (OSError, http.client.HTTPException) as error:
                what = str(error) or type(error).__name__
                raise OutcomeUnknown(f"{self.address} took a request and did not answer it: {what}") from None
        finally:
            made.close()
