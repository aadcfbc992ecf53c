"""Heterogeneous tasks: groups of pods, each with a shape of its own, ranked one group after the other."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from ajkit.backends.volcano.kubernetes import ContainerSize, Cpus, Labels, Memory, TaskName
from ajkit.shared.job.spec import EnvValue
from ajkit.shared.problem import Finding
from ajkit.shared.template.fields import TextList, Variable
from ajkit.shared.template.refusals import refuse
from ajkit.shared.where import format_keypath

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ajkit.shared.where import KeyPath

TASKS: KeyPath = ("_extra", "volcano", "tasks")
MASTER = "master"

POD_NAME_LIMIT = 63
"""A pod is called ``<job>-<task>-<index>`` and that is also its host name: over 63 characters the job hangs."""
JOB_NAME_LIMIT = 40
_TASK_ROOM = POD_NAME_LIMIT - JOB_NAME_LIMIT - len("--")


def _env_value(value: object) -> object:
    if isinstance(value, dict) and (len(value) != 1 or not value.keys() <= {"from_env", "from_file"}):
        raise refuse("option", "a variable is text, or a secret: {from_env: NAME} or {from_file: PATH}")
    return value


TaskEnvValue = Annotated[EnvValue, BeforeValidator(_env_value, json_schema_input_type=Variable)]


class _Part(BaseModel):
    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)


class TaskEnvironment(_Part):
    """What a task's pods run in, where that is not what the template's `environment` says."""

    image: Annotated[str | None, Field(description="Container image of this task.")] = None
    setup: Annotated[TextList, Field(description="Lines run before the command, after the template's.")] = []


class ContainerArgs(_Part):
    """Details of a container."""

    shm_size: Annotated[ContainerSize | None, Field(description="Size of /dev/shm, e.g. `64g`.")] = None


class Task(_Part):
    """One group of like pods."""

    replicas: Annotated[int, Field(ge=1, description="Number of pods, one on each node.")]
    cpus_per_node: Annotated[Cpus, Field(description="CPUs of each pod.")]
    memory: Annotated[Memory, Field(description="Memory of each pod, e.g. `64Gi`.")]
    gpus_per_node: Annotated[int, Field(ge=0, description="GPUs of each pod.")]
    rdma: Annotated[bool, Field(description="Whether each pod gets an RDMA device.")]
    processes_per_node: Annotated[int, Field(ge=1, description="Launcher processes in each pod.")]
    node_selector: Annotated[Labels, Field(description="Labels that its nodes must have.")] = {}
    environment: Annotated[TaskEnvironment, Field(description="Image and setup of its own.")] = TaskEnvironment()
    command: Annotated[TextList, Field(description="Lines run instead of the job's command.")] = []
    env: Annotated[dict[str, TaskEnvValue], Field(description="Variables besides the job's, as text.")] = {}
    container_args: Annotated[ContainerArgs, Field(description="Details of its container.")] = ContainerArgs()


def _ranked(tasks: dict[str, Task]) -> dict[str, Task]:
    return {name: tasks[name] for name in sorted(tasks, key=lambda each: (each != MASTER, each))}


Tasks = Annotated[dict[TaskName, Task], AfterValidator(_ranked)]
"""Tasks by name, in rank order: the master, then by name."""


def rank_bases(tasks: Mapping[str, Task]) -> dict[str, int]:
    """The node rank of each task's first pod: the replicas of the tasks before it, added up."""
    bases, base = {}, 0
    for name, task in tasks.items():
        bases[name] = base
        base += task.replicas
    return bases


def check_tasks(tasks: Mapping[str, Task]) -> Iterator[Finding]:
    """What is wrong with tasks taken together: the one master, and the room that their names have."""
    if MASTER not in tasks:
        message = f"one of the tasks must be called `{MASTER}`: it has node rank 0, and the others find it by that name"
        yield Finding(TASKS, "volcano.tasks", message, on_key=True)
    elif (replicas := tasks[MASTER].replicas) != 1:
        message = f"the task `{MASTER}` must have one replica, not {replicas}: put the others into a task of their own"
        yield Finding((*TASKS, MASTER, "replicas"), "volcano.tasks", message, suggest="1")
    for name, task in tasks.items():
        over = len(name) + len(str(task.replicas - 1)) - _TASK_ROOM
        if over > 0:
            path: KeyPath = (*TASKS, name)
            message = (
                f"`{format_keypath(path)}` is {over} characters too long for the names of its {task.replicas} pods"
            )
            yield Finding(path, "volcano.name", message, on_key=True)
