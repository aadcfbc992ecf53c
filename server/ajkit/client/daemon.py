"""The submission daemon as its callers see it: submit, list, show, follow, cancel."""

from __future__ import annotations

import codecs
import contextlib
import os
import threading
import uuid
from dataclasses import dataclass
from typing import TYPE_CHECKING, Self

from ajkit.client.address import read_address
from ajkit.client.places import state_folder
from ajkit.client.reach import Reach
from ajkit.client.snapshot import Archive, Limits, pack
from ajkit.client.wire import DaemonRefused, Query
from ajkit.shared.contract import (
    HEALTH,
    JOBS,
    KEY_HEADER,
    ORIGINS,
    RENDER,
    SERVICES,
    Caller,
    FieldOrigins,
    Health,
    JobDetail,
    JobInfo,
    JobPage,
    LogList,
    LogStreamInfo,
    LogText,
    RenderAnswer,
    RenderRequest,
    ServiceInfo,
    ServiceList,
    SubmitRequest,
    ValueList,
    code_path,
    job_path,
    values_path,
)
from ajkit.shared.job.execution import JobEvent

if TYPE_CHECKING:
    from collections.abc import Callable, Generator, Iterator, Mapping, Sequence

    from ajkit.shared.job.execution import JobState
    from ajkit.shared.job.spec import JobSpec


@dataclass(frozen=True, slots=True)
class LogLine:
    """Text of one process of a job with its line ends; `mark` resumes after it. It may be a part of a line."""

    stream: str
    node: int
    text: str
    mark: str


_TOLD_SECONDS = 1.0
"""How often it is said how much of the code is on its way."""


@contextlib.contextmanager
def _watched(archive: Archive, report: Callable[[str], None]) -> Iterator[None]:
    """Tell how much of an archive has been sent, now and then, while it is; what that raises is raised at the end."""
    over = threading.Event()
    faults: list[Exception] = []

    def tell() -> None:
        while not over.wait(_TOLD_SECONDS) and not faults:
            try:
                report(f"uploading the code ({archive.read_bytes / 2**20:.1f} of {archive.size / 2**20:.1f} MiB)")
            except Exception as fault:  # noqa: BLE001 - it is raised where the upload was asked for
                faults.append(fault)

    teller = threading.Thread(target=tell, daemon=True)
    teller.start()
    try:
        yield
    finally:
        over.set()
        teller.join()
    if faults:
        raise faults[0]


@dataclass(frozen=True, slots=True)
class StateChange:
    """A step of a job, or a word about it; `mark` resumes after it."""

    event: JobEvent
    mark: str


