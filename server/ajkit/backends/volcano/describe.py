"""How a job on Volcano is described: what its pods ask of Kubernetes, alike on every node or task by task."""

from __future__ import annotations

from typing import TYPE_CHECKING, Annotated

from pydantic import AfterValidator, BaseModel, ConfigDict, Field

from ajkit.backends.volcano.kubernetes import (
    Capability,
    ContainerSize,
    Cpus,
    Labels,
    Memory,
    Namespace,
    ObjectName,
    ResourceName,
)
from ajkit.backends.volcano.tasks import JOB_NAME_LIMIT, TASKS, Tasks, check_tasks, rank_bases
from ajkit.shared.job.unlike import TaskSection, shape_of
from ajkit.shared.spec import BackendOptions, Description, From, NameRule
from ajkit.shared.template.fields import AS_LIST
from ajkit.shared.template.nothing import NO_ENTRIES, NO_ITEMS
from ajkit.shared.template.refusals import refuse

if TYPE_CHECKING:
    from ajkit.shared.problem import Finding
    from ajkit.shared.spec import DerivedShape, Ignored
    from ajkit.shared.template.model import Template
    from ajkit.shared.where import KeyPath

_IMAGE: KeyPath = ("environment", "image")
_CPUS: KeyPath = ("target", "cpus_per_node")
_MEMORY: KeyPath = ("target", "memory")
_TASKS = TaskSection("volcano.tasks", TASKS, (_CPUS, _MEMORY, ("target", "gpus_per_node"), ("target", "rdma")))


def _absolute(value: str) -> str:
    if not value.startswith("/") or value == "/":
        raise refuse("option", f"{value!r} is no absolute path of a folder in the container, like /scratch")
    return value


class Scratch(BaseModel):
    """A folder of each pod that is empty at first and gone with it."""

    model_config = ConfigDict(extra="forbid", frozen=True, strict=True, defer_build=True)

    mount_dir: Annotated[str, AfterValidator(_absolute), Field(description="Where the container sees it.")] = "/scratch"
    size: Annotated[Memory | None, Field(description="How large it may grow, e.g. `500Gi`.")] = None


class VolcanoOpts(BackendOptions):
    """The options of a job on Volcano. With `tasks`, the resources of `target` are not set: every task has its own."""

    namespace: Annotated[Namespace | None, From("target.namespace"), Field(description="Namespace of the job.")] = None
    queue: Annotated[ObjectName, From("target.queue"), Field(description="Volcano queue of the job.")] = "default"
    context: Annotated[
        str | None, From("target.context"), Field(description="Context of the kubeconfig; else its current one.")
    ] = None
    cpus_per_node: Annotated[
        Cpus | None, From("target.cpus_per_node"), Field(description="CPUs of each pod, e.g. `32` or `500m`.")
    ] = None
    memory: Annotated[Memory | None, From("target.memory"), Field(description="Memory of each pod, e.g. `256Gi`.")] = (
        None
    )
    rdma: Annotated[bool, From("target.rdma"), Field(description="Whether each pod gets an RDMA device.")] = False
    priority_class: Annotated[
        ObjectName | None, From("target.priority_class"), Field(description="PriorityClass of the pods.")
    ] = None
    labels: Annotated[Labels, From("target.labels"), Field(description="Labels of the job and its pods.")] = NO_ENTRIES
    shm_size: Annotated[
        ContainerSize | None,
        From("jobs[0].submit_args.container_args.shm_size"),
        Field(description="Size of /dev/shm, e.g. `64g`."),
    ] = None
    capabilities: Annotated[
        Annotated[list[Capability], AS_LIST],
        From("_extra.volcano.capabilities"),
        Field(description="Linux capabilities of the containers, e.g. `IPC_LOCK`."),
    ] = NO_ITEMS
    scratch: Annotated[
        Scratch | None, From("_extra.volcano.scratch"), Field(description="An empty folder for each pod.")
    ] = None
    node_selector: Annotated[
        Labels, From("_extra.volcano.node_selector"), Field(description="Labels that all nodes must have.")
    ] = NO_ENTRIES
    gpu_resource: Annotated[
        ResourceName, From("_extra.volcano.gpu_resource"), Field(description="What the cluster calls a GPU.")
    ] = "nvidia.com/gpu"
    rdma_resource: Annotated[
        ResourceName, From("_extra.volcano.rdma_resource"), Field(description="What it calls an RDMA device.")
    ] = "rdma/hca"
    tasks: Annotated[
        Tasks,
        From("_extra.volcano.tasks"),
        Field(description="Groups of unlike pods by name; one is called `master` and has one replica."),
    ] = NO_ENTRIES

    @property
    def rank_bases(self) -> dict[str, int]:
        """The node rank of each task's first pod, in rank order; empty for homogeneous jobs."""
        return rank_bases(self.tasks)


class Volcano(Description):
    """The service `volcano`."""

    name = "volcano"
    summary = "Runs on Kubernetes as a Volcano job: all pods or none."
    options = VolcanoOpts
    required = (_IMAGE,)
    texts = ((*TASKS, "*", "env", "*"),)
    names = NameRule(allowed="a-z0-9-", first="a-z", limit=JOB_NAME_LIMIT, lower=True, prefix="j")

    def build_spec_backend(self, template: Template) -> tuple[BackendOptions | None, list[Finding]]:
        """The options; with tasks also what is wrong with them together and with the resources of `target`."""
        options, findings = super().build_spec_backend(template)
        findings += [*_TASKS.clashes(template), *_TASKS.odd_texts(template)]
        if isinstance(options, VolcanoOpts) and options.tasks:
            findings += check_tasks(options.tasks)
        return options, findings

    def derive_shape(self, template: Template) -> tuple[DerivedShape | None, list[Finding]]:
        """The shape that the tasks add up to, where there are any."""
        if not _TASKS.is_in(template):
            return None, []
        options, findings = self.build_spec_backend(template)
        if not isinstance(options, VolcanoOpts):
            return None, findings
        return shape_of(options.tasks), []

    def requires(self, template: Template) -> tuple[KeyPath, ...]:
        """An image, and the resources of the pods unless each task has its own."""
        return self.required if _TASKS.is_in(template) else (*self.required, _CPUS, _MEMORY)

    def ignores(self, template: Template) -> tuple[Ignored, ...]:
        """With tasks, what would shape a homogeneous job."""
        return _TASKS.ignored(template)


SERVICES = (Volcano(),)
