"""The environment variables of a job and what they mean (contract section 6): set when it is built, set per process."""

from __future__ import annotations

BUILT: dict[str, str] = {
    "AJ_NAME": "The name of the job as the service knows it.",
    "AJ_ID": "The sid: ten characters that end the job's name and tell it from all others.",
    "AJ_TEMPLATE": "The name of the template the job was made from.",
    "AJ_SUBMIT_TIMESTAMP_UTC": "When the job was submitted, in ISO 8601, UTC.",
    "AJ_NODES": "The number of nodes.",
    "AJ_PROCESSES": "Nodes × GPUs per node for GPU SKUs, nodes × launcher processes for CPU SKUs.",
    "AJ_GPUS_PER_NODE": "GPUs per node; 0 for CPU SKUs.",
    "AJ_PROCESSES_PER_NODE": "Launcher processes per node (`--ppn`).",
    "AJ_GPU_NODES": "Nodes that have GPUs; set for heterogeneous jobs.",
    "AJ_TOTAL_GPUS": "GPUs of all nodes together; set for heterogeneous jobs.",
}
"""Set in every job, over whatever the template sets."""

PER_PROCESS: dict[str, str] = {
    "AJ_NODE_RANK": "The rank of this node, from 0.",
    "NODE_RANK": "The rank of this node, from 0, as torchrun expects it.",
    "RANK": "The rank of this process among all, from 0.",
    "LOCAL_RANK": "The rank of this process on its node, from 0.",
    "LOCAL_WORLD_SIZE": "Launcher processes on this node.",
    "WORLD_SIZE": "Launcher processes of all nodes together.",
    "MASTER_ADDR": "The address of the first node, where processes meet.",
    "MASTER_PORT": "The port on which processes meet.",
    "AJ_TASK_NAME": "The name of this node's task; set for heterogeneous jobs.",
    "AJ_TASK_INDEX": "The number of this node within its task, from 0; set for heterogeneous jobs.",
    "AJ_TASK_REPLICAS": "The nodes of this task; set for heterogeneous jobs.",
}
"""Set for each process when it starts; all but `AJ_NODE_RANK` and the tasks' only where the template sets none."""


def meaning(name: str) -> str | None:
    """What a variable means; None for those that are not aj's."""
    return BUILT.get(name) or PER_PROCESS.get(name)
