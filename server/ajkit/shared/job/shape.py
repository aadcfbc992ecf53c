"""The shape of a job: from the flags of a request, the template, the defaults, or wholly derived by its service."""

from __future__ import annotations

import re
from typing import TYPE_CHECKING

from ajkit.shared.problem import Finding, Problem, problem
from ajkit.shared.records import dataclass
from ajkit.shared.sku import (
    SKU_PATH,
    Count,
    Shape,
    check_counts,
    choose_sku,
    counts_gpus,
    fill,
    has_placeholder,
    sku_texts,
)
from ajkit.shared.where import at, format_keypath, value_at

if TYPE_CHECKING:
    from ajkit.shared.job.request import JobRequest
    from ajkit.shared.spec import DerivedShape
    from ajkit.shared.where import Json, KeyPath

Report = Finding | Problem
"""What a step of the build has to say: on a key path of the template, or (a Problem without span) on a flag."""

NODES_PATH: KeyPath = ("jobs", 0, "instance_count")
SELECTOR_PATH: KeyPath = ("target", "gpus_per_node")
PROCESSES_PATH: KeyPath = ("jobs", 0, "process_count_per_node")

_MEANT = {"-n": "number of nodes", "-p": "number of GPUs (or the size tier of a CPU SKU) per node"}
"""What the number of a flag is."""

MOST = 1_000_000_000
"""The largest number of nodes, GPUs or processes there may be: far more than any cluster has."""

NODES_HOLE, SELECTOR_HOLE, SKU_HOLE = "‹-n›", "‹-p›", "‹sku for -n›"


@dataclass(frozen=True, slots=True)
class Sizing:
    """What is known of a job's shape: all of it, or numbers and the texts that stand for what was not given.

    `selector` is None for a derived shape. `sku_path` leads to the SKU text chosen. `gpu_kind` says whether the
    selector counts GPUs. `derived` is the whole shape where the service derived it; `failed` when it could not.
    """

    nodes: Count
    selector: Count | None
    processes: int
    sku: str | None = None
    sku_path: KeyPath | None = None
    gpu_kind: bool = True
    derived: DerivedShape | None = None
    failed: bool = False

    @property
    def complete(self) -> bool:
        """Whether nothing is missing."""
        return not self.failed and isinstance(self.nodes, int) and not isinstance(self.selector, str)

    @property
    def gpus(self) -> Count:
        """GPUs per node: the selector of a GPU SKU, 0 for a CPU SKU, the most of any role of a derived shape."""
        if self.derived is not None:
            return max((role.gpus_per_node for role in self.derived.roles), default=0)
        return (self.selector or 0) if self.gpu_kind else 0

    @property
    def shape(self) -> Shape | None:
        """The resolved shape of a homogeneous job; None while something is missing, and for derived shapes."""
        if isinstance(self.nodes, int) and isinstance(self.selector, int) and isinstance(self.gpus, int):
            return Shape(self.nodes, self.selector, self.gpus, self.processes, self.sku)
        return None

    def variables(self) -> dict[str, str]:
        """The ``AJ_*`` variables that tell a job its shape."""
        if self.derived is not None:
            roles = self.derived.roles
            total = sum(role.replicas * role.gpus_per_node for role in roles)
            processes: Count = total
            more = {
                "AJ_GPU_NODES": str(sum(role.replicas for role in roles if role.gpus_per_node)),
                "AJ_TOTAL_GPUS": str(total),
            }
        else:
            processes = _times(self.nodes, (self.selector or 0) if self.gpu_kind else self.processes)
            more = {}
        return {
            "AJ_NODES": str(self.nodes),
            "AJ_PROCESSES": str(processes),
            "AJ_GPUS_PER_NODE": str(self.gpus),
            "AJ_PROCESSES_PER_NODE": str(self.processes),
            **more,
        }


def size(
    config: dict[str, Json], request: JobRequest, derived: DerivedShape | None, *, failed: bool
) -> tuple[Sizing, list[Report]]:
    """The shape of a job as far as it is known, and what is wrong with it (see `check_sku` for the SKU by itself).

    Args:
        config: the merged config, already known to be well typed.
        request: what was asked for by hand.
        derived: the whole shape, where the template's service derived it.
        failed: the service derives the shape of this template but could not.
    """
    if derived is not None or failed:
        return _derived(config, request, derived)
    reports: list[Report] = []
    nodes = _number(config, request.nodes, "-n", NODES_PATH, 1, reports)
    selector = _number(config, request.selector, "-p", SELECTOR_PATH, 0, reports)
    processes = _processes(config, request, reports)
    text, path = _sku(value_at(config, SKU_PATH), nodes, selector, reports)
    known_nodes: Count = NODES_HOLE if nodes is None else nodes
    known_selector: Count = SELECTOR_HOLE if selector is None else selector
    if text is not None and path is not None:
        filled: str | None = fill(text, known_nodes, known_selector)
    else:
        filled = SKU_HOLE if text is not None else None
    return Sizing(known_nodes, known_selector, processes, filled, path, counts_gpus(text)), reports


def variable_names(config: dict[str, Json]) -> dict[str, int]:
    """The variables of the amlt dialect that `env_defaults` gives a whole number, with it."""
    declared = config.get("env_defaults")
    if not isinstance(declared, dict):
        return {}
    return {name: number for name, value in declared.items() if (number := _whole(value)) is not None}


