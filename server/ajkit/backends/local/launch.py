"""What a job on this machine is started with: its script, and the environment of each of its processes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ajkit.shared.job.slots import Slot
    from ajkit.shared.job.spec import JobSpec

ADDRESS = "127.0.0.1"


def environment(
    spec: JobSpec, slot: Slot, port: int | str, base: Mapping[str, str], values: Mapping[str, str]
) -> dict[str, str]:
    """The whole environment of one process: `base`, the rendezvous, the job's own `values`, and its node's rank.

    What the template sets wins over the rendezvous, but for AJ_NODE_RANK.
    """
    return {
        **base,
        "PYTHONUNBUFFERED": "1",
        "NODE_RANK": str(slot.node),
        "RANK": str(slot.rank),
        "LOCAL_RANK": str(slot.local),
        "LOCAL_WORLD_SIZE": str(spec.processes_per_node),
        "WORLD_SIZE": str(spec.nodes * spec.processes_per_node),
        "MASTER_ADDR": ADDRESS,
        "MASTER_PORT": str(port),
        **values,
        "AJ_NODE_RANK": str(slot.node),
    }


def text_of(path: str) -> str:
    """The text of a file that a secret reference names."""
    with open(path, encoding="utf-8") as file:
        return file.read()
