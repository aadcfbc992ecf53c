"""The typed Template: what a merged config means, checked by pydantic, with `raw` kept untouched."""

from __future__ import annotations

from functools import cache
from typing import TYPE_CHECKING, Annotated, Any

from pydantic import BaseModel, BeforeValidator, ConfigDict, Field, ValidationError, model_validator

from ajkit.shared.template.fields import (
    AnyMap,
    Choice,
    EnvMap,
    Flag,
    NotNegative,
    Positive,
    Processes,
    Quantity,
    Sku,
    Text,
    TextList,
    TextMap,
    without_nulls,
)
from ajkit.shared.template.nothing import NO_ENTRIES, NO_ITEMS
from ajkit.shared.template.refusals import refusals
from ajkit.shared.template.unknown import unknown_keys

if TYPE_CHECKING:
    from collections.abc import Collection

    from ajkit.shared.problem import Finding
    from ajkit.shared.where import Json, KeyPath

_UNSET: Any = NO_ENTRIES
"""The default of a section that is not there: an empty mapping, validated like a written one.

Plain defaults rather than factories or instances: pydantic asks every factory for its signature, and an instance would
build a validator of its own; both cost more at start than all models together.
"""


class Section(BaseModel):
    """The settings of every section: strict types, unchangeable; null means "not set".

    Unknown keys are left out here and warned of by `check_types`. A section's validator is built
    when Template's is, not on import.
    """

    model_config = ConfigDict(extra="ignore", frozen=True, strict=True, defer_build=True)

    _null_is_not_set = model_validator(mode="before")(without_nulls)


class Target(Section):
    """Where the job runs: the service and what it needs to know."""

    service: Text | None = Field(
        default=None,
        description="The service that runs the job. A template that is run must say one, itself or through a base.",
    )
    name: Text | None = Field(
        default=None,
        description="The compute to run on: the cluster (`aml`) or the virtual cluster (`sing`).",
        examples=["gpu-cluster"],
    )
    subscription_id: Text | None = Field(
        default=None,
        description="The Azure subscription of the workspace. The daemon's configuration may say it instead.",
    )
    resource_group: Text | None = Field(
        default=None,
        description="The Azure resource group of the workspace. The daemon's configuration may say it instead.",
    )
    workspace_name: Text | None = Field(
        default=None, description="The Azure ML workspace. The daemon's configuration may say it instead."
    )
    namespace: Text | None = Field(default=None, description="The Kubernetes namespace of the job (`volcano`).")
    queue: Text = Field(default="default", description="The queue of the job (`volcano`), or the partition (`slurm`).")
    context: Text | None = Field(
        default=None, description="The kubeconfig context to use (`volcano`); not set: the current one."
    )
    gpus_per_node: NotNegative | None = Field(
        default=None,
        description="Processes per node, when `-p` does not say it: GPUs for a GPU SKU, the size tier for a CPU SKU.",
        examples=[8],
    )
    cpus_per_node: Quantity | None = Field(
        default=None, description="CPUs of each node's pod (`volcano`).", examples=[32, "500m"]
    )
    memory: Quantity | None = Field(
        default=None, description="Memory of each node's pod (`volcano`).", examples=["512Gi"]
    )
    rdma: Flag | None = Field(default=None, description="Whether each pod asks for the RDMA network (`volcano`).")
    priority_class: Text | None = Field(
        default=None, description="The Kubernetes PriorityClass of the pods (`volcano`)."
    )
    labels: TextMap = Field(default=NO_ENTRIES, description="Kubernetes labels of the job and its pods (`volcano`).")


class Environment(Section):
    """What the job runs in: the image and what is prepared before the command."""

    image: Text | None = Field(
        default=None, description="The container image.", examples=["pytorch/pytorch:2.4.0-cuda12.1-cudnn9-runtime"]
    )
    registry: Text | None = Field(
        default=None, description="The registry that `image` comes from, when it is not part of its name."
    )
    setup: TextList = Field(
        default=NO_ITEMS,
        description="Shell lines that run on every node before the command. Lists of bases come first.",
    )


class CodeSection(Section):
    """Which folder's content goes with the job."""

    local_dir: Text = Field(
        default=".",
        description="The folder to upload, relative to the project folder; `$CONFIG_DIR` is the template's folder.",
        examples=["$CONFIG_DIR/../.."],
    )
    ignore: TextList = Field(
        default=NO_ITEMS,
        description="Rules that leave files out, written as in `.gitignore`. The rules of the first of `.ajignore`, "
        "`.codeignore` and `.amltignore` in the code folder follow them.",
        examples=[["data/", "*.ckpt"]],
    )


