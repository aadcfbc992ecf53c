"""The environment of a job: the template's values as they were written, and the ``AJ_*`` values that override them."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING

from ajkit.shared.problem import Finding

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ajkit.shared.template.model import Template
    from ajkit.shared.template.resolve import Resolved
    from ajkit.shared.where import Json, KeyPath

ENV_PATH: KeyPath = ("jobs", 0, "submit_args", "env")

AT_RUN_TIME = ("AJ_NODE_RANK",)
AT_RUN_TIME_OF_TASKS = ("AJ_TASK_NAME", "AJ_TASK_INDEX", "AJ_TASK_REPLICAS")


def written_env(resolved: Resolved, template: Template) -> dict[str, Json]:
    """The template's values: text as written (``on``, ``1.10``), secret references as they are, null not set."""
    env: dict[str, Json] = {}
    for name, value in template.job.submit_args.env.items():
        if isinstance(value, str | dict):
            env[name] = value if isinstance(value, str) else dict(value)
        elif value is not None:
            written = resolved.written((*ENV_PATH, name))
            env[name] = json.dumps(value) if written is None else written
    return env


def job_env(
    written: Mapping[str, Json], injected: Mapping[str, str], at_run_time: tuple[str, ...]
) -> tuple[dict[str, Json], list[Finding]]:
    """The environment of a JobSpec, injected values last, and a warning for each value of the template they override.

    `at_run_time` are names that the backend sets for every process itself; they do not travel.
    """
    overridden = [name for name in written if name in injected or name in at_run_time]
    findings = [
        Finding(
            (*ENV_PATH, name),
            "env.overridden",
            f"{name} is set by aj itself, which overrides this value: choose another name, or delete the line",
            on_key=True,
        )
        for name in overridden
    ]
    kept = {name: value for name, value in written.items() if name not in overridden}
    return {**kept, **injected}, findings
