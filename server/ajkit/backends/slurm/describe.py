"""How a job on Slurm is described: what `sbatch` is told besides the shape."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator, BeforeValidator, Field

from ajkit.shared.problem import Severity
from ajkit.shared.spec import BackendOptions, Description, From, Ignored
from ajkit.shared.template.refusals import refuse
from ajkit.shared.template.sizes import MIB, binary_size

if TYPE_CHECKING:
    from ajkit.shared.template.model import Template


def _word(value: str) -> str:
    """Refuse what `sbatch`, `ssh` or a line of the script would take for something else."""
    if not value or value.startswith("-") or any(each.isspace() or each in "'\"`$;\\" for each in value):
        raise refuse("option", f"{value!r} cannot be passed on: no spaces, quotes, `$`, `;`, or a dash in front")
    return value


def _partition(value: str) -> str | None:
    # A template for several services has the queue "default", which on a cluster means: whatever its default is.
    return None if value == "default" else value


def _cpus(value: object) -> object:
    if isinstance(value, bool) or not str(value).isdigit() or int(str(value)) < 1:
        raise refuse("option", f"{value!r} is not a whole number of CPUs, and Slurm gives no parts of one")
    return int(str(value))


def _memory(value: object) -> object:
    size = binary_size(str(value))
    if size is None or size < MIB:
        suggest = f"{value}Gi" if str(value).isdigit() else None
        raise refuse("option", f"{value!r} is no size of memory: write it with its unit, like 64Gi", suggest=suggest)
    return f"{size // MIB}M"


Word = Annotated[str, AfterValidator(_word)]
Words = Annotated[list[Word], BeforeValidator(lambda value: [value] if isinstance(value, str) else value)]


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
    ] = []
    host: Annotated[
        Word | None,
        From("_extra.slurm.host"),
        Field(description="Login node to submit from over ssh, `user@host` or a name of the ssh configuration."),
    ] = None
    cpus_per_node: Annotated[
        Annotated[int, BeforeValidator(_cpus, json_schema_input_type=int | str)] | None,
        From("target.cpus_per_node"),
        Field(description="Whole CPUs on each node."),
    ] = None
    memory: Annotated[
        Annotated[str, BeforeValidator(_memory, json_schema_input_type=int | str)] | None,
        From("target.memory"),
        Field(description="Memory on each node, e.g. `64Gi`."),
    ] = None


class Slurm(Description):
    """The service `slurm`."""

    name = "slurm"
    summary = "Runs on a Slurm cluster, submitted with sbatch and spread with srun."
    options = SlurmOpts

    def ignores(self, template: Template) -> tuple[Ignored, ...]:  # noqa: ARG002
        """The nodes are used as they are: no image, no mounts."""
        return (
            Ignored(("environment", "image"), "`slurm` runs the command on the nodes as they are, in no image"),
            Ignored(("environment", "registry"), "`slurm` starts no image"),
            Ignored(("storage",), "`slurm` mounts nothing: the command must find its data itself", Severity.WARNING),
        )


SERVICES = (Slurm(),)
