"""Runs command jobs on Azure ML: on a compute (`aml`) and on a virtual cluster of Singularity (`sing`), over REST."""

from __future__ import annotations

import contextlib
import json
import os
import threading
import time
from typing import TYPE_CHECKING, Any

from ajkit.backends.azureml.arm import Absent, Arm
from ajkit.backends.azureml.assets import ensure_code, ensure_datastores, ensure_environment
from ajkit.backends.azureml.body import TOKEN, instance_of, job_body
from ajkit.backends.azureml.describe import AmlOpts
from ajkit.backends.azureml.offers import clusters, computes, images
from ajkit.backends.azureml.reading import status_of, streams_of
from ajkit.backends.azureml.workspace import (
    CLUSTERS_API,
    Settings,
    Workspace,
    cluster_of,
    compute_of,
    missing_parts,
    options_of,
    read_settings,
    workspace_of,
)
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
    Status,
    Submission,
    Unavailable,
)
from ajkit.shared.job.secretrefs import missing_secrets, resolved, shown
from ajkit.shared.problem import Problem, UsageError, problem

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Sequence

    from ajkit.shared.job.spec import JobSpec

_CODE_UNKNOWN = "‹the digest of the code›"
_DETAILS_SECONDS = 5.0
_MOST_REMEMBERED = 256
_UNSET = Workspace("‹subscription›", "‹resource group›", "‹workspace›")


