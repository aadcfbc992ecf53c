"""Which GPUs this machine has, found without loading anything heavy, and how a job's nodes share them."""

from __future__ import annotations

import os
import re
import shutil
import subprocess
from typing import TYPE_CHECKING, Any

from ajkit.runtime import runtime_folder

if TYPE_CHECKING:
    from collections.abc import Mapping

    from ajkit.shared.job.spec import JobSpec

VARIABLE = "CUDA_VISIBLE_DEVICES"
SETTING = "AJ_LOCAL_GPUS"
"""Of the daemon: how many GPUs there are (``4``), or which ones jobs may have (``0,2``)."""

_ASK_SECONDS = 10.0


def machine_gpus(environ: Mapping[str, str], devices: str = "/dev") -> list[str]:
    """The GPUs that jobs may have, as CUDA_VISIBLE_DEVICES names them."""
    said = environ.get(SETTING, "").strip()
    if said.isdecimal():
        return [str(each) for each in range(int(said))]
    if said:
        return [each.strip() for each in said.split(",") if each.strip()]
    count = sum(re.fullmatch(r"nvidia\d+", each) is not None for each in os.listdir(devices))
    return [str(each) for each in range(count or _told(environ))]


def _told(environ: Mapping[str, str]) -> int:
    """How many GPUs `nvidia-smi` lists, where there are no devices to be seen (as in WSL)."""
    program = shutil.which("nvidia-smi", path=environ.get("PATH"))
    if program is None:
        return 0
    try:
        done = subprocess.run(
            [program, "-L"],
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            timeout=_ASK_SECONDS,
            check=False,
        )
    except (OSError, subprocess.TimeoutExpired):
        return 0
    return len(re.findall(r"^GPU \d+:", done.stdout, re.MULTILINE))


def wanted(spec: JobSpec, names: list[str]) -> int:
    """How many GPUs a job gets: what it asks for on all its nodes, but never more than the machine has."""
    return min(spec.nodes * spec.gpus_per_node, len(names))


def shares(spec: JobSpec, count: int) -> list[int]:
    """How many of a job's GPUs each of its nodes gets: as many as it asks for, or as evenly as few can be shared."""
    each, more = divmod(count, spec.nodes)
    return [each + (node < more) for node in range(spec.nodes)]


def told_of_few(spec: JobSpec, names: list[str]) -> str | None:
    """What a user must know who asks for more GPUs than there are."""
    asked = spec.nodes * spec.gpus_per_node
    if asked <= len(names):
        return None
    there = f"{len(names) or 'no'} GPU{'' if len(names) == 1 else 's'}"
    of_nodes = f" ({spec.nodes} nodes × {spec.gpus_per_node})" if spec.nodes > 1 else ""
    return f"this machine has {there}, the job asks for {asked}{of_nodes}: it sees those there are"


def plan(spec: JobSpec, names: list[str], environ: Mapping[str, str]) -> dict[str, Any] | None:
    """What the supervisor must know to take a job's GPUs; None where there is nothing to be shared."""
    count = wanted(spec, names)
    if not names or (not count and VARIABLE in spec.env):
        return None
    folder = os.path.join(runtime_folder(environ), "gpus")
    return {"folder": folder, "names": names, "wanted": count, "shares": shares(spec, count)}
