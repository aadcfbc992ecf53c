"""From what an editor asks for to a job that is taken: its plan, what of that is unsaved, and the daemon."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

from ajkit.lsp.asked import job_facts, job_request
from ajkit.lsp.failure import INVALID_PARAMS, RequestFailed
from ajkit.shared.job.code import code_folder
from ajkit.shared.problem import UsageError
from ajkit.shared.where import value_at

if TYPE_CHECKING:
    import threading
    from collections.abc import Callable, Mapping

    from ajkit.client.snapshot import Extent
    from ajkit.lsp.session import Session
    from ajkit.shared.contract import JobInfo
    from ajkit.shared.job.plan import Plan
    from ajkit.shared.job.spec import JobSpec
    from ajkit.shared.where import Json

KEPT = 16
"""How many dry runs are remembered, to say what has changed since."""


def plan_of(session: Session, path: str, given: Mapping[str, Any]) -> Plan:
    """The plan of a job as it would be submitted now; open buffers count.

    Raises:
        RequestFailed: the request makes no sense.
    """
    request, facts = job_request(path, given), job_facts(given, session.surroundings)
    try:
        return session.engine.plan(request, facts)
    except UsageError as error:
        raise RequestFailed(str(error), INVALID_PARAMS) from error


def unsaved_files(session: Session, plan: Plan) -> list[str]:
    """The files of the chain whose open buffers are not what is on disk: the job is made from the buffers."""
    return [each.path for each in plan.resolved.chain if session.differs_from_disk(each.path)]


def folder_of(plan: Plan) -> str:
    """The code folder of a planned job."""
    assert plan.materials is not None
    return code_folder(plan.resolved, plan.materials.template, plan.request)


def extent_of(spec: JobSpec, folder: str, home: str | None) -> Extent:
    """How much code the job would carry; reads folders, so it is for a thread.

    Raises:
        Refused: the code folder cannot travel.
    """
    from ajkit.client.snapshot import measure

    return measure(folder, spec.code.ignore, home=home)


def summary(plan: Plan, code: Extent | None) -> dict[str, Any]:
    """What a person should see before they say yes; `line` has it all in one line."""
    spec = plan.require()
    config = plan.resolved.config
    cluster, queue = value_at(config, ("target", "name")), value_at(config, ("target", "queue"))
    total = _total_gpus(spec)
    where = " / ".join([spec.service, *(each for each in (cluster, queue) if isinstance(each, str) and each)])
    nodes = f"{spec.nodes} node{'' if spec.nodes == 1 else 's'}"
    gpus = f", {total} GPU{'' if total == 1 else 's'} in all" if total else ""
    size = f"; {_extent(code)}" if code else ""
    return {
        "name": spec.name,
        "service": spec.service,
        "cluster": cluster,
        "queue": queue,
        "nodes": spec.nodes,
        "gpus_per_node": spec.gpus_per_node,
        "processes_per_node": spec.processes_per_node,
        "total_gpus": total,
        "sku": spec.sku,
        "code": {"folder": folder_of(plan), "bytes": code.size, "entries": code.entries} if code else None,
        "line": f"{spec.name} on {where}: {nodes}{gpus}{size}",
    }


def _extent(code: Extent) -> str:
    size = f"{code.size / 2**20:.1f} MiB" if code.size >= 2**20 else f"{-(-code.size // 2**10)} KiB"
    return f"{size} of code in {code.entries} {'entry' if code.entries == 1 else 'entries'}"


def _total_gpus(spec: JobSpec) -> int:
    told = spec.env.get("AJ_TOTAL_GPUS")
    return int(told) if isinstance(told, str) and told.isdigit() else spec.nodes * spec.gpus_per_node


class Seen:
    """The newest dry runs by digest: when the job has changed since, they tell in what."""

    def __init__(self) -> None:
        self._fields: dict[str, dict[str, Json]] = {}

    def keep(self, plan: Plan) -> None:
        """Remember what was shown."""
        if plan.digest is None or plan.draft is None:
            return
        self._fields[plan.digest] = plan.draft
        while len(self._fields) > KEPT:
            del self._fields[next(iter(self._fields))]

    def changed(self, digest: str, plan: Plan) -> list[str]:
        """The fields that differ from what was shown under a digest; empty where that is not known any more."""
        before, now = self._fields.get(digest), plan.draft or {}
        if before is None:
            return []
        found = []
        for name, value in now.items():
            old = before.get(name)
            if isinstance(value, dict) and isinstance(old, dict):
                keys = dict.fromkeys([*old, *value])
                found += [f"{name}.{key}" for key in keys if old.get(key) != value.get(key)]
            elif value != old:
                found.append(name)
        return found


@dataclass(frozen=True, slots=True)
class Outcome:
    """What came of a submission: the job, or None when it was stopped before it was taken; `stopped` says so."""

    job: JobInfo | None
    stopped: bool


class _Stopped(Exception):
    """The person wants no submission any more."""


def send(plan: Plan, environ: Mapping[str, str], report: Callable[[str], None], stopped: threading.Event) -> Outcome:
    """Hand a planned job to the daemon, starting one where there is none; blocks, so it is for a thread.

    The key makes the same job, sent twice, one job. Once the person wants it to stop nothing more is done, and a job
    that was taken in that moment is cancelled.

    Raises:
        AjError: the code cannot travel, the daemon says no, or cannot be reached.
    """
    from ajkit.client.daemon import Daemon
    from ajkit.client.origins import origins_of

    spec = plan.require()

    def step(words: str) -> None:
        if stopped.is_set():
            raise _Stopped
        report(words)

    try:
        step("looking for the submission daemon")
        daemon = Daemon.connect(environ=environ)
        key = f"{spec.sid}-{plan.digest}"
        origins = origins_of(plan)
        job = daemon.submit(spec, folder_of(plan), home=plan.resolved.home, key=key, origins=origins, report=step)
    except _Stopped:
        return Outcome(None, stopped=True)
    if not stopped.is_set():
        return Outcome(job, stopped=False)
    return Outcome(daemon.cancel(job.id), stopped=True)
