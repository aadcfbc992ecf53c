"""How fast templates are resolved and checked: CPU time as ratios to PyYAML's C loader, to OmegaConf and to Hydra.

Run from the root of the repository::

    python -m tests.bench.resolve [--templates 10000] [--rounds 15]

The peers take turns, and ratios are taken round by round. The garbage collector is off for all of them, as it is in the
command line; the last table has a fresh process for each row, and a peer with the collector on as well. OmegaConf and
Hydra merge the same files as we do, each its own way (their lists replace one another), and tell no origins; where they
are not installed (`make bench` does that) their rows are left out.
"""

from __future__ import annotations

import argparse
import json
import statistics
import subprocess
import sys
import tempfile
from dataclasses import dataclass
from hashlib import sha256
from importlib.util import find_spec
from pathlib import Path
from typing import TYPE_CHECKING, Any

import yaml

from ajkit.engine import Engine
from ajkit.shared.template.graph import read_graph
from ajkit.shared.template.parse import parse
from ajkit.shared.template.source import read_template
from ajkit.shared.where import Text
from tests.bench.clock import take_turns, without_collector
from tests.bench.workspace import Workspace, make_workspace

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.bench.clock import Turns

COLD, WARM, GRAPH, CHECK, MEMORY = 1.1, 2.0, 0.1, 1.5, 150
OMEGACONF, HYDRA = 15, 40

CHILD = """
import gc, json, sys, time
import yaml
what, collector, folder, *paths = json.loads(sys.stdin.read())
if not collector:
    gc.disable()
began = time.process_time()
if what == "check":
    from ajkit.engine import Engine
    engine = Engine(folder=folder)
    found = len(engine.check(engine.ours()))
else:
    from ajkit.shared.template.parse import parse_bytes
    act = parse_bytes if what == "read" else lambda _, data: yaml.compose(data, yaml.CSafeLoader)
    for path in paths:
        with open(path, "rb") as file:
            act(path, file.read())
    found = 0
spent = time.process_time() - began
with open("/proc/self/status") as file:  # ru_maxrss would count what the parent held
    most = next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmHWM"))
print(json.dumps([spent, most, found]))
"""


@dataclass(frozen=True)
class Row:
    """A line of a table: what, how long, how that compares to a peer, and whether the goal is met."""

    what: str
    seconds: float
    ratio: float | None = None
    peer: str = ""
    goal: str = ""
    met: bool = True

    def __str__(self) -> str:
        ratio = "" if self.ratio is None else f"{self.ratio:9.2f} x {self.peer}"
        verdict = f"{self.goal:>8} {'met' if self.met else 'MISSED'}" if self.goal else ""
        return f"{self.what:52}{self.seconds * 1000:12.2f} ms{ratio:28}{verdict}".rstrip()


