"""The processes of a job: which node and which place each has, the script it runs, and what it is born with."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ajkit.shared.records import dataclass

if TYPE_CHECKING:
    from collections.abc import Iterator, Mapping, Sequence

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
"""What a job beside the daemon takes over from it. All else belongs to the terminal that happened to start it."""


@dataclass(frozen=True, slots=True)
class Slot:
    """One process of a job: its node, its place there, its place among all, and the name of its log."""

    node: int
    local: int
    rank: int
    name: str


def slots(spec: JobSpec) -> list[Slot]:
    """The processes of a job of like nodes in rank order."""
    return ranked([(spec.nodes, spec.processes_per_node)])


def ranked(groups: Sequence[tuple[int, int]]) -> list[Slot]:
    """The processes of groups of like nodes, each (nodes, processes on each of them), in rank order."""
    found: list[Slot] = []
    node = 0
    for nodes, processes in groups:
        for _ in range(nodes):
            for local in range(processes):
                name = f"node-{node}" if processes == 1 else f"node-{node}.{local}"
                found.append(Slot(node, local, len(found), name))
            node += 1
    return found


def script(spec: JobSpec, command: str | None = None) -> str:
    """The one script that every process runs: setup lines, then the command (the job's, where none is given)."""
    return "".join(f"{line}\n" for line in (*spec.setup, (command or spec.command).rstrip("\n")))


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
