"""The common builder: a template, a request and the facts of the moment become the fields of a JobSpec.

It handles common fields only and knows no service: what differs between services comes from their hooks.
"""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from ajkit.shared.job.code import job_code
from ajkit.shared.job.command import job_command, words_line
from ajkit.shared.job.env import FACTS, job_env, set_at_run_time, written_env
from ajkit.shared.job.names import job_name, name_source
from ajkit.shared.job.spec import JOBSPEC_VERSION
from ajkit.shared.problem import Finding
from ajkit.shared.records import dataclass
from ajkit.shared.where import pruned

if TYPE_CHECKING:
    from ajkit.shared.job.request import Ambient, JobRequest
    from ajkit.shared.job.shape import Report, Sizing
    from ajkit.shared.spec import BackendOptions, Service
    from ajkit.shared.template.model import Template
    from ajkit.shared.template.resolve import Resolved
    from ajkit.shared.where import Json

NAME_HOLE = "‹name›"


@dataclass(frozen=True, slots=True)
class Materials:
    """What a JobSpec is built from."""

    resolved: Resolved
    template: Template
    request: JobRequest
    ambient: Ambient
    service: Service
    options: BackendOptions | None
    sizing: Sizing

    def injected(self, name: str) -> dict[str, str]:
        """The stable ``AJ_*`` variables that every job finds, whatever its template says."""
        facts = (name, self.ambient.sid, self.resolved.name, self.ambient.now)
        return {**dict(zip(FACTS, facts, strict=True)), **self.sizing.variables()}


def build(job: Materials) -> tuple[dict[str, Json], list[Report]]:
    """The fields of the JobSpec in its own order, and what is wrong.

    While something is missing the fields hold texts that stand for it (``‹-n›``), so that a preview can show the rest.

    Raises:
        UsageError: the request itself makes no sense.
    """
    reports: list[Report] = []
    template, request, ambient, sizing = job.template, job.request, job.ambient, job.sizing
    name = job_name(name_source(template, request, ambient, job.resolved.project), ambient.sid, job.service)
    if not isinstance(name, str):
        reports.append(name)
        name = NAME_HOLE
    command = job_command(template.job.command, words_line(request, ambient))
    if isinstance(command, Finding):
        reports.append(command)
        command = ""
    at_run_time = set_at_run_time(tasks=sizing.derived is not None)
    env, of_env = job_env(written_env(job.resolved, template), job.injected(name), at_run_time)
    code, of_code = job_code(template, request, ambient)
    reports += [*of_env, *of_code]
    draft: dict[str, Json] = {
        "version": JOBSPEC_VERSION,
        "name": name,
        "sid": ambient.sid,
        "description": template.description,
        "template_name": job.resolved.name,
        "experiment": request.experiment,
        "service": job.service.name,
        "sku": sizing.sku,
        "nodes": sizing.nodes,
        "selector": sizing.selector,
        "gpus_per_node": sizing.gpus,
        "processes_per_node": sizing.processes,
        "image": template.environment.image,
        "image_registry": template.environment.registry,
        "code": code,
        "setup": list(template.environment.setup),
        "command": command,
        "storage": {
            each: mount.model_dump(include={"storage_account_name", "container_name", "mount_dir"})
            for each, mount in template.storage.items()
        },
        "env": env,
        "time_limit_seconds": template.job.submit_args.max_run_duration_seconds,
        "backend_spec": job.options.model_dump(mode="json") if job.options is not None else {},
        "extra": job.resolved.config.get("_extra") or {},
        "sources": [*sources(job.resolved)],
        "template": merged_source(job.resolved.config, all_jobs=request.all_jobs) if job.service.takes_all else None,
    }
    return draft, reports


def sources(resolved: Resolved) -> list[Json]:
    """Every file of the chain and its overlays, relative to the project folder, with the SHA-256 of its bytes."""
    return [{"path": posixpath.relpath(each.path, resolved.project), "sha256": each.sha256} for each in resolved.chain]


def merged_source(config: dict[str, Json], *, all_jobs: bool) -> dict[str, Json]:
    """The merged config as it travels to a service that takes all of it: null entries gone (`_extra` apart).

    Only the first job stays unless all were asked for.
    """
    source = {key: value if key == "_extra" else pruned(value) for key, value in config.items() if value is not None}
    jobs = source.get("jobs")
    if isinstance(jobs, list) and not all_jobs:
        source["jobs"] = jobs[:1]
    return source
