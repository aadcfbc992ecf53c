"""Runs jobs on Volcano on Kubernetes: one gang of pods for each job, looked up by its name and token."""

from __future__ import annotations

import contextlib
import os
import time
from datetime import UTC, datetime
from functools import wraps
from typing import TYPE_CHECKING, Any, ParamSpec, TypeVar

from ajkit.backends.volcano.answers import Absent, Exists, NodeSilent
from ajkit.backends.volcano.asking import ask_first, believed, nothing_accepted_yet
from ajkit.backends.volcano.belongings import NameTaken, clear, give, is_ours, owner
from ajkit.backends.volcano.checks import offline
from ajkit.backends.volcano.cluster import COMMAND, CONFIG_MAP, JOB, POD, QUEUE, SECRET
from ajkit.backends.volcano.connections import Connections
from ajkit.backends.volcano.delivery import deliver, packed
from ajkit.backends.volcano.groups import pods_of
from ajkit.backends.volcano.manifest import TOKEN, labels_of, manifest, options_of, secret
from ajkit.backends.volcano.place import Place, read_place, secret_name
from ajkit.backends.volcano.podlogs import PodLog
from ajkit.backends.volcano.pods import CONTAINER
from ajkit.backends.volcano.reading import has_ended, is_over, phase_of, pods_are_going, status_of
from ajkit.shared.job.execution import (
    ExecutionError,
    Handle,
    JobState,
    LiveValue,
    LogChunk,
    LogStream,
    OutcomeUnknown,
    Rejected,
    Rendered,
    Snapshot,
    Status,
    Submission,
    Unavailable,
)
from ajkit.shared.job.secretrefs import missing_secrets, resolved, shown
from ajkit.shared.problem import Problem, UsageError, problem
from ajkit.shared.template.yamltext import yaml_text

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

    from ajkit.backends.volcano.cluster import Cluster
    from ajkit.backends.volcano.describe import VolcanoOpts
    from ajkit.shared.job.spec import JobSpec

P = ParamSpec("P")
T = TypeVar("T")

_CODE_UNKNOWN = "‹the digest of the code›"
_CANCELLED = "cancelled"
_LOG_SECONDS = 1.0
_MOST_REMEMBERED = 4096
_GONE_SECONDS = 10.0
"""After so long without the job what it had beside it is taken away: before its daemon has given it up."""


def _of_what_is_there(ask: Callable[P, T]) -> Callable[P, T]:
    """A question, not a submission: a refusal is a matter of rights then, which may be given back."""

    @wraps(ask)
    def answer(*args: P.args, **kwargs: P.kwargs) -> T:
        try:
            return ask(*args, **kwargs)
        except (Rejected, OutcomeUnknown) as error:
            raise Unavailable(str(error)) from None
        except Absent as error:
            raise Unavailable(f"something of the job is gone: {error}") from None

    return answer


