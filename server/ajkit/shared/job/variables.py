"""What the variables mean that a job finds in its environment: those of aj, and those that launchers read."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

INJECTED: Mapping[str, str] = {
    "AJ_NAME": "The name of the job, which ends in its id.",
    "AJ_ID": "The id of the job: ten characters of `[a-z0-9]`, new for every submission.",
    "AJ_TEMPLATE": "The name of the template that the job was made from.",
    "AJ_SUBMIT_TIMESTAMP_UTC": "When the job was submitted, in UTC, as ISO 8601 writes it.",
    "AJ_NODES": "The number of nodes (`-n`, else `jobs[0].instance_count`).",
    "AJ_PROCESSES": "All processes: nodes × GPUs per node for a GPU SKU, nodes × launcher processes for a CPU one.",
    "AJ_GPUS_PER_NODE": "GPUs on each node (`-p`, else `target.gpus_per_node`); 0 for a CPU SKU.",
    "AJ_PROCESSES_PER_NODE": "Launcher processes per node (`--ppn`, else `jobs[0].process_count_per_node`, else 1).",
    "AJ_GPU_NODES": "Nodes that have GPUs. Only jobs of heterogeneous tasks have it.",
    "AJ_TOTAL_GPUS": "GPUs of all nodes together. Only jobs of heterogeneous tasks have it.",
}
"""What aj sets for the whole job, whatever its template says."""

AT_RUN_TIME: Mapping[str, str] = {
    "AJ_NODE_RANK": "Which node this is, from 0.",
    "AJ_TASK_NAME": "The name of the task that this pod belongs to. Only Volcano tasks have it.",
    "AJ_TASK_INDEX": "Which pod of its task this is, from 0. Only Volcano tasks have it.",
    "AJ_TASK_REPLICAS": "The number of pods of this task. Only Volcano tasks have it.",
}
"""What aj sets for every process where it runs."""

FOR_LAUNCHERS: Mapping[str, str] = {
    "NODE_RANK": "Which node this is, from 0.",
    "RANK": "Which process this is among those of all nodes, from 0.",
    "LOCAL_RANK": "Which process this is on its node, from 0.",
    "LOCAL_WORLD_SIZE": "Launcher processes on each node.",
    "WORLD_SIZE": "Nodes × launcher processes per node.",
    "MASTER_ADDR": "The address of node 0.",
    "MASTER_PORT": "A port on node 0 for processes to find one another.",
}
"""What every process finds unless the template sets it."""


def meaning(name: str) -> str | None:
    """What a variable means that a job finds without its template setting it; None for any other."""
    return INJECTED.get(name) or AT_RUN_TIME.get(name) or FOR_LAUNCHERS.get(name)
