"""Shape and SKU: how many nodes and processes a job has, and the SKU text that says so."""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True, slots=True)
class Shape:
    """The resolved shape of a homogeneous job, the only shape there is once resolved.

    `selector` is the per-node number of `-p` (GPUs for GPU SKUs, a size tier for CPU SKUs); `processes` launcher
    processes per node; `gpus` per node.
    """

    nodes: int
    selector: int
    gpus: int
    processes: int
    sku: str | None