class AzureMlExecution:
    """The services `aml` and `sing`.

    A job is made by ``PUT …/jobs/{name}``: its name ends in its sid, so that sending it again makes no second one, and
    a tag with our token says that it is ours.
    """

    poll_seconds = 5.0

    def __init__(self, name: str, sleep: Callable[[float], None] = time.sleep) -> None:
        self._sleep = sleep
        self.name = name
        self._arms: dict[str, Arm] = {}
        self._hosts: dict[str, str] = {}
        self._details: dict[str, tuple[float, dict[str, Any]]] = {}
        self._lock = threading.Lock()

    def check(self, spec: JobSpec) -> Sequence[Problem]:
        """See `Execution.check`: a workspace that nothing names, secrets that cannot be read, what Azure ML refuses."""
        try:
            settings = read_settings(os.environ)
        except UsageError as error:
            return [problem(f"{self.name}.setting", str(error), None)]
        options = options_of(spec)
        found = [problem(f"{self.name}.workspace", each, None) for each in missing_parts(options, settings)]
        found += [problem(f"{self.name}.secret", each, None) for each in missing_secrets(spec.env, os.environ, _text)]
        if "${{" in "\n".join([*spec.setup, spec.command]):
            message = "the command holds `${{`, which Azure ML fills in by itself: write it another way"
            found.append(problem(f"{self.name}.command", message, None))
        for name, mount in spec.storage.items():
            if not (mount.storage_account_name and mount.container_name and (mount.mount_dir or "").startswith("/")):
                message = f"storage.{name}: set storage_account_name, container_name and an absolute mount_dir"
                found.append(problem(f"{self.name}.mount", message, None))
        if isinstance(options, AmlOpts):
            return found
        if not cluster_of(options):
            found.append(problem("sing.cluster", "no virtual cluster: set target.name (or target.vc)", None))
        if instance_of(spec, settings) is None:
            message = (
                f"the SKU {spec.sku!r} names no instance type of Singularity: write one "
                "(`{nodes}xND96amsr_A100_v4`), or let the daemon's AJ_SING_INSTANCES say what it stands for"
            )
            found.append(problem("sing.instance", message, None))
        return found

    def submit(self, job: Submission, report: Callable[[str], None]) -> str:
        """See `Execution.submit`; the id is the resource id of the job."""
        if job.code is None:
            raise Rejected("the job has no code")
        settings = self._settings()
        arm, workspace = self._arm(settings), workspace_of(options_of(job.spec), settings)
        values = resolved(job.spec.env, os.environ, _text)
        body = job_body(job.spec, job.token, workspace, settings, code=job.code.digest, env=values)
        with _nothing_accepted_yet():
            _ask_first(arm, job.spec, workspace)
            ensure_environment(arm, workspace, job.spec)
            ensure_datastores(arm, workspace, job.spec)
            ensure_code(arm, workspace, job.code, report)
        path = _path(workspace, job.spec)
        try:
            there = arm.get(path)
        except Absent:
            pass
        else:
            if _is_ours(there, job):
                return path
            raise Rejected(f"there is a job {job.spec.name} of somebody else: choose another --name")
        try:
            arm.put(path, body)
        except Absent as error:
            raise Rejected(str(error)) from None
        return path

    def find(self, job: Submission) -> str | None:
        """See `Execution.find`."""
        settings = self._settings()
        path = _path(workspace_of(options_of(job.spec), settings), job.spec)
        try:
            found = self._arm(settings).get(path)
        except Absent:
            return None
        except Rejected as error:
            raise Unavailable(str(error)) from None
        return path if _is_ours(found, job) else None

    def status(self, handle: Handle) -> Status:
        """See `Execution.status`."""
        arm = self._arm(self._settings())
        try:
            found = self._seen(lambda: arm.get(handle.backend_id))
        except Absent:
            return Status(JobState.LOST, f"Azure ML has no job {handle.job.spec.name} any more")
        details: dict[str, Any] = {}
        if found.get("properties", {}).get("status") == "Failed":
            with contextlib.suppress(ExecutionError, Absent):
                details = self._run(arm, handle)
        status = status_of(found, details)
        if status is None:
            raise Unavailable(f"Azure ML says {found.get('properties', {}).get('status')!r} of the job")
        return status

    def streams(self, handle: Handle) -> Sequence[LogStream]:
        """See `Execution.streams`: one log for each node, as soon as Azure ML keeps it."""
        try:
            return list(streams_of(self._run(self._arm(self._settings()), handle)))
        except Absent:
            return []

    def logs(self, handle: Handle, stream: str, offset: int, limit: int) -> LogChunk:
        """See `Execution.logs`."""
        arm = self._arm(self._settings())
        for fresh in (False, True):
            addresses = {each.name: address for each, address in self._addresses(arm, handle, fresh=fresh).items()}
            if stream not in addresses and not _may_come(stream, handle.job.spec):
                raise KeyError(stream)
            over = self.status(handle).state.is_terminal
            if stream not in addresses:
                if over and not fresh:
                    # What was known of its logs may be from before it ended.
                    continue
                return LogChunk(b"", offset, over)
            try:
                data = arm.read(addresses[stream], offset, limit)
            except Absent:
                return LogChunk(b"", offset, over)
            except Rejected:
                # The address has expired: ask for another, once.
                continue
            return LogChunk(data, offset + len(data), over and len(data) < limit)
        raise Unavailable(f"Azure ML does not let the log {stream} be read")

    def cancel(self, handle: Handle) -> None:
        """See `Execution.cancel`."""
        arm = self._arm(self._settings())
        if self.status(handle).state.is_terminal:
            return
        try:
            arm.post(f"{handle.backend_id}/cancel")
        except (Absent, Rejected, OutcomeUnknown) as error:
            # It may have ended meanwhile.
            if not self.status(handle).state.is_terminal:
                raise Unavailable(str(error)) from None

    def render(self, job: Submission) -> Rendered:
        """See `Execution.render`: the body of the request, and the command by itself."""
        settings = self._settings()
        options = options_of(job.spec)
        known = not list(missing_parts(options, settings))
        workspace = workspace_of(options, settings) if known else _UNSET
        code = _CODE_UNKNOWN if job.code is None else job.code.digest
        body = job_body(job.spec, job.token, workspace, settings, code=code, env=shown(job.spec.env))
        text = json.dumps(body, indent=2, ensure_ascii=False) + "\n"
        return Rendered({"job.json": text, "command.sh": body["properties"]["command"] + "\n"})

    def dry_run(self, job: Submission) -> str | None:
        """See `Execution.dry_run`: whether the workspace and what it is to run on are there; no more can be asked."""
        settings = self._settings()
        workspace = workspace_of(options_of(job.spec), settings)
        with _nothing_accepted_yet():
            where = _ask_first(self._arm(settings), job.spec, workspace)
        return f"the workspace {workspace.name} and {where} are there; Azure ML has no dry run of a job"

    def values(self, kind: str) -> Sequence[LiveValue]:
        """See `LiveValues.values`: what the daemon's own workspace has to offer."""
        offer = {"computes": computes if self.name == "aml" else clusters, "images": images}[kind]
        settings = self._settings()
        for missing in missing_parts(AmlOpts(), settings):
            raise Unavailable(missing)
        try:
            with _nothing_accepted_yet():
                return offer(self._arm(settings), workspace_of(AmlOpts(), settings))
        except Rejected as error:
            raise Unavailable(str(error)) from None

    def close(self) -> None:
        """Let go of all connections."""
        with self._lock:
            for each in self._arms.values():
                each.close()
            self._arms.clear()

    def _settings(self) -> Settings:
        try:
            return read_settings(os.environ)
        except UsageError as error:
            raise Unavailable(str(error)) from None

    def _arm(self, settings: Settings) -> Arm:
        with self._lock:
            if settings.endpoint not in self._arms:
                self._arms[settings.endpoint] = Arm(settings.endpoint, time.time, self._sleep)
            return self._arms[settings.endpoint]

    def _seen(self, ask: Callable[[], dict[str, Any]]) -> dict[str, Any]:
        """What is read of a job that there is: a refusal is a matter of rights, not the end of the job."""
        try:
            return ask()
        except Rejected as error:
            raise Unavailable(str(error)) from None

    def _run(self, arm: Arm, handle: Handle) -> dict[str, Any]:
        """The details of a run as the service that keeps its history tells them."""
        workspace = handle.backend_id.rpartition("/jobs/")[0]
        if workspace not in self._hosts:
            address = self._seen(lambda: arm.get(workspace))["properties"]["discoveryUrl"]
            self._hosts[workspace] = str(self._seen(lambda: arm.get(address))["api"]).rstrip("/")
        address = f"{self._hosts[workspace]}/history/v1.0{workspace}/runs/{handle.job.spec.name}/details"
        details = self._seen(lambda: arm.get(address))
        if len(self._details) > _MOST_REMEMBERED:
            self._details.clear()
        self._details[handle.backend_id] = (time.monotonic(), details)
        return details

    def _addresses(self, arm: Arm, handle: Handle, *, fresh: bool) -> dict[LogStream, str]:
        """The logs there are; asked for every few seconds only, however many follow them."""
        since, details = self._details.get(handle.backend_id, (0.0, {}))
        if fresh or time.monotonic() - since > _DETAILS_SECONDS:
            try:
                details = self._run(arm, handle)
            except Absent:
                return {}
        return streams_of(details)