def stands_for(text: str, config: dict[str, Json]) -> int | None:
    """The number of processes per node that an amlt variable (``${PPN}``) stands for, where `env_defaults` says one."""
    found = re.fullmatch(r"\$\{?(\w+)\}?", text)
    return variable_names(config).get(found[1]) if found else None


def _whole(value: Json) -> int | None:
    if isinstance(value, str):
        return int(value) if re.fullmatch("[0-9]{1,9}", value) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None


def _times(left: Count, right: Count) -> Count:
    return left * right if isinstance(left, int) and isinstance(right, int) else f"{left}×{right}"


def _number(
    config: dict[str, Json], given: int | None, flag: str, path: KeyPath, least: int, reports: list[Report]
) -> int | None:
    """A number of the shape: the flag's, else the template's; what is wrong or missing is reported."""
    if given is not None:
        if not least <= given <= MOST:
            reports.append(problem("shape.invalid", f"{flag} {given}: the {_MEANT[flag]} is {_between(least)}", None))
            return None
        return given
    value = at(config, path)
    if isinstance(value, int):
        if value <= MOST:
            return value
        message = f"the {_MEANT[flag]} ({format_keypath(path)}) is {_between(least)}"
        reports.append(Finding(path, "shape.invalid", message))
        return None
    cleared = " (it is cleared here)" if value is None else ""
    message = f"the {_MEANT[flag]} is missing: give {flag}, or set {format_keypath(path)} in the template{cleared}"
    reports.append(Finding(path, "shape.missing", message))
    return None


def _between(least: int) -> str:
    return f"at least {least} and at most {MOST:,}"


def _processes(config: dict[str, Json], request: JobRequest, reports: list[Report]) -> int:
    """Launcher processes per node: ``--ppn``, else the template's (0 is not set), else 1."""
    given = request.processes
    if given is not None:
        if not 1 <= given <= MOST:
            message = f"--ppn {given}: the number of launcher processes per node is {_between(1)}"
            reports.append(problem("shape.invalid", message, None))
        return min(max(given, 1), MOST)
    value = value_at(config, PROCESSES_PATH)
    if isinstance(value, str):
        number = stands_for(value, config)
        if not request.amlt:
            message = (
                f"`{value}` in jobs[0].process_count_per_node is filled by amlt alone (run with --amlt); "
                "elsewhere write the number itself, or leave it to --ppn"
            )
            suggest = None if number is None else str(number)
            reports.append(Finding(PROCESSES_PATH, "sku.placeholder", message, suggest=suggest))
        return number or 1
    if not isinstance(value, int) or value < 1:
        return 1
    if value > MOST:
        message = f"the number of launcher processes per node (jobs[0].process_count_per_node) is {_between(1)}"
        reports.append(Finding(PROCESSES_PATH, "shape.invalid", message))
    return min(value, MOST)


def _sku(
    sku: Json, nodes: int | None, selector: int | None, reports: list[Report]
) -> tuple[str | None, KeyPath | None]:
    """The SKU text for the shape with its place; a text without a place tells only the kind (node count not known)."""
    if isinstance(sku, dict) and nodes is None:
        return next((text for _, text in sku_texts(sku)), None), None
    chosen = choose_sku(sku, nodes or 1)
    if isinstance(chosen, Finding):
        reports.append(chosen)
        return next((text for _, text in sku_texts(sku)), None), None
    if chosen is None:
        return None, None
    path, text = chosen
    if differs := check_counts(path, text, nodes, selector):
        reports.append(differs)
    return text, path


def _derived(config: dict[str, Json], request: JobRequest, derived: DerivedShape | None) -> tuple[Sizing, list[Report]]:
    roles = derived.roles if derived else ()
    whose = f" ({', '.join(role.name for role in roles)})" if roles else ""
    reason = f"the tasks of this template{whose} give every node its own shape"
    flags = {
        "-n": request.nodes is not None,
        "-p": request.selector is not None,
        "--ppn": request.processes is not None,
        "--amlt": request.amlt,
    }
    reports: list[Report] = [
        problem("shape.refused", f"{flag} is refused: {reason}; run without it", None)
        for flag, given in flags.items()
        if given
    ]
    reports += [
        Finding(path, "shape.refused", f"the placeholders of the SKU `{text}` are refused: {reason}; remove the SKU")
        for path, text in sku_texts(value_at(config, SKU_PATH))
        if has_placeholder(text)
    ]
    nodes = sum(role.replicas for role in roles)
    if derived is not None and nodes < 1:
        reports.append(Finding((), "shape.invalid", "the tasks of this template add up to no node at all"))
    gpus = sum(role.replicas * role.gpus_per_node for role in roles)
    if max(nodes, gpus, *(role.processes_per_node for role in roles)) > MOST:
        reports.append(Finding((), "shape.invalid", f"the tasks of this template add up to more than {MOST:,}"))
        derived, roles, nodes = None, (), 1
    sizing = Sizing(
        nodes=max(nodes, 1),
        selector=None,
        processes=max((role.processes_per_node for role in roles), default=1),
        derived=derived,
        failed=derived is None,
    )
    return sizing, reports