class SubmitArgs(Section):
    """Details of the submission: environment variables, container arguments, the time limit."""

    env: EnvMap = Field(
        default=NO_ENTRIES,
        description="Environment variables of the job. Values are the text as written; `null` means not set. "
        "A secret is a reference, read where the job is executed: `{from_env: NAME}` or `{from_file: PATH}`.",
    )
    container_args: AnyMap = Field(
        default=NO_ENTRIES,
        description="Arguments of the container, such as `shm_size: 64g`.",
        examples=[{"shm_size": "64g"}],
    )
    max_run_duration_seconds: Positive | None = Field(
        default=None, description="The job is ended after so many seconds.", examples=[86400]
    )


class Job(Section):
    """One entry of `jobs`; only the first is used."""

    name: Text | None = Field(
        default=None, description="The name of the job; `--name` wins over it. A unique suffix is added."
    )
    command: TextList = Field(
        default=NO_ITEMS,
        description="The lines of one bash script. The words given to `aj run` follow them. Lists of bases come first.",
    )
    sku: Sku | None = Field(
        default=None,
        description="The kind of node, with `{nodes}` and `{processes}` for the shape of the run, such as "
        "`{nodes}x80G{processes}-A100`; or a mapping of node ranges (`1`, `2-4`, `8+`) to such texts.",
        examples=["{nodes}x80G{processes}-A100", "G8", {"1": "G{processes}", "2+": "{nodes}xG{processes}-IB"}],
    )
    instance_count: Positive | None = Field(default=None, description="The number of nodes, when `-n` does not say it.")
    process_count_per_node: Processes = Field(
        default=0, description="Launcher processes per node, when `--ppn` does not say it; 0 means not set (then 1)."
    )
    identity: Text | None = Field(
        default=None, description="The identity the job has in Azure (`aml`, `sing`).", examples=["managed", "user"]
    )
    sla_tier: Annotated[str, Choice("Basic", "Standard", "Premium")] | None = Field(
        default=None, description="How safe the job is from being preempted (`sing`)."
    )
    priority: Annotated[str, Choice("Low", "Medium", "High")] | None = Field(
        default=None, description="The priority among jobs of the same tier (`sing`)."
    )
    tags: TextList = Field(
        default=NO_ITEMS,
        description="Tags of the job (`aml`, `sing`), each `name:value`.",
        examples=[["purpose:pretrain"]],
    )
    submit_args: SubmitArgs = Field(default=_UNSET, validate_default=True, description=SubmitArgs.__doc__)


class Storage(Section):
    """A blob container and where the job sees it."""

    storage_account_name: Text | None = Field(default=None, description="The Azure storage account.")
    container_name: Text | None = Field(default=None, description="The blob container in that account.")
    mount_dir: Text | None = Field(
        default=None, description="The path at which the job sees the container.", examples=["/mnt/data"]
    )


class Template(Section):
    """A merged config, typed. `raw` is the merged mapping itself, untouched."""

    target: Target = Field(default=_UNSET, validate_default=True, description=Target.__doc__)
    environment: Environment = Field(default=_UNSET, validate_default=True, description=Environment.__doc__)
    code: CodeSection = Field(default=_UNSET, validate_default=True, description=CodeSection.__doc__)
    jobs: list[Job] = Field(
        default=NO_ITEMS,
        description="The job, as the first entry. Further entries are used by `aj run --amlt --all-jobs` alone.",
    )
    storage: Annotated[dict[str, Storage], BeforeValidator(without_nulls)] = Field(
        default=NO_ENTRIES, description="Blob containers that the job sees, by a name of your choice."
    )
    description: Text | None = Field(default=None, description="What the job is for, in your words.")
    extra: dict[str, Any] = Field(
        default=NO_ENTRIES,
        alias="_extra",
        description="Options of one service or tool under its name (`_extra.slurm`); carried as they are written.",
    )
    raw: Annotated[dict[str, Any], Field(exclude=True)] = NO_ENTRIES

    @property
    def job(self) -> Job:
        """The first job, or an empty one."""
        return self.jobs[0] if self.jobs else _no_job()


@cache
def _no_job() -> Job:
    return Job.model_validate({})


def typed(config: dict[str, Json]) -> Template:
    """The Template of a merged config; raises pydantic.ValidationError."""
    return Template.model_validate({**config, "raw": config})


def check_types(config: dict[str, Json], added: Collection[KeyPath] = ()) -> tuple[Template | None, list[Finding]]:
    """The Template of a merged config and what is wrong with its types and keys; None where a type is wrong.

    There is one `schema.type` per offending value, and one `schema.unknown-key` (a warning) per key and section.
    `added` are the key paths that services read beyond the Template's own (``Registry.extra_fields()``).
    """
    findings = unknown_keys(Template, config, added)
    try:
        return typed(config), findings
    except ValidationError as error:
        return None, [*refusals(error, Template, config), *findings]
