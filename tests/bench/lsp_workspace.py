"""What thousands of templates cost a language server: starting, indexing, edits of a base, memory, a slow disk."""

from __future__ import annotations

import statistics
import time
from contextlib import contextmanager
from pathlib import Path
from typing import TYPE_CHECKING

from ajkit.disk import DiskFiles
from ajkit.shared.template.graph import read_graph
from tests.bench.clock import without_collector
from tests.bench.lsp_editing import Desk, late
from tests.bench.lsp_servers import ours, slow

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator

    from tests.bench.lsp_editing import Cost
    from tests.bench.lsp_servers import Timed
    from tests.bench.workspace import Workspace

STARTS, BASE_EDITS, SLOW_EDITS = 5, 24, 100
LOADING = 3
"""Hovers in which a process loads what it needs."""
HOVER = "textDocument/hover"
EDITS = 5000


def first_diagnostics(start: Callable[[Path], Timed], path: Path) -> Cost:
    """Seconds from starting a server to the first diagnostics of a document, the median of some starts."""
    waited, spent = [], []
    for _ in range(STARTS):
        with Desk(start, path) as desk:
            waited.append(desk.opened_in)
            spent.append(desk.opened_with)
    return statistics.median(waited), statistics.median(spent)


def index_seconds(home: str) -> float:
    """CPU seconds that reading the base graph of a home takes, the best of three."""

    def once() -> float:
        began = time.process_time()
        read_graph(DiskFiles(), home)
        return time.process_time() - began

    with without_collector():
        return min(once() for _ in range(3))


@contextmanager
def indexed(workspace: Workspace) -> Iterator[Desk]:
    """Our server with the first leaf of a workspace open, once it knows who extends whom."""
    with Desk(ours, Path(workspace.leaves[0])) as desk:
        desk.wire.wait_asked("workspace/codeLens/refresh")
        yield desk


def base_edit(workspace: Workspace, dependents: int) -> Cost:
    """Late milliseconds from a keystroke in a base that all leaves extend until the diagnostics of all are out."""
    root = next(name for name, bases in workspace.bases.items() if not bases)
    with indexed(workspace) as desk:
        for path in workspace.leaves[1:dependents]:
            desk.wire.open(Path(path))
        base = desk.beside(Path(workspace.path(root)))
        for _ in range(BASE_EDITS):
            base.type()
        return late(base.latencies)


def memory(workspace: Workspace, opened: int) -> float:
    """Megabytes after so many leaves were opened and the index is complete."""
    with indexed(workspace) as desk:
        for path in workspace.leaves[1:opened]:
            desk.wire.open(Path(path))
        desk.ask(HOVER, desk.typist.somewhere())
        desk.keystroke()
        return desk.wire.memory()


def while_indexing(workspace: Workspace) -> tuple[float, float]:
    """How many times as long a hover takes while the index is being read: late ones, and those in the middle.

    Of several starts that one whose late ones are in the middle.
    """
    taken = []
    for _ in range(STARTS):
        with Desk(ours, Path(workspace.leaves[0])) as desk:
            while not any(each["method"] == "workspace/codeLens/refresh" for each in desk.wire.asked):
                desk.ask(HOVER, desk.typist.somewhere())
            busy = desk.answers.pop(HOVER)[LOADING:]
            for _ in range(len(busy)):
                desk.ask(HOVER, desk.typist.somewhere())
            idle = desk.answers[HOVER]
            taken.append(
                (late(busy)[0] / late(idle)[0], statistics.median_low(busy)[0] / statistics.median_low(idle)[0])
            )
    return sorted(taken)[STARTS // 2]


def on_slow_disk(workspace: Workspace) -> Cost:
    """Late milliseconds of a keystroke while each look at a file takes five."""
    with Desk(slow, Path(workspace.leaves[0])) as desk:
        for _ in range(SLOW_EDITS):
            desk.type()
        return late(desk.latencies)


def growth(workspace: Workspace) -> tuple[float, float]:
    """Megabytes after a tenth of many edits of a leaf and after all of them; the text keeps its length."""
    with indexed(workspace) as desk:
        sizes = []
        for count in range(1, EDITS + 1):
            desk.rewrite(count)
            if count % 50 == 0:
                desk.ask(HOVER, desk.typist.somewhere())
                desk.ask("textDocument/completion", desk.typist.somewhere())
                desk.ask("textDocument/documentSymbol")
            if count in (EDITS // 10, EDITS):
                sizes.append(desk.wire.memory())
    return sizes[0], sizes[1]
