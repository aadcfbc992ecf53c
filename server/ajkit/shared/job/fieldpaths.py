"""Which key path of the merged config a part of a JobSpec is read from, where it is read from a single one."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ajkit.shared.job.env import ENV_PATH, FACTS
from ajkit.shared.template.options import declared
from ajkit.shared.where import Missing, at

if TYPE_CHECKING:
    from ajkit.shared.job.build import Materials
    from ajkit.shared.where import KeyPath

_SECTIONS: dict[str, KeyPath] = {
    "description": ("description",),
    "image": ("environment", "image"),
    "image_registry": ("environment", "registry"),
    "setup": ("environment", "setup"),
    "storage": ("storage",),
    "time_limit_seconds": ("jobs", 0, "submit_args", "max_run_duration_seconds"),
    "extra": ("_extra",),
}
"""Sections of a JobSpec that are one section of the template."""


def read_from(path: KeyPath, job: Materials) -> KeyPath | None:
    """The key path that a part of the JobSpec repeats, or as much of it as there is in the template.

    None for what was worked out, given by hand or injected, and for the options of a service that are not set.
    """
    section, rest = str(path[0]), path[1:]
    if section in _SECTIONS:
        return nearest(job, (*_SECTIONS[section], *rest))
    if not rest:
        return None
    if section == "env":
        injected = rest[0] in FACTS or rest[0] in job.sizing.variables()
        return None if injected else nearest(job, (*ENV_PATH, *rest))
    if section == "template":
        return nearest(job, rest)
    place = option_path(str(rest[0]), job) if section == "backend_spec" else None
    if place is None or isinstance(at(job.resolved.config, place), Missing):
        return None
    return nearest(job, (*place, *rest[1:]))


def option_path(name: str, job: Materials) -> KeyPath | None:
    """The key path that one of the service's options declares."""
    return next((path for path, each in declared(job.service.options).items() if each == name), None)


def nearest(job: Materials, path: KeyPath) -> KeyPath:
    """A key path of the merged config, or as much of it as there is; its first step at least."""
    depth = len(path)
    while depth > 1 and isinstance(at(job.resolved.config, path[:depth]), Missing):
        depth -= 1
    return path[:depth]
