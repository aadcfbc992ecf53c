"""What a job on this machine is started with: its script, and the environment of each of its processes."""

from __future__ import annotations

from dataclasses import dataclass
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping

    from ajkit.shared.job.spec import EnvValue, JobSpec

INHERITED = frozenset(
    [
        "HOME",
        "USER",
        "LOGNAME",
        "SHELL",
        "LANG",
        "LANGUAGE",
        "TZ",
        "TMPDIR",
        "PATH",
        "LD_LIBRARY_PATH",
        "CUDA_HOME",
        "CUDA_PATH",
        "http_proxy",
        "https_proxy",
        "no_proxy",
        "HTTP_PROXY",
        "HTTPS_PROXY",
        "NO_PROXY",
        "SSL_CERT_FILE",
        "SSL_CERT_DIR",
        "REQUESTS_CA_BUNDLE",
        "XDG_CACHE_HOME",
        "XDG_CONFIG_HOME",
        "XDG_DATA_HOME",
    ]
)
"""What a job takes over from the daemon. All else belongs to the terminal that happened to start the daemon."""

ADDRESS = "127.0.0.1"


@dataclass(frozen=True, slots=True)
class Slot:
    """One process of a job: which node it stands for, and its place there."""

    node: int
    local: int
    name: str


def slots(spec: JobSpec) -> list[Slot]:
    """The processes of a job in rank order; each has the name of its log."""
    per_node = spec.processes_per_node
    return [
        Slot(node, local, f"node-{node}" if per_node == 1 else f"node-{node}.{local}")
        for node in range(spec.nodes)
        for local in range(per_node)
    ]


def script(spec: JobSpec) -> str:
    """The one script that every process runs: setup lines, then the command."""
    return "".join(f"{line}\n" for line in (*spec.setup, spec.command.rstrip("\n")))


def environment(
    spec: JobSpec, slot: Slot, port: int | str, base: Mapping[str, str], values: Mapping[str, str]
) -> dict[str, str]:
    """The whole environment of one process: `base`, the rendezvous, the job's own `values`, and its node's rank.

    What the template sets wins over the rendezvous, but for AJ_NODE_RANK.
    """
    rank = slot.node * spec.processes_per_node + slot.local
    return {
        **base,
        "PYTHONUNBUFFERED": "1",
        "NODE_RANK": str(slot.node),
        "RANK": str(rank),
        "LOCAL_RANK": str(slot.local),
        "LOCAL_WORLD_SIZE": str(spec.processes_per_node),
        "WORLD_SIZE": str(spec.nodes * spec.processes_per_node),
        "MASTER_ADDR": ADDRESS,
        "MASTER_PORT": str(port),
        **values,
        "AJ_NODE_RANK": str(slot.node),
    }


def base_environment(daemon: Mapping[str, str], caller: Mapping[str, str]) -> dict[str, str]:
    """What a process has before the job says anything: some of the daemon's, and where the caller's programs are."""
    kept = {name: value for name, value in daemon.items() if name in INHERITED or name.startswith("LC_")}
    return {**kept, **caller}


def impossible_variables(values: Mapping[str, EnvValue]) -> Iterator[str]:
    """What is wrong with each variable that no process can have."""
    for name, value in values.items():
        if not name or "=" in name or "\0" in name:
            yield f"a variable cannot be called {name!r}"
        elif isinstance(value, str) and "\0" in value:
            yield f"the value of {name} holds a null character"


def text_of(path: str) -> str:
    """The text of a file that a secret reference names."""
    with open(path, encoding="utf-8") as file:
        return file.read()