class VolcanoExecution:
    """The service `volcano`.

    A job's name is unique and ends in its sid, so that it cannot be made twice; a job of this name counts as ours when
    it carries our token. What it needs beside it (its programs, its code, its secrets) is made before it and then given
    to it, so that Kubernetes takes all away together.
    """

    name = "volcano"
    poll_seconds = 2.0

    def __init__(self) -> None:
        self._connections = Connections()
        self._fetched: dict[tuple[str, str], float] = {}
        self._missed: dict[str, float] = {}

    def check(self, spec: JobSpec) -> Sequence[Problem]:
        """See `Execution.check`: what a cluster would refuse or hang on, and secrets that cannot be read here."""
        try:
            place = read_place(os.environ, _text)
        except UsageError as error:
            return [problem("volcano.setting", str(error), None)]
        found = list(offline(spec, place))
        groups = pods_of(spec, options_of(spec))
        lacking = [each for group in groups for each in missing_secrets(group.env, os.environ, _text)]
        return found + [problem("volcano.secret", each, None) for each in dict.fromkeys(lacking)]

    def submit(self, job: Submission, report: Callable[[str], None]) -> str:
        """See `Execution.submit`; the id is ``namespace/name``."""
        if job.code is None:
            raise Rejected("the job has no code")
        cluster, code = self._cluster(options_of(job.spec)), job.code
        return believed(cluster, lambda: self._submit(cluster, job, code, report))

    def _submit(self, cluster: Cluster, job: Submission, code: Snapshot, report: Callable[[str], None]) -> str:
        options, place = options_of(job.spec), _place()
        namespace = options.namespace or cluster.namespace
        made = manifest(job.spec, job.token, place, namespace=namespace, code=code.digest)
        values = resolved(made.secrets, os.environ, _text)
        labels = labels_of(job.token, options)
        try:
            with nothing_accepted_yet():
                ask_first(cluster, options, made, namespace)
                archive = packed(code, job.folder)
                values |= deliver(
                    cluster,
                    place,
                    archive,
                    code.digest,
                    job=job.spec.name,
                    namespace=namespace,
                    labels=labels,
                    now=datetime.now(UTC),
                    report=report,
                )
                cluster.put(CONFIG_MAP, made.scripts)
                if values:
                    cluster.put(SECRET, secret(job.spec, labels, namespace, values))
            self._create(cluster, made.job, job)
        except NameTaken:
            raise
        except (Rejected, Unavailable):
            # Above all its secrets must not stay behind: nobody may ever try again.
            clear(cluster, job, namespace)
            raise
        give(cluster, job, namespace, anew=True)
        return f"{namespace}/{job.spec.name}"

    @_of_what_is_there
    def find(self, job: Submission) -> str | None:
        """See `Execution.find`."""
        options = options_of(job.spec)
        cluster = self._cluster(options)
        namespace = options.namespace or cluster.namespace
        try:
            found = cluster.get(JOB, job.spec.name, namespace)
        except Absent:
            return None
        if not is_ours(found, job.token):
            return None
        give(cluster, job, namespace)
        return f"{namespace}/{job.spec.name}"

    @_of_what_is_there
    def status(self, handle: Handle) -> Status:
        """See `Execution.status`. When pods go, what they have written is kept; when all is over, secrets go."""
        job = handle.job
        cluster, namespace = self._of(handle)
        try:
            found = cluster.get(JOB, job.spec.name, namespace)
        except Absent:
            return self._gone(cluster, handle, namespace)
        self._missed.pop(handle.backend_id, None)
        give(cluster, job, namespace)
        phase = phase_of(found)
        pods = _pods(cluster, job, namespace)
        if pods_are_going(phase):
            for each in pods.values():
                with contextlib.suppress(ExecutionError, Absent):
                    self._keep(cluster, each, job, namespace, final=is_over(phase))
        if is_over(phase):
            with contextlib.suppress(ExecutionError):
                cluster.delete(SECRET, secret_name(job.spec.name), namespace)
        waiting = not is_over(phase) and phase != "Running"
        warnings = cluster.warnings(namespace, job.spec.name) if waiting else []
        return status_of(found, list(pods.values()), warnings)

    @_of_what_is_there
    def streams(self, handle: Handle) -> Sequence[LogStream]:
        """See `Execution.streams`: one log for each pod that has started."""
        cluster, namespace = self._of(handle)
        pods = _pods(cluster, handle.job, namespace)
        begun = {name for name, each in pods.items() if each.get("status", {}).get("phase") not in (None, "Pending")}
        return [
            LogStream(f"node-{node}", node)
            for node, name in enumerate(_names(handle.job.spec))
            if name in begun or _log(handle.job, node).exists()
        ]

    @_of_what_is_there
    def logs(self, handle: Handle, stream: str, offset: int, limit: int) -> LogChunk:
        """See `Execution.logs`; what was seen once is read from the job's folder."""
        names = _names(handle.job.spec)
        nodes = {f"node-{node}": node for node in range(len(names))}
        log = _log(handle.job, nodes[stream])
        complete = log.is_final()
        if not complete and not log.holds(offset) and self._is_due(handle.backend_id, stream):
            cluster, namespace = self._of(handle)
            try:
                over = is_over(phase_of(cluster.get(JOB, handle.job.spec.name, namespace)))
            except Absent:
                over = True
            complete = over
            try:
                pod = cluster.get(POD, names[nodes[stream]], namespace)
                self._keep(cluster, pod, handle.job, namespace, final=over)
            except (Absent, Rejected):
                # It is gone, or has not started: what was kept is all there is for now.
                if over:
                    log.take(lambda _: b"", final=True)
            except NodeSilent:
                # The output of the other pods must not wait for a node that may be back some day.
                complete = False
        return log.read(offset, limit, complete=complete)

    @_of_what_is_there
    def cancel(self, handle: Handle) -> None:
        """See `Execution.cancel`: Volcano is told to end the job; where that is not allowed the job is deleted."""
        cluster, namespace = self._of(handle)
        try:
            found = cluster.get(JOB, handle.job.spec.name, namespace)
        except Absent:
            return
        if is_over(phase_of(found)):
            return
        target = owner(found)
        command = {
            "apiVersion": "bus.volcano.sh/v1alpha1",
            "kind": "Command",
            "metadata": {
                "name": f"{handle.job.spec.name}-stop",
                "namespace": namespace,
                "ownerReferences": [target],
            },
            "action": "TerminateJob",
            "target": target,
            "reason": "CancelledByUser",
            "message": "cancelled",
        }
        try:
            with contextlib.suppress(Exists):
                believed(cluster, lambda: cluster.create(COMMAND, command))
        except (Rejected, Absent):
            for pod in _pods(cluster, handle.job, namespace).values():
                with contextlib.suppress(ExecutionError, Absent):
                    self._keep(cluster, pod, handle.job, namespace, final=False)
            os.makedirs(handle.job.folder, mode=0o700, exist_ok=True)
            with open(os.path.join(handle.job.folder, _CANCELLED), "w", encoding="utf-8"):
                cluster.delete(JOB, handle.job.spec.name, namespace)

    def render(self, job: Submission) -> Rendered:
        """See `Execution.render`: the Job, the ConfigMap of its programs, and its Secret with references."""
        options = options_of(job.spec)
        namespace = options.namespace
        if namespace is None:
            with contextlib.suppress(Unavailable):
                namespace = self._cluster(options).namespace
        code = _CODE_UNKNOWN if job.code is None else job.code.digest
        made = manifest(job.spec, job.token, _place(), namespace=namespace, code=code)
        files = {"job.yaml": yaml_text(made.job), "configmap.yaml": yaml_text(made.scripts)}
        if made.secrets:
            body = secret(job.spec, labels_of(job.token, options), namespace, {})
            del body["data"]
            files["secret.yaml"] = yaml_text({**body, "stringData": dict(shown(made.secrets))})
        return Rendered(files)

    def dry_run(self, job: Submission) -> str | None:
        """See `Execution.dry_run`: the cluster's own checks of the job and of the pods of each of its tasks."""
        options = options_of(job.spec)
        cluster = self._cluster(options)
        namespace = options.namespace or cluster.namespace
        made = manifest(job.spec, job.token, _place(), namespace=namespace, code=_CODE_UNKNOWN)
        with nothing_accepted_yet():
            believed(cluster, lambda: ask_first(cluster, options, made, namespace))
        pods = sum(group.replicas for group in made.groups)
        return f"the cluster would take the job and its {pods} pods in {namespace}, queue {options.queue}"

    @_of_what_is_there
    def values(self, kind: str) -> Sequence[LiveValue]:
        """See `LiveValues.values`: the queues of the current context."""
        if kind != "queues":
            raise KeyError(kind)
        found = []
        for each in self._cluster(None).all(QUEUE):
            status = each.get("status", {})
            detail = f"{status.get('state', 'Unknown')}, {status.get('running', 0)} running"
            found.append(LiveValue(each["metadata"]["name"], detail))
        return sorted(found, key=lambda each: each.value)

    def close(self) -> None:
        """Let go of all connections."""
        self._connections.close()

    def _cluster(self, options: VolcanoOpts | None) -> Cluster:
        return self._connections.to(options.context if options else None, _kubeconfig(os.environ.get("KUBECONFIG", "")))

    def _of(self, handle: Handle) -> tuple[Cluster, str]:
        """The cluster and namespace of a job."""
        return self._cluster(options_of(handle.job.spec)), handle.backend_id.partition("/")[0]

    def _create(self, cluster: Cluster, body: dict[str, Any], job: Submission) -> None:
        try:
            cluster.create(JOB, body)
        except Absent as error:
            raise Rejected(f"the cluster cannot take Volcano jobs: {error}") from None
        except Exists:
            try:
                found = cluster.get(JOB, job.spec.name, body["metadata"]["namespace"])
            except (Absent, Unavailable) as error:
                raise OutcomeUnknown(f"there was a job {job.spec.name} a moment ago: {error}") from None
            if not is_ours(found, job.token):
                # What was made beside it is ours all the same, and has to go: this is no `NameTaken`.
                raise Rejected(str(NameTaken(job.spec.name))) from None

    def _gone(self, cluster: Cluster, handle: Handle, namespace: str) -> Status:
        """What it means that the cluster does not have a job any more."""
        cancelled = os.path.exists(os.path.join(handle.job.folder, _CANCELLED))
        if len(self._missed) > _MOST_REMEMBERED:
            self._missed.clear()
        now = time.monotonic()
        # One word of an API server that is behind must not take its programs and secrets from a job that runs.
        if cancelled or now - self._missed.setdefault(handle.backend_id, now) >= _GONE_SECONDS:
            clear(cluster, handle.job, namespace)
        if cancelled:
            return Status(JobState.CANCELLED, "cancelled: the job was deleted")
        return Status(JobState.LOST, f"there is no Volcano job {handle.backend_id} any more")

    def _keep(self, cluster: Cluster, pod: dict[str, Any], job: Submission, namespace: str, *, final: bool) -> None:
        """Keep what a pod has written so far."""
        name = pod["metadata"]["name"]
        log = _log(job, _names(job.spec).index(name))
        ended = has_ended(pod)
        log.take(lambda since: cluster.log(name, CONTAINER, namespace, since), final=final, whole=ended)

    def _is_due(self, backend_id: str, stream: str) -> bool:
        """Whether a log was not fetched just now; many may follow it."""
        now, key = time.monotonic(), (backend_id, stream)
        if len(self._fetched) > _MOST_REMEMBERED:
            self._fetched.clear()
        if now - self._fetched.get(key, 0.0) < _LOG_SECONDS:
            return False
        self._fetched[key] = now
        return True


def _pods(cluster: Cluster, job: Submission, namespace: str) -> dict[str, dict[str, Any]]:
    """The pods of a job by name, in rank order."""
    found = {each["metadata"]["name"]: each for each in cluster.labelled(POD, namespace, TOKEN, job.token)}
    return {name: found[name] for name in _names(job.spec) if name in found}


def _names(spec: JobSpec) -> list[str]:
    """The names of all pods in rank order."""
    return [name for group in pods_of(spec, options_of(spec)) for name in group.names(spec.name)]


def _log(job: Submission, node: int) -> PodLog:
    return PodLog(os.path.join(job.folder, "logs"), f"node-{node}")


def _kubeconfig(paths: str) -> str | None:
    """The first file that there is of those that ``KUBECONFIG`` names; the first of all where there is none."""
    named = [each for each in paths.split(os.pathsep) if each]
    return next((each for each in named if os.path.exists(each)), named[0] if named else None)


def _place() -> Place:
    try:
        return read_place(os.environ, _text)
    except UsageError as error:
        raise Unavailable(str(error)) from None


def _text(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


EXECUTIONS = (VolcanoExecution(),)