@contextlib.contextmanager
def _nothing_accepted_yet() -> Iterator[None]:
    """Steps before the job itself: whatever became of them, the job was not accepted."""
    try:
        yield
    except OutcomeUnknown as error:
        raise Unavailable(str(error)) from None
    except Absent as error:
        raise Rejected(str(error)) from None


def _ask_first(arm: Arm, spec: JobSpec, workspace: Workspace) -> str:
    """What the job is to run on, once it and the workspace are known to be there.

    Raises:
        Rejected: one is not.
    """
    try:
        arm.get(workspace.path)
    except Absent:
        message = f"there is no workspace {workspace.name!r} in the resource group {workspace.resource_group!r}"
        raise Rejected(f"{message} of the subscription {workspace.subscription_id}") from None
    options = options_of(spec)
    if not isinstance(options, AmlOpts):
        name = cluster_of(options)
        try:
            arm.get(compute_of(spec, workspace), CLUSTERS_API)
        except Absent:
            raise Rejected(
                f"there is no virtual cluster {name!r} there: see target.name, _extra.sing.vc_subscription_id and "
                "_extra.sing.vc_resource_group"
            ) from None
        return f"the virtual cluster {name}"
    try:
        compute = arm.get(compute_of(spec, workspace))
    except Absent:
        known = ", ".join(sorted(each["name"] for each in arm.list(f"{workspace.path}/computes")))
        message = f"the workspace {workspace.name} has no compute {options.compute!r} (target.name)"
        raise Rejected(f"{message}; it has: {known or 'none'}") from None
    state = compute.get("properties", {}).get("provisioningState", "Succeeded")
    if state in {"Failed", "Deleting"}:
        raise Rejected(f"the compute {options.compute!r} (target.name) is not to be used: {state}")
    return f"the compute {options.compute}"


def _is_ours(found: dict[str, Any], job: Submission) -> bool:
    return bool((found.get("properties", {}).get("tags") or {}).get(TOKEN) == job.token)


def _may_come(stream: str, spec: JobSpec) -> bool:
    """Whether a node of the job may yet have this log."""
    kind, _, node = stream.partition("-")
    return kind == "node" and node.isdecimal() and int(node) < spec.nodes


def _path(workspace: Workspace, spec: JobSpec) -> str:
    return f"{workspace.path}/jobs/{spec.name}"


def _text(path: str) -> str:
    with open(path, encoding="utf-8") as file:
        return file.read()


EXECUTIONS = (AzureMlExecution("aml"), AzureMlExecution("sing"))
