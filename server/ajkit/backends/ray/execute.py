"""Runs jobs on a Ray cluster through its Jobs API: a driver inside the cluster starts the processes on their nodes."""

from __future__ import annotations

import json
import os
import threading
import time
from typing import TYPE_CHECKING, Any

from pydantic import ValidationError

from ajkit.backends.ray import driver, node, package, record
from ajkit.backends.ray.api import Api
from ajkit.backends.ray.describe import RayOpts
from ajkit.shared.job.execution import (
    JobState,
    LogChunk,
    LogStream,
    OutcomeUnknown,
    Rejected,
    Rendered,
    Status,
    Unavailable,
    UnclearRefusal,
)
from ajkit.shared.job.secretrefs import missing_secrets, resolved, shown
from ajkit.shared.job.slots import impossible_variables, script, slots
from ajkit.shared.job.spec import spec_digest
from ajkit.shared.problem import problem

if TYPE_CHECKING:
    from collections.abc import Callable, Mapping, Sequence

    from ajkit.backends.ray.api import Answer
    from ajkit.shared.job.execution import ExecutionError, Handle, Submission
    from ajkit.shared.job.spec import JobSpec
    from ajkit.shared.problem import Problem

_OVER, _STARTED = "over", "started"
_FRESH_SECONDS = 1.0
_UNCLEAR, _BROKE = frozenset({502, 503, 504}), 500
_ENTRYPOINT = "python -m aj_job"
_DIGEST = "aj_spec_sha256"
_PLACING = "Ray looks for nodes that are free for it"
_FORGOTTEN = "the cluster does not know the job any more: its head was started anew, or the job was deleted there"


class RayExecution:
    """The service `ray`.

    The token of a job is its submission id. Its code travels as a package that the cluster keeps by its content, and
    all else, with the values of its variables, as one of its own: what Ray shows of a job holds no secret.
    """

    name = "ray"
    poll_seconds = 1.0

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._heard: dict[str, float] = {}

    def check(self, spec: JobSpec) -> Sequence[Problem]:
        """See `Execution.check`: an address, secrets that can be read, variables that can be set."""
        found = [problem("ray.secret", each, None) for each in missing_secrets(spec.env, os.environ, package.source)]
        found += [problem("ray.env", each, None) for each in impossible_variables(spec.env)]
        try:
            _api(spec)
        except Rejected as error:
            found.append(problem("ray.address", str(error), None))
        return found

    def submit(self, job: Submission, report: Callable[[str], None]) -> str:
        """See `Execution.submit`."""
        if job.code is None:
            raise Rejected("the job has no code")
        api = _api(job.spec)
        values = resolved(job.spec.env, os.environ, package.source)
        code = package.code_name(job.code.digest)
        os.makedirs(job.folder, mode=0o700, exist_ok=True)
        if not api.has_package(code):
            report("uploading the code to the cluster")
            _upload(api, code, job)
        own = os.path.join(job.folder, "job.zip")
        try:
            name = package.write_job(own, package.job_content(job.spec, _options(job.spec), values))
            with open(own, "rb") as file:
                api.put_package(name, file)
        finally:
            os.unlink(own)
        said = api.submit(_body(job, [code, name]))
        if said.status == 200:
            return job.token
        # Whatever it says: only what it has now is sure. A job that it has already is answered with an error, too.
        try:
            there = api.job(job.token)
        except Unavailable as error:
            raise OutcomeUnknown(f"{said.reason}; then {error}") from None
        if there is None:
            raise _no(said)
        if not _is_ours(there, job):
            raise Rejected(f"the cluster has another job of the id {job.token}")
        return job.token

    def find(self, job: Submission) -> str | None:
        """See `Execution.find`."""
        there = _api(job.spec).job(job.token)
        return job.token if there is not None and _is_ours(there, job) else None

    def status(self, handle: Handle) -> Status:
        """See `Execution.status`."""
        job, api = handle.job, _api(handle.job.spec)
        there = api.job(handle.backend_id)
        if there is None:
            return Status(JobState.LOST, _FORGOTTEN)
        match there.get("status"):
            case "PENDING":
                return Status(JobState.QUEUED, _first_line(there.get("message")))
            case "RUNNING":
                return Status(JobState.RUNNING) if self._has_started(api, job) else Status(JobState.QUEUED, _PLACING)
            case "SUCCEEDED" | "STOPPED" | "FAILED":
                pass
            case word:
                # What is not known to be an end is none: the job may run.
                raise Unavailable(f"Ray says {word!r} of the job, which is not known here")
        text = api.logs(handle.backend_id)
        with self._lock:
            record.keep(_logs(job), text)
        _mark(job, _OVER)
        return _ended(there, record.last_word(text))

    def streams(self, handle: Handle) -> Sequence[LogStream]:
        """See `Execution.streams`: one log for each process, and what Ray itself had to say where it did."""
        self._listen(handle)
        sizes = record.kept(_logs(handle.job))
        found = [LogStream(each.name, each.node) for each in slots(handle.job.spec) if each.name in sizes]
        return [*found, LogStream(record.DRIVER, 0)] if record.DRIVER in sizes else found

    def logs(self, handle: Handle, stream: str, offset: int, limit: int) -> LogChunk:
        """See `Execution.logs`."""
        if stream not in {record.DRIVER, *(each.name for each in slots(handle.job.spec))}:
            raise KeyError(stream)
        over = _has(handle.job, _OVER)
        self._listen(handle)
        data = record.read(_logs(handle.job), stream, offset, limit)
        return LogChunk(data, offset + len(data), over and len(data) < limit)

    def cancel(self, handle: Handle) -> None:
        """See `Execution.cancel`: Ray says yes to a job that it has not begun, and does nothing; it is asked again."""
        _api(handle.job.spec).stop(handle.backend_id)

    def render(self, job: Submission) -> Rendered:
        """See `Execution.render`."""
        packages = [package.code_name(job.code.digest if job.code else "‹digest of the code›"), "‹this job›.zip"]
        content = package.job_content(job.spec, _options(job.spec), shown(job.spec.env))
        del content["script"]
        return Rendered(
            {
                "submission.json": json.dumps(_body(job, packages), indent=2, ensure_ascii=False) + "\n",
                "job.json": json.dumps(content, indent=2, ensure_ascii=False) + "\n",
                "script.sh": script(job.spec),
                "driver.py": package.source(driver.__file__),
                "node.py": package.source(node.__file__),
            }
        )

    def dry_run(self, job: Submission) -> str | None:  # noqa: ARG002 - Ray has no opinion before it is asked to run
        """See `Execution.dry_run`."""
        return None

    def _has_started(self, api: Api, job: Submission) -> bool:
        """Whether the driver has found the nodes; until then it has printed little."""
        if not _has(job, _STARTED):
            if not record.has_started(api.logs(job.token)):
                return False
            _mark(job, _STARTED)
        return True

    def _listen(self, handle: Handle) -> None:
        """Keep what the driver has printed since, unless that was asked for just now, or all of it is here."""
        job = handle.job
        if _has(job, _OVER):
            return
        with self._lock:
            now = time.monotonic()
            if now - self._heard.get(job.token, -_FRESH_SECONDS) < _FRESH_SECONDS:
                return
            self._heard[job.token] = now
        text = _api(job.spec).logs(handle.backend_id)
        with self._lock:
            record.keep(_logs(job), text)


