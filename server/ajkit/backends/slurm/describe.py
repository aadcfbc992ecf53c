"""How a job on Slurm is described: what `sbatch` is told besides the shape."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator, BaseModel, BeforeValidator, ConfigDict, Field

from ajkit.shared.job.unlike import TaskSection, shape_of
from ajkit.shared.problem import Severity
from ajkit.shared.spec import BackendOptions, Description, From, Ignored
from ajkit.shared.template.fields import AS_LIST, TextList
from ajkit.shared.template.nothing import NO_ENTRIES, NO_ITEMS
from ajkit.shared.template.refusals import refuse
from ajkit.shared.template.sizes import MIB, binary_size

if TYPE_CHECKING:
    from ajkit.shared.problem import Finding
    from ajkit.shared.spec import DerivedShape
    from ajkit.shared.template.model import Template
    from ajkit.shared.where import KeyPath

TASKS: KeyPath = ("_extra", "slurm", "tasks")
_TASKS = TaskSection(
    "slurm.tasks", TASKS, (("target", "gpus_per_node"), ("target", "cpus_per_node"), ("target", "memory"))
)


def _word(value: str) -> str:
    """Refuse what `sbatch`, `ssh` or a line of the script would take for something else."""
    if not value or value.startswith("-") or any(each.isspace() or each in "'\"`$;\\" for each in value):
        raise refuse("option", f"{value!r} cannot be passed on: no spaces, quotes, `$`, `;`, or a dash in front")
    return value


def _partition(value: str) -> str | None:
    # A template for several services has the queue "default", which on a cluster means: whatever its default is.
    return None if value == "default" else value


def _cpus(value: object) -> object:
    if isinstance(value, bool) or not re.fullmatch("0*[1-9][0-9]{0,8}", str(value)):
        raise refuse("option", f"{value!r} is not a whole number of CPUs, and Slurm gives no parts of one")
    return int(str(value))


def _memory(value: object) -> object:
    size = binary_size(str(value))
    if size is None or size < MIB:
        suggest = f"{value}Gi" if re.fullmatch("[0-9]{1,9}", str(value)) else None
        raise refuse("option", f"{value!r} is no size of memory: write it with its unit, like 64Gi", suggest=suggest)
    return f"{size // MIB}M"


Word = Annotated[str, AfterValidator(_word)]
Cpus = Annotated[int, BeforeValidator(_cpus, json_schema_input_type=int | str)]
Memory = Annotated[str, BeforeValidator(_memory, json_schema_input_type=int | str)]
Words = Annotated[list[Word], AS_LIST]


class Task(BaseModel):
    """One group of like nodes of a heterogeneous job; Slurm calls it a component."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)

    replicas: Annotated[int, Field(ge=1, description="Number of nodes.")]
    gpus_per_node: Annotated[int, Field(ge=0, description="GPUs on each of them.")] = 0
    processes_per_node: Annotated[int, Field(ge=1, description="Launcher processes on each of them.")] = 1
    cpus_per_node: Annotated[Cpus | None, Field(description="Whole CPUs on each of them.")] = None
    memory: Annotated[Memory | None, Field(description="Memory on each of them, e.g. `64Gi`.")] = None
    partition: Annotated[Word | None, Field(description="Partition, where it is not the job's.")] = None
    constraint: Annotated[Word | None, Field(description="Features of its nodes, where they are not the job's.")] = None
    command: Annotated[TextList, Field(description="Lines run instead of the job's command.")] = NO_ITEMS


def _task_name(value: str) -> str:
    if not re.fullmatch(r"[a-z0-9][a-z0-9-]{0,30}", value):
        raise refuse("option", f"{value!r} is no name of a task: use a-z, 0-9 and dashes, at most 31")
    return value


class SlurmOpts(BackendOptions):
    """The options of a job on Slurm."""

    partition: Annotated[
        Annotated[Word, AfterValidator(_partition)] | None,
        From("target.queue"),
        Field(description="Partition, or several separated by commas; `default` leaves it to the cluster."),
    ] = None
    account: Annotated[
        Word | None, From("_extra.slurm.account"), Field(description="Account that the job is charged to.")
    ] = None
    qos: Annotated[Word | None, From("_extra.slurm.qos"), Field(description="Quality of service.")] = None
    constraint: Annotated[
        Word | None,
        From("_extra.slurm.constraint"),
        Field(description="Features that nodes must have, e.g. `a100&nvlink`."),
    ] = None
    gres: Annotated[
        Word, From("_extra.slurm.gres"), Field(description="Name that GPUs have on the cluster, e.g. `gpu:a100`.")
    ] = "gpu"
    modules: Annotated[
        Words, From("_extra.slurm.modules"), Field(description="Environment modules to load, e.g. `cuda/12.4`.")
    ] = NO_ITEMS
    host: Annotated[
        Word | None,
        From("_extra.slurm.host"),
        Field(description="Login node to submit from over ssh, `user@host` or a name of the ssh configuration."),
    ] = None
    tasks: Annotated[
        dict[Annotated[str, AfterValidator(_task_name)], Task],
        From("_extra.slurm.tasks"),
        Field(description="Groups of unlike nodes by name, in rank order: a heterogeneous Slurm job."),
    ] = NO_ENTRIES
    cpus_per_node: Annotated[
        Cpus | None,
        From("target.cpus_per_node"),
        Field(description="Whole CPUs on each node."),
    ] = None
    memory: Annotated[
        Memory | None,
        From("target.memory"),
        Field(description="Memory on each node, e.g. `64Gi`."),
    ] = None


_IGNORED = (
    Ignored(("environment", "image"), "`slurm` runs the command on the nodes as they are, in no image"),
    Ignored(("environment", "registry"), "`slurm` starts no image"),
    Ignored(("storage",), "`slurm` mounts nothing: the command must find its data itself", Severity.WARNING),
)


class Slurm(Description):
    """The service `slurm`."""

    name = "slurm"
    summary = "Runs on a Slurm cluster, submitted with sbatch and spread with srun."
    options = SlurmOpts

    def build_spec_backend(self, template: Template) -> tuple[BackendOptions | None, list[Finding]]:
        """The options; with tasks also what of `target` each of them has for itself."""
        options, findings = super().build_spec_backend(template)
        return options, [*findings, *_TASKS.clashes(template), *_TASKS.odd_texts(template)]

    def derive_shape(self, template: Template) -> tuple[DerivedShape | None, list[Finding]]:
        """The shape that the tasks add up to, where there are any."""
        if not _TASKS.is_in(template):
            return None, []
        options, findings = self.build_spec_backend(template)
        if not isinstance(options, SlurmOpts):
            return None, findings
        return shape_of(options.tasks), []

    def ignores(self, template: Template) -> tuple[Ignored, ...]:
        """The nodes are used as they are: no image, no mounts; with tasks, nothing that would shape like nodes."""
        return (*_TASKS.ignored(template), *_IGNORED)


SERVICES = (Slurm(),)