def main() -> int:
    """Print the tables; 1 where a goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.resolve")
    parser.add_argument("--templates", type=int, default=10_000, help="how many leaves the large workspace has")
    parser.add_argument("--rounds", type=int, default=15, help="how often each peer takes its turn")
    given = parser.parse_args()
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as scratch:
        small = make_workspace(Path(scratch, "small"), 100)
        rows += _told(_one_leaf(small, Path(scratch, "hydra"), given.rounds))
        large = make_workspace(Path(scratch, "large"), given.templates)
        rows += _told(_graph(large, min(given.rounds, 5)))
        rows += _told(_all(large, max(1, given.rounds // 5)))
    missed = [each.what for each in rows if not each.met]
    print("\ngoals:", "met" if not missed else f"MISSED: {', '.join(missed)}")
    return 1 if missed else 0


def _told(rows: Iterator[Row]) -> list[Row]:
    found = []
    for each in rows:
        print(each, flush=True)
        found.append(each)
    return found


def _one_leaf(workspace: Workspace, hydra: Path, rounds: int) -> Iterator[Row]:
    """A leaf of ten files: cold, then once more after it was edited."""
    leaf = next(each for each in workspace.leaves if len(workspace.chain(each)) == 10)
    paths = [workspace.path(name) for name in workspace.chain(leaf)]
    content = Path(leaf).read_text("utf-8")
    variable = next(iter(yaml.safe_load(content)["config"]["jobs"][0]["submit_args"]["env"]))
    with without_collector():
        turns = take_turns(
            {
                "cold": lambda: _cold(workspace, leaf, variable),
                "load": lambda: [yaml.load(Path(path).read_bytes(), yaml.CSafeLoader) for path in paths],
                "warm": _warm(workspace, leaf, content),
                "compose": lambda: yaml.compose(content, yaml.CSafeLoader),
                **_peers(workspace, leaf, paths, hydra),
            },
            rounds,
        )
    lines = content.count("\n")
    print(f"one leaf of {lines} lines, {len(paths)} files in its chain; median of {rounds} rounds")
    yield Row("C load of the ten files", turns.seconds("load"))
    yield _row(turns, "cold: config, problems, a trail", "cold", "C load", "load", COLD)
    for name, goal in (("OmegaConf", OMEGACONF), ("Hydra", HYDRA)):
        if name in turns.rounds[0]:
            ratio = turns.ratio(name, "cold")
            yield Row(f"{name}, the same files", turns.seconds(name), ratio, "ours", f">= {goal} x", ratio >= goal)
        else:
            print(f"{name}: left out, {name.lower()} is not installed (`make bench` installs it)")
    yield Row("C compose of the leaf", turns.seconds("compose"))
    yield _row(turns, "after an edit of the leaf: config, problems", "warm", "C compose", "compose", WARM)


def _row(turns: Turns, what: str, name: str, peer: str, over: str, goal: float) -> Row:
    ratio = turns.ratio(name, over)
    return Row(what, turns.seconds(name), ratio, peer, f"<= {goal} x", ratio <= goal)


def _cold(workspace: Workspace, leaf: str, variable: str) -> object:
    found = Engine(home=workspace.home).resolve(leaf)
    return found.config, found.problems, found.trail(("jobs", 0, "submit_args", "env", variable))


def _warm(workspace: Workspace, leaf: str, content: str) -> Callable[[], object]:
    engine = Engine(home=workspace.home)
    engine.graph(workspace.home)
    engine.resolve(leaf)

    def edit() -> object:
        data = content.encode()
        file = read_template(leaf, sha256(data).hexdigest(), parse(Text(leaf, content)))
        engine.edited(file)
        found = engine.resolve(leaf, leaf=file)
        return found.config, found.problems

    return edit


def _peers(workspace: Workspace, leaf: str, paths: list[str], folder: Path) -> dict[str, Callable[[], object]]:
    found: dict[str, Callable[[], object]] = {}
    if find_spec("omegaconf"):
        from omegaconf import OmegaConf

        found["OmegaConf"] = lambda: OmegaConf.merge(*(OmegaConf.load(path).config for path in paths))
    if find_spec("hydra"):
        from hydra import compose, initialize_config_dir

        _write_for_hydra(workspace, leaf, folder)

        def composed() -> object:
            with initialize_config_dir(str(folder), version_base=None):
                return compose(workspace.name(leaf))

        found["Hydra"] = composed
    return found


def _write_for_hydra(workspace: Workspace, leaf: str, folder: Path) -> None:
    """The chain of a leaf as Hydra has it: what stands under `config` becomes the root, the leaf lists the chain."""
    chain = workspace.chain(leaf)
    for name in chain:
        config: dict[str, Any] = yaml.safe_load(Path(workspace.path(name)).read_bytes())["config"]
        head = {"defaults": [*(f"/{base}@_global_" for base in chain[:-1]), "_self_"]} if name == chain[-1] else {}
        target = folder / f"{name}.yaml"
        target.parent.mkdir(parents=True, exist_ok=True)
        target.write_text("# @package _global_\n" + yaml.safe_dump({**head, **config}, sort_keys=False), "utf-8")


def _graph(workspace: Workspace, rounds: int) -> Iterator[Row]:
    """Who extends whom, from disk."""
    files = Engine(home=workspace.home).files
    with without_collector():
        turns = take_turns(
            {
                "graph": lambda: read_graph(files, workspace.home),
                "compose": lambda: [
                    yaml.compose(Path(path).read_bytes(), yaml.CSafeLoader) for path in workspace.paths
                ],
            },
            rounds,
        )
    size = sum(Path(path).stat().st_size for path in workspace.paths)
    print(f"\n{len(workspace.leaves):,} leaves in {len(workspace.paths):,} files, {size / 1e6:.0f} MB")
    yield _row(turns, "base graph of all", "graph", "C compose", "compose", GRAPH)


def _all(workspace: Workspace, rounds: int) -> Iterator[Row]:
    """Everything resolved and validated, in processes of their own (imports of the services included)."""
    sorts = {
        "C compose": ("compose", True),
        "C compose without collector": ("compose", False),
        "our reading of the values": ("read", False),
        "resolved and validated": ("check", False),
    }
    taken = [{name: _child(workspace, *sort) for name, sort in sorts.items()} for _ in range(rounds)]
    for name in sorts:
        seconds = statistics.median(each[name][0] for each in taken)
        memory = max(each[name][1] for each in taken)
        base = "C compose without collector"
        ratio = statistics.median(each[name][0] / each[base][0] for each in taken)
        if name == "resolved and validated":
            found = taken[0][name][2]
            yield Row(f"{name} ({found:,.0f} problems)", seconds, ratio, "C compose", f"<= {CHECK} x", ratio <= CHECK)
            goal = f"<= {MEMORY} MB"
            print(f"{'  memory at its largest':52}{memory:12.0f} MB{'':28}{goal:>8}", end=" ")
            print("met" if memory <= MEMORY else "MISSED")
        else:
            yield Row(f"{name} of all", seconds, ratio, "C compose")


def _child(workspace: Workspace, what: str, collector: bool) -> tuple[float, float, float]:
    """CPU seconds, megabytes at most, and problems found by a process of its own."""
    told = json.dumps([what, collector, str(Path(workspace.home).parent), *workspace.paths])
    done = subprocess.run([sys.executable, "-c", CHILD], input=told, capture_output=True, text=True, check=True)
    spent, memory, found = json.loads(done.stdout)
    return spent, memory, found


if __name__ == "__main__":
    sys.exit(main())
