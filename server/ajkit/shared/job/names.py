"""The name of a job: who gave it, its ``-<sid>`` and the spelling its service accepts."""

from __future__ import annotations

import posixpath
from typing import TYPE_CHECKING

from ajkit.shared.job.command import script_of
from ajkit.shared.problem import Finding, Problem, problem
from ajkit.shared.records import dataclass

if TYPE_CHECKING:
    from ajkit.shared.job.request import Ambient, JobRequest
    from ajkit.shared.spec import Service
    from ajkit.shared.template.model import Template
    from ajkit.shared.where import KeyPath

NAME_PATH: KeyPath = ("jobs", 0, "name")


@dataclass(frozen=True, slots=True)
class NameSource:
    """A name before its sid: the text, who gave it in words, and its key path where the template did."""

    text: str
    given_by: str
    path: KeyPath | None = None


def name_source(template: Template, request: JobRequest, ambient: Ambient, project: str) -> NameSource:
    """``--name``, else the caller's AJ_NAME, else ``jobs[0].name``, else the project folder's name and the script's."""
    if request.name is not None:
        return NameSource(request.name, "--name")
    if ambient.caller_name:
        return NameSource(ambient.caller_name, "AJ_NAME of the caller")
    if template.job.name:
        return NameSource(template.job.name, "jobs[0].name", NAME_PATH)
    folder = posixpath.basename(project.rstrip("/")) or "job"
    script = script_of(request, ambient)
    if script is None:
        return NameSource(folder, "the project folder")
    stem = posixpath.splitext(posixpath.basename(script))[0]
    return NameSource(f"{folder}-{stem}", "the project folder and the script")


def job_name(source: NameSource, sid: str, service: Service) -> str | Finding | Problem:
    """The name with ``-<sid>`` as the service spells it, or why it cannot be one."""
    try:
        if not source.text.strip():
            raise ValueError("the name is empty")
        name = service.normalize_job_name(f"{source.text}-{sid}")
        if not name.endswith(f"-{sid}"):
            raise ValueError(f"{service.name} leaves no room for the job's id")
    except ValueError as error:
        message = f"`{source.text}` (from {source.given_by}) cannot name a job of {service.name}: {error}"
        if source.path is not None:
            return Finding(source.path, "name.invalid", message)
        return problem("name.invalid", message, None)
    return name
