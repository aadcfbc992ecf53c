"""The groups of like pods of a job: one called `worker`, or one for each heterogeneous task, with their ranks."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

from ajkit.backends.volcano.tasks import rank_bases
from ajkit.shared.job.nodeprogram import NodeGroup, NodeProgram, node_program
from ajkit.shared.job.variables import INJECTED

if TYPE_CHECKING:
    from collections.abc import Sequence

    from ajkit.backends.volcano.describe import VolcanoOpts
    from ajkit.shared.job.spec import EnvValue, JobSpec

WORKER = "worker"
MASTER_PORT = 29500


@dataclass(frozen=True, slots=True)
class Pods:
    """One group of like pods: what each asks of the cluster, and what it runs.

    `first_node` is the node rank of its first pod, `first_rank` the rank of that pod's first process.
    """

    task: str
    replicas: int
    processes: int
    first_node: int
    first_rank: int
    cpus: str | None
    memory: str | None
    gpus: int
    rdma: bool
    image: str
    shm_size: str | None
    node_selector: dict[str, str]
    setup: tuple[str, ...]
    command: str
    env: dict[str, EnvValue]
    heterogeneous: bool

    def names(self, job: str) -> list[str]:
        """The names of its pods, which are also their host names."""
        return [f"{job}-{self.task}-{index}" for index in range(self.replicas)]


def pods_of(spec: JobSpec, options: VolcanoOpts) -> tuple[Pods, ...]:
    """The groups of a job in rank order."""
    if not options.tasks:
        return (
            Pods(
                task=WORKER,
                replicas=spec.nodes,
                processes=spec.processes_per_node,
                first_node=0,
                first_rank=0,
                cpus=options.cpus_per_node,
                memory=options.memory,
                gpus=spec.gpus_per_node,
                rdma=options.rdma,
                image=_image(spec, spec.image),
                shm_size=options.shm_size,
                node_selector=options.node_selector,
                setup=tuple(spec.setup),
                command=spec.command,
                env=dict(spec.env),
                heterogeneous=False,
            ),
        )
    groups = []
    nodes, rank = rank_bases(options.tasks), 0
    injected = {name: value for name, value in spec.env.items() if name in INJECTED}
    for name, task in options.tasks.items():
        groups.append(
            Pods(
                task=name,
                replicas=task.replicas,
                processes=task.processes_per_node,
                first_node=nodes[name],
                first_rank=rank,
                cpus=task.cpus_per_node,
                memory=task.memory,
                gpus=task.gpus_per_node,
                rdma=task.rdma,
                image=_image(spec, task.environment.image or spec.image),
                shm_size=task.container_args.shm_size or options.shm_size,
                node_selector={**options.node_selector, **task.node_selector},
                setup=(*spec.setup, *task.environment.setup),
                command="\n".join(task.command) if task.command else spec.command,
                env={**spec.env, **task.env, **injected},
                heterogeneous=True,
            )
        )
        rank += task.replicas * task.processes_per_node
    return tuple(groups)


def program_of(group: Pods, groups: Sequence[Pods], job: str, *, code: Sequence[str]) -> NodeProgram:
    """What the pods of a group run; `code` are the lines that lay out the code and enter its folder.

    Volcano's `svc` plugin gives every pod a host name below a service that is called like the job, so the address of
    node 0 is known beforehand; its `env` plugin numbers the pods of a task.
    """
    node = NodeGroup(
        index='"${VC_TASK_INDEX:-${VK_TASK_INDEX:-${HOSTNAME##*-}}}"',
        master=f"{groups[0].names(job)[0]}.{job}",
        port=str(MASTER_PORT),
        processes=group.processes,
        world=sum(each.replicas * each.processes for each in groups),
        first_node=group.first_node,
        first_rank=group.first_rank,
    )
    of_task = (
        f"export AJ_TASK_NAME={group.task}",
        'export AJ_TASK_INDEX="$aj_index"',
        f"export AJ_TASK_REPLICAS={group.replicas}",
    )
    return node_program(
        node,
        setup=group.setup,
        command=group.command,
        given=group.env,
        before=code,
        exports=of_task if group.heterogeneous else (),
    )


def _image(spec: JobSpec, image: str | None) -> str:
    """The whole name of an image; a template may write the registry apart."""
    if not spec.image_registry or image is None:
        return image or ""
    return f"{spec.image_registry.rstrip('/')}/{image}"
