"""The environment of a job: the template's values as they were written, and the ``AJ_*`` values that override them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ajkit.shared.problem import Finding

if TYPE_CHECKING:
    from collections.abc import Collection, Mapping
    from collections.abc import Set as AbstractSet

    from ajkit.shared.template.model import Template
    from ajkit.shared.template.resolve import Resolved
    from ajkit.shared.where import Json, KeyPath

ENV_PATH: KeyPath = ("jobs", 0, "submit_args", "env")

FACTS = ("AJ_NAME", "AJ_ID", "AJ_TEMPLATE", "AJ_SUBMIT_TIMESTAMP_UTC")
"""What is injected besides the shape."""

AT_RUN_TIME = ("AJ_NODE_RANK",)
AT_RUN_TIME_OF_TASKS = ("AJ_TASK_NAME", "AJ_TASK_INDEX", "AJ_TASK_REPLICAS")


def written_env(resolved: Resolved, template: Template) -> dict[str, Json]:
    """The template's values: text as written (``on``, ``1.10``), secret references as they are, null not set."""
    env: dict[str, Json] = {}
    for name, value in template.job.submit_args.env.items():
        if isinstance(value, str):
            env[name] = value
        elif isinstance(value, dict):
            env[name] = {str(kind): source for kind, source in value.items()}
        else:
            written = resolved.written((*ENV_PATH, name))
            env[name] = json.dumps(value) if written is None else written
    return env


def overridden(env: Mapping[str, object], by: AbstractSet[str], path: KeyPath = ENV_PATH) -> list[Finding]:
    """A warning for each variable of the template that aj sets itself; `path` is where they stand."""
    if env.keys().isdisjoint(by):
        return []
    return [
        Finding(
            (*path, name),
            "env.overridden",
            f"{name} is set by aj itself, which overrides this value: choose another name, or delete the line",
            on_key=True,
        )
        for name in env
        if name in by
    ]


def set_at_run_time(*, tasks: bool) -> tuple[str, ...]:
    """The names that a backend sets for every process itself, so that they do not travel."""
    return (*AT_RUN_TIME, *AT_RUN_TIME_OF_TASKS) if tasks else AT_RUN_TIME


def job_env(
    written: Mapping[str, Json], injected: Mapping[str, str], at_run_time: Collection[str]
) -> tuple[dict[str, Json], list[Finding]]:
    """The environment of a JobSpec, injected values last, and what of the template they override."""
    kept = {name: value for name, value in written.items() if name not in injected and name not in at_run_time}
    return {**kept, **injected}, overridden(written, {*injected, *at_run_time})