def _options(spec: JobSpec) -> RayOpts:
    return RayOpts.model_validate(spec.backend_spec)


def _api(spec: JobSpec) -> Api:
    """The Jobs API of a job's cluster.

    Raises:
        Rejected: nobody says where it is.
    """
    address = _options(spec).address
    if address is None:
        given = os.environ.get("RAY_ADDRESS", "")
        if not given:
            raise Rejected(
                "nothing says where the cluster is: set _extra.ray.address, or RAY_ADDRESS in the environment of the "
                "submission daemon"
            )
        try:
            address = RayOpts(address=given).address
        except ValidationError:
            raise Rejected(
                "RAY_ADDRESS in the environment of the submission daemon is not where a Jobs API is: write it like "
                "http://head:8265"
            ) from None
    assert address is not None
    return Api(address, _headers(os.environ))


def _headers(environ: Mapping[str, str]) -> dict[str, str]:
    """What Ray's own tools send with each request, where the daemon was started with it."""
    given = json.loads(environ.get("RAY_JOB_HEADERS") or "{}")
    token = environ.get("RAY_AUTH_TOKEN")
    return {**given, **({"Authorization": f"Bearer {token}"} if token else {})}


def _no(said: Answer) -> ExecutionError:
    """What it means that the cluster shows no job after an answer that was no yes."""
    if said.status in _UNCLEAR:
        # Whoever stands before the cluster and had no answer of it cannot say that it did not take the job.
        return OutcomeUnknown(said.reason)
    # A head that broke on the way may have written the job down, and show it later.
    return UnclearRefusal(said.reason) if said.status >= _BROKE else Rejected(said.reason)


def _upload(api: Api, name: str, job: Submission) -> None:
    assert job.code is not None
    made = os.path.join(job.folder, "code.zip")
    try:
        package.write_code(made, job.code.archive)
        if os.stat(made).st_size > package.LARGEST_MIB << 20:
            raise Rejected(f"the code is over {package.LARGEST_MIB} MiB when packed, more than Ray takes: ignore data")
        with open(made, "rb") as file:
            api.put_package(name, file)
    finally:
        os.unlink(made)


def _body(job: Submission, packages: Sequence[str]) -> dict[str, Any]:
    """The request for a job. Variables are not in it: everybody who can see the cluster's page can read it."""
    environment = dict(_options(job.spec).runtime_env)
    theirs = environment.pop("py_modules", None)
    modules = [*(f"gcs://{each}" for each in packages), *(theirs if isinstance(theirs, list) else [])]
    return {
        "entrypoint": _ENTRYPOINT,
        "submission_id": job.token,
        "runtime_env": {**environment, "py_modules": modules},
        "metadata": {"aj_name": job.spec.name, _DIGEST: spec_digest(job.spec)},
    }


def _is_ours(there: Mapping[str, Any], job: Submission) -> bool:
    return bool((there.get("metadata") or {}).get(_DIGEST) == spec_digest(job.spec))


def _ended(there: Mapping[str, Any], word: str) -> Status:
    said = _first_line(there.get("message"))
    match there["status"]:
        case "SUCCEEDED":
            return Status(JobState.DONE, "", 0)
        case "STOPPED":
            return Status(JobState.CANCELLED, "stopped")
    return Status(JobState.FAILED, word or said, there.get("driver_exit_code"))


def _first_line(text: str | None) -> str:
    lines = [each.strip() for each in (text or "").splitlines() if each.strip()]
    return lines[0] if lines else ""


def _logs(job: Submission) -> str:
    return os.path.join(job.folder, "logs")


def _has(job: Submission, name: str) -> bool:
    return os.path.exists(os.path.join(job.folder, name))


def _mark(job: Submission, name: str) -> None:
    os.makedirs(job.folder, mode=0o700, exist_ok=True)
    with open(os.path.join(job.folder, name), "w", encoding="utf-8"):
        pass


EXECUTIONS = (RayExecution(),)
