"""The language server beside its peers: keystrokes, questions, starting, thousands of templates, a slow disk.

Run from the root of the repository::

    python -m tests.bench.lsp [--templates 10000] [--only editing|workspace]

In one run there are our server, `yaml-language-server` under our schema (installed with npm as its lock file says; left
out where there is no npm), and a pygls server that does nothing: the floor. They take turns at the same keystrokes,
half-typed lines included. Times are those a client sees, the ninety-fifth of a hundred where nothing else is said, and
grow with what else the machine does; the floor says by how much. Ratios are of CPU time of the server's process.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from dataclasses import dataclass
from pathlib import Path
from typing import TYPE_CHECKING

from tests.bench import lsp_editing, lsp_workspace
from tests.bench.lsp_servers import empty, has_node, ours, peer
from tests.bench.workspace import make_workspace

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.bench.lsp_editing import Editing

HOVER, COMPLETION, SYMBOLS = "textDocument/hover", "textDocument/completion", "textDocument/documentSymbol"
LONG = 20_000
KEYSTROKE = {100: 10, 1_000: 20, LONG: 100}
SPENT = {1_000: 0.4, LONG: 0.25}
ANSWER = {(HOVER, 1_000): 3, (HOVER, LONG): 20, (COMPLETION, 1_000): 8, (COMPLETION, LONG): 15}
SYMBOLS_RATIO = 2.5
BASE_EDIT = {20: 25, 100: 80, 1_000: 700}
MEMORY = {1: 70, 200: 110}


@dataclass(frozen=True)
class Row:
    """A line of the table: what, our figure and those of the others, and what it should be at most."""

    what: str
    figure: float
    unit: str
    goal: float | None = None
    others: str = ""

    @property
    def met(self) -> bool:
        """Whether the figure is as it should be."""
        return self.goal is None or self.figure <= self.goal

    def __str__(self) -> str:
        goal = "" if self.goal is None else f"<= {self.goal:g} {self.unit}".rstrip()
        verdict = "" if self.goal is None else "met" if self.met else "MISSED"
        return f"{self.what:58}{self.figure:9.2f} {self.unit:4}{goal:>13} {verdict:8}{self.others}".rstrip()


def main() -> int:
    """Print the table; 1 where a goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.lsp")
    parser.add_argument("--templates", type=int, default=10_000, help="how many leaves the large workspace has")
    parser.add_argument("--only", choices=("editing", "workspace"), help="one half of the table")
    given = parser.parse_args()
    if not has_node():
        print("yaml-language-server: left out, there is no npm")
    rows: list[Row] = []
    with tempfile.TemporaryDirectory() as scratch:
        folder = Path(scratch)
        if given.only != "workspace":
            rows += _told(_editing(folder))
        if given.only != "editing":
            rows += _told(_workspace(folder, given.templates))
    missed = [each.what for each in rows if not each.met]
    print("\ngoals:", "met" if not missed else f"MISSED: {', '.join(missed)}")
    return 1 if missed else 0


def _told(rows: Iterator[Row]) -> list[Row]:
    found = []
    for each in rows:
        print(each, flush=True)
        found.append(each)
    return found


def _editing(folder: Path) -> Iterator[Row]:
    for lines, goal in KEYSTROKE.items():
        found = lsp_editing.measure(folder / str(lines), lines, questions=lines > 100)
        where = f"{lines:,} lines"
        words = f"{_others(found.keystroke)}; {found.spent['ours']:.1f} ms of CPU"
        yield Row(f"keystroke to diagnostics, {where}", found.keystroke["ours"], "ms", goal, words)
        if "peer" in found.spent and lines in SPENT:
            spent = {name: f"{milliseconds:.1f} ms" for name, milliseconds in found.spent.items()}
            ratio = found.spent["ours"] / found.spent["peer"]
            words = f"of the peer's CPU ({spent['ours']} of {spent['peer']})"
            yield Row(f"CPU of an edit, {where}", ratio, "x", SPENT[lines], words)
        if found.answers:
            yield from _answers(found, where)


def _answers(found: Editing, where: str) -> Iterator[Row]:
    for method in (HOVER, COMPLETION, SYMBOLS):
        times = {name: each[method] for name, each in found.answers.items()}
        what = f"{method.partition('/')[2]}, {where}"
        if method != SYMBOLS:
            yield Row(what, times["ours"], "ms", ANSWER[method, found.lines], _others(times))
        elif "peer" in times:
            words = f"of the peer's time ({times['ours']:.1f} of {times['peer']:.1f} ms)"
            yield Row(what, times["ours"] / times["peer"], "x", SYMBOLS_RATIO, words)


def _workspace(folder: Path, templates: int) -> Iterator[Row]:
    small = make_workspace(folder / "small", 20)
    servers = {"ours": ours, "floor": empty} | ({"peer": peer} if has_node() else {})
    starts = {name: lsp_workspace.first_diagnostics(start, Path(small.leaves[0])) for name, start in servers.items()}
    yield Row("start to first diagnostics, 20 templates (median)", starts["ours"], "s", 0.7, _others(starts, "s"))
    large = make_workspace(folder / "large", templates)
    first = lsp_workspace.first_diagnostics(ours, Path(large.leaves[0]))
    yield Row(f"start to first diagnostics, {templates:,} templates (median)", first, "s", 1.2)
    yield Row(f"base graph of {templates:,} templates, CPU", lsp_workspace.index_seconds(large.home), "s", 0.6)
    busy, idle = lsp_workspace.while_indexing(large)
    yield Row("hover while that is read, over an idle one", busy / idle, "x", 2, f"({busy:.1f} over {idle:.1f} ms)")
    for dependents, goal in BASE_EDIT.items():
        workspace = make_workspace(folder / f"base{dependents}", dependents)
        late = lsp_workspace.base_edit(workspace, dependents)
        yield Row(f"edit of a base, {dependents:,} dependents open", late, "ms", goal)
    for opened, goal in MEMORY.items():
        held = lsp_workspace.memory(large, opened)
        yield Row(f"memory at {templates:,} templates, {opened} open", held, "MB", goal)
    slowed = lsp_workspace.on_slow_disk(large)
    yield Row(f"keystroke at {templates:,} templates, 5 ms a stat", slowed, "ms", 30)
    before, after = lsp_workspace.growth(small)
    words = f"({before:.1f} to {after:.1f} MB)"
    yield Row(f"memory gained over {lsp_workspace.EDITS:,} edits", 100 * (after / before - 1), "%", 5, words)


def _others(figures: dict[str, float], unit: str = "ms") -> str:
    """The peer's and the floor's figures."""
    return ", ".join(f"{name} {figures[name]:.1f} {unit}" for name in ("peer", "floor") if name in figures)


if __name__ == "__main__":
    sys.exit(main())