class Daemon:
    """What can be asked of the daemon of this user and host.

    Every call waits while the daemon is away and starts it anew where that is allowed: jobs outlive it. A submission
    carries one key through all its tries, so that it is taken once. Every method may raise DaemonFailed.
    """

    def __init__(self, reach: Reach, environ: Mapping[str, str]) -> None:
        """`environ` is the caller's own, of which PATH and VIRTUAL_ENV travel with a job."""
        self.reach = reach
        # The folders of this machine mean nothing on another.
        here = reach.server is None or reach.server.scheme == "unix"
        self._caller = Caller(path=environ.get("PATH"), virtual_env=environ.get("VIRTUAL_ENV")) if here else Caller()

    @classmethod
    def connect(cls, *, start: bool = True, environ: Mapping[str, str] | None = None) -> Self:
        """Find the daemon, or start it, and make sure that it speaks our language.

        `environ` says where it is (``AJ_SERVER``, ``AJ_TOKEN``; else one of this host is meant) and what it is started
        with; the process's own by default.

        Raises:
            DaemonFailed: it could not be started, is of another time, or (without `start`) is not there.
            DaemonRefused: it does not let us in.
            UsageError: ``AJ_SERVER`` is no address.
        """
        given = os.environ if environ is None else environ
        found = cls(Reach(state_folder(given), given, start=start, server=read_address(given)), given)
        found.health()
        return found

    # -- jobs -------------------------------------------------------------------------------------------------------

    def submit(
        self,
        spec: JobSpec,
        folder: str,
        *,
        home: str | None = None,
        limits: Limits | None = None,
        key: str | None = None,
        origins: Sequence[FieldOrigins] = (),
        report: Callable[[str], None] = lambda _: None,
    ) -> JobInfo:
        """Pack the code folder, upload it unless the daemon has it, submit the job; it is on the disk on return.

        Args:
            spec: the job.
            folder: its code folder; ``spec.code.ignore`` says what stays behind.
            home: AJ_HOME, which stays behind too.
            limits: how much code may travel.
            key: the idempotency key; drawn by default.
            origins: where the fields of the job's description came from, to be shown with it.
            report: told what is going on, in the user's words.

        Raises:
            Refused: the code folder cannot travel.
            DaemonRefused: the daemon said no.
            DaemonFailed: the daemon cannot be reached; the job may have been taken (`job(spec.sid)` tells).
        """
        report("packing the code")
        state = os.path.dirname(self.reach.state)  # that of all hosts
        with pack(folder, spec.code.ignore, home=home, state=state, limits=limits) as archive:
            request = SubmitRequest(
                spec=spec, code_digest=archive.digest, caller=self._caller, origins=list(origins[:ORIGINS])
            )
            body = request.model_dump_json().encode()
            headers = {KEY_HEADER: key or uuid.uuid4().hex}
            self.upload(archive, report)
            report("submitting")
            return JobInfo.model_validate_json(self.reach.call("POST", JOBS, body=body, headers=headers))

    def upload(self, archive: Archive, report: Callable[[str], None] = lambda _: None) -> None:
        """Make sure that the daemon has a code archive.

        Raises:
            DaemonRefused: it does not take it.
        """
        try:
            self.reach.call("GET", code_path(archive.digest))
        except DaemonRefused as error:
            if error.code != "code.unsent":
                raise
            report(f"uploading the code ({archive.size / 2**20:.1f} MiB)")
            with _watched(archive, report):
                self.reach.call("PUT", code_path(archive.digest), archive=archive)

    def job(self, job_id: str) -> JobDetail:
        """A job with the description it runs by.

        Raises:
            DaemonRefused: ``job.missing``.
        """
        return JobDetail.model_validate_json(self.reach.call("GET", job_path(job_id)))

    def jobs(
        self,
        *,
        states: Sequence[JobState] = (),
        live: bool | None = None,
        service: str | None = None,
        template: str | None = None,
        experiment: str | None = None,
        owner: str | None = None,
        most: int | None = None,
    ) -> Iterator[JobInfo]:
        """Jobs, newest first, at most so many; pages are fetched as they are needed."""
        query: Query = {"state": [each.value for each in states]}
        given = {"service": service, "template": template, "experiment": experiment, "owner": owner}
        query.update({name: value for name, value in given.items() if value is not None})
        if live is not None:
            query["live"] = str(live).lower()
        left = most
        while left is None or left > 0:
            query["limit"] = min(left or 100, 100)
            page = JobPage.model_validate_json(self.reach.call("GET", JOBS, query=query))
            yield from page.jobs
            if page.next is None:
                return
            query["cursor"] = page.next
            left = None if left is None else left - len(page.jobs)

    def cancel(self, job_id: str) -> JobInfo:
        """Ask for a job to be stopped; its state says when that is done.

        Raises:
            DaemonRefused: ``job.missing``.
        """
        return JobInfo.model_validate_json(self.reach.call("POST", job_path(job_id, "cancel")))

    def follow(
        self, job_id: str, *, after: str = "", stream: str | None = None
    ) -> Generator[LogLine | StateChange, None, None]:
        """All that a job says and all that happens to it, past and to come, until it has ended.

        The last StateChange is the end. It goes on across restarts of the daemon. `after` is the mark of the last thing
        seen, to go on later; `stream` names the one log that is wanted.

        Raises:
            DaemonRefused: ``job.missing``.
        """
        query: Query = {"follow": "true"}
        if stream is not None:
            query["stream"] = stream
        for sent in self.reach.stream(job_path(job_id, "logs"), query, after):
            if sent.event == "log":
                text = LogText.model_validate_json(sent.data)
                yield LogLine(text.stream, text.node, text.text, sent.mark)
            elif sent.event == "state":
                yield StateChange(JobEvent.model_validate_json(sent.data), sent.mark)

    def events(self, job_id: str, *, after: int = 0) -> Iterator[JobEvent]:
        """What happened to a job after an event, and what will, until it has ended.

        Raises:
            DaemonRefused: ``job.missing``.
        """
        for sent in self.reach.stream(job_path(job_id, "events"), {}, str(after)):
            if sent.event == "state":
                yield JobEvent.model_validate_json(sent.data)

    def logs(self, job_id: str, *, stream: str | None = None) -> Iterator[LogLine]:
        """What the logs of a job hold now, one after the other; the marks say nothing.

        Raises:
            DaemonRefused: ``job.missing``, ``log.missing``.
        """
        path = job_path(job_id, "logs")
        found = LogList.model_validate_json(self.reach.call("GET", path)).streams
        if stream is not None:
            found = [each for each in found if each.name == stream] or [LogStreamInfo(name=stream, node=0)]
        for each in found:
            decoder = codecs.getincrementaldecoder("utf-8")("replace")
            start = 0
            while True:
                headers = {"Range": f"bytes={start}-"}
                data = self.reach.call("GET", path, query={"stream": each.name}, headers=headers)
                text = decoder.decode(data, final=not data)
                if text:
                    yield LogLine(each.name, each.node, text, "")
                if not data:
                    break
                start += len(data)

    # -- the daemon itself ------------------------------------------------------------------------------------------

    def render(self, spec: JobSpec, *, dry_run: bool = False) -> RenderAnswer:
        """What the engine would be handed for a job, and with `dry_run` its own opinion.

        Raises:
            DaemonRefused: the job would be refused.
        """
        request = RenderRequest(spec=spec, caller=self._caller, dry_run=dry_run)
        return RenderAnswer.model_validate_json(
            self.reach.call("POST", RENDER, body=request.model_dump_json().encode())
        )

    def services(self) -> list[ServiceInfo]:
        """Every service, the schema of its options, and whether the daemon can run it."""
        return ServiceList.model_validate_json(self.reach.call("GET", SERVICES)).services

    def values(self, service: str, kind: str) -> ValueList:
        """What the engine of a service has of a kind now: queues, images, computes, quota.

        Raises:
            DaemonRefused: ``values.missing``: it tells none; ``engine.unavailable``.
        """
        return ValueList.model_validate_json(self.reach.call("GET", values_path(service, kind)))

    def health(self) -> Health:
        """Who answers.

        Raises:
            DaemonFailed: nobody does.
        """
        return Health.model_validate_json(self.reach.call("GET", HEALTH))
