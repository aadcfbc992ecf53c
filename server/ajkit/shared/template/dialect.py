"""The amlt dialect: the keys of amlt job files beyond the Template, what they mean, and which lose their effect."""

from __future__ import annotations

from typing import TYPE_CHECKING, Literal

if TYPE_CHECKING:
    from collections.abc import Collection, Iterator

    from ajkit.shared.where import Json, KeyPath

Section = tuple[str, ...]
"""A section of a config: ``("jobs", "submit_args")`` is that of any job, ``("storage", "*")`` any entry of storage."""

KEYS: dict[Section, dict[str, str]] = {
    (): {
        "env_defaults": "Default values of the variables (`${NAME}`) that amlt replaces in texts.",
        "data": "The data that amlt uploads, and where it goes.",
        "search": "A hyperparameter search: amlt makes a job of `job_template` for each trial.",
        "job": "A single job in place of `jobs`.",
        "resources": "Further resources that run beside the job.",
    },
    ("target",): {
        "vc": "The virtual cluster.",
        "cluster": "The cluster inside a virtual cluster.",
    },
    ("environment",): {
        "username": "The user that pulls the image from its registry.",
        "image_setup": "Lines that amlt runs once, when it builds the image.",
        "conda_yaml_file": "A conda environment that amlt builds the image from.",
        "skip_conda_packages_on_sing": "Conda packages that are left out on Singularity.",
    },
    ("code",): {
        "code_upload": "Whether amlt uploads the code.",
        "remote_dir": "Where amlt puts the code in its storage.",
    },
    ("jobs",): {
        "mpi": "Whether amlt starts the processes through MPI.",
        "execution_mode": "How the command runs: `basic` or `managed`.",
        "preemptible": "Whether the job may run on capacity that can be taken away.",
        "azml_int": "Whether the job runs through amlt's Azure ML integration.",
        "sku_count": "The number of nodes.",
        "aml_mpirun": "How Azure ML starts the processes: `communicator` and `process_count_per_node`.",
    },
    ("jobs", "submit_args"): {
        "max_attempts": "How often the job is tried.",
        "constraints": "Conditions on the nodes, each with `type` and `tag`.",
    },
    ("storage", "*"): {
        "is_output": "Whether amlt keeps the job's output in this container.",
        "local_dir": "A local folder that stands for the container.",
        "mount_options": "Options of blobfuse, which mounts the container.",
    },
}
"""What each key means, by section."""

BELOW: dict[Section, dict[str, str]] = {
    ("search",): {
        "type": "How the search goes through its parameters: `grid`, `random` or `bayesian`.",
        "sampling": "How the search goes through its parameters.",
        "max_trials": "The number of trials at most.",
        "parallel_trials": "How many trials run at a time.",
        "max_duration_hours": "The hours after which the search ends.",
        "metrics": "What makes a trial better, each with `name` and `goal`.",
        "params": "The parameters to search over, each with `name`, `spec` and `values`.",
        "job_template": "The job of each trial, written as an entry of `jobs`.",
    },
    ("search", "params"): {
        "name": "The name that `{name}` in the job's texts stands for.",
        "spec": "How values are drawn: `discrete`, `log` or another way that amlt knows.",
        "values": "The values, or the range that they are drawn from.",
    },
    ("search", "metrics"): {
        "name": "The name under which the job reports it.",
        "goal": "`maximize` or `minimize`.",
    },
    ("data",): {
        "local_dir": "The local folder to upload.",
        "remote_dir": "Where it goes in the storage.",
        "storage_id": "The entry of `storage` that it goes to.",
    },
    ("jobs", "aml_mpirun"): {
        "communicator": "What the processes speak through, such as `OpenMpi`.",
        "process_count_per_node": "Processes that it starts on each node.",
    },
    ("jobs", "submit_args", "constraints"): {
        "type": "What kind of condition it is.",
        "tag": "What the nodes must have.",
    },
}
"""The keys below those of `KEYS`, which nothing here reads or checks: they are only offered."""

FORMS: dict[str, Literal["list", "mapping"]] = {
    **dict.fromkeys(("env_defaults", "data", "search", "job", "job_template", "resources", "aml_mpirun"), "mapping"),
    **dict.fromkeys(("image_setup", "skip_conda_packages_on_sing", "constraints", "mount_options"), "list"),
    **dict.fromkeys(("params", "metrics", "values"), "list"),
}
"""How the keys that are no single value are written."""

_FLAG = ("true", "false")
VALUES: dict[str, tuple[str, ...]] = {
    **dict.fromkeys(("mpi", "preemptible", "azml_int", "is_output", "code_upload"), _FLAG),
    "execution_mode": ("basic", "managed"),
    "goal": ("maximize", "minimize"),
}
"""The words that a key takes, where they are few."""

_CHANGES_JOB = frozenset({"search", "data", "conda_yaml_file", "image_setup", "mount_options"})


def changes_job(key: str) -> bool:
    """Whether a job without the effect of this key would be another job, so that its loss is worth a warning."""
    return key in _CHANGES_JOB


def sections(config: dict[str, Json]) -> Iterator[tuple[Section, KeyPath, dict[str, Json]]]:
    """Every section of a config that may hold keys of the Template or the dialect: what it is, where, and its mapping.

    Whatever has the wrong type is left out; the type check speaks of that.
    """
    yield (), (), config
    for name in ("target", "environment", "code"):
        section = config.get(name)
        if isinstance(section, dict):
            yield (name,), (name,), section
    storage = config.get("storage")
    if isinstance(storage, dict):
        for name, entry in storage.items():
            if isinstance(entry, dict):
                yield ("storage", "*"), ("storage", name), entry
    jobs = config.get("jobs")
    if isinstance(jobs, list):
        for index, job in enumerate(jobs):
            if isinstance(job, dict):
                yield ("jobs",), ("jobs", index), job
                arguments = job.get("submit_args")
                if isinstance(arguments, dict):
                    yield ("jobs", "submit_args"), ("jobs", index, "submit_args"), arguments


def without_effect(config: dict[str, Json], used: Collection[KeyPath]) -> list[KeyPath]:
    """The key paths of the dialect's keys that hold something and are not `used`; of jobs, those of the first alone."""
    found: list[KeyPath] = []
    for section, path, mapping in sections(config):
        if section[:1] == ("jobs",) and path[1] != 0:
            break
        if not mapping.keys().isdisjoint(KEYS[section]):
            keys = [key for key in mapping if key in KEYS[section] and mapping[key] is not None]
            found += [(*path, key) for key in keys if (*path, key) not in used]
    return found
