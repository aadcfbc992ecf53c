"""What editing one file costs, in three servers that take turns: keystrokes, and questions after each of them."""

from __future__ import annotations

import statistics
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any, Self

from tests.bench.lsp_servers import empty, has_node, ours, peer
from tests.bench.lsp_typing import Typist
from tests.bench.workspace import one_file

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

    from tests.bench.lsp_servers import Timed

KEYSTROKES, ALONE, QUESTIONS = 60, 140, 25
"""Keystrokes all servers type, those that ours types alone to have more of a tail, and rounds of questions."""
LONG, FEWER = 10_000, 2
"""In a file of so many lines there are fewer of each: the peer takes its time."""


Cost = tuple[float, float]
"""Seconds that a client waited for something, and seconds of CPU that the server spent on it."""


def late(costs: list[Cost]) -> Cost:
    """The ninety-fifth percentile of each, in milliseconds."""
    waited, spent = (
        statistics.quantiles(each, n=20, method="inclusive")[-1] * 1000 for each in zip(*costs, strict=True)
    )
    return waited, spent


class Desk:
    """One server with one document open, and the person who types into it."""

    def __init__(self, start: Callable[[Path], Timed], path: Path) -> None:
        self._begun = time.perf_counter()
        self.wire = start(_workspace(path))
        text = path.read_text("utf-8")
        self.typist = Typist(text)
        self.uri = path.as_uri()
        self.wire.published_in(self.uri, 1, lambda: _open(self.wire, path, text))
        self.opened_in = time.perf_counter() - self._begun
        self.opened_with = self.wire.cpu()
        self.latencies: list[Cost] = []
        self.answers: dict[str, list[Cost]] = {}
        self.spent = 0.0

    def __enter__(self) -> Self:
        return self

    def __exit__(self, *_: object) -> None:
        self.wire.__exit__()

    def beside(self, path: Path) -> Desk:
        """One more document in the same server."""
        return Desk(lambda _: self.wire, path)

    def keystroke(self) -> float:
        """Seconds until the diagnostics of one more keystroke."""
        change = self.typist.keystroke()
        version = self.typist.version
        return self.wire.published_in(self.uri, version, lambda: self.wire.change(self.uri, version, change))

    def type(self) -> None:
        """One keystroke, timed."""
        before, worked = self.wire.cpu(), self.wire.work()
        took = self.keystroke()
        self.latencies.append((took, self.wire.work() - worked))
        self.spent += self.wire.cpu() - before

    def rewrite(self, count: int) -> None:
        """Change one character of the text that stays as long as it is."""
        change = self.typist.rewritten(count)
        version = self.typist.version
        self.wire.published_in(self.uri, version, lambda: self.wire.change(self.uri, version, change))

    def ask(self, method: str, position: dict[str, int] | None = None) -> Any:
        """One request, timed."""
        params: dict[str, Any] = {"textDocument": {"uri": self.uri}}
        if position:
            params["position"] = position
        worked = self.wire.work()
        took, result = self.wire.asked_in(method, params)
        self.answers.setdefault(method, []).append((took, self.wire.work() - worked))
        return result


def _open(wire: Timed, path: Path, text: str) -> None:
    wire.open(path, text)


def _workspace(path: Path) -> Path:
    """The folder that an editor would have open: the one that holds the home."""
    return next(each.parent for each in path.parents if each.name == ".aj")


@dataclass
class Editing:
    """What was measured on a file of some length, by server: `ours`, `peer`, `floor`.

    `keystroke` and `answers` are late milliseconds; `spent` milliseconds of CPU per edit.
    """

    lines: int
    keystroke: dict[str, Cost] = field(default_factory=dict)
    spent: dict[str, float] = field(default_factory=dict)
    answers: dict[str, dict[str, Cost]] = field(default_factory=dict)


def measure(folder: Path, lines: int, *, questions: bool = True) -> Editing:
    """Type into a file of so many lines."""
    path = folder / ".aj/template/large.yaml"
    path.parent.mkdir(parents=True, exist_ok=True)
    path.write_text(one_file(lines), "utf-8")
    servers = {"ours": ours, "floor": empty} | ({"peer": peer} if has_node() else {})
    desks = {name: Desk(start, path) for name, start in servers.items()}
    found = Editing(lines)
    keystrokes, alone, rounds = (each // (FEWER if lines > LONG else 1) for each in (KEYSTROKES, ALONE, QUESTIONS))
    try:
        for _ in range(keystrokes):
            for desk in desks.values():
                desk.type()
        found.spent = {name: desk.spent / keystrokes * 1000 for name, desk in desks.items()}
        for _ in range(alone):
            desks["ours"].type()
            desks["floor"].type()
        found.keystroke = {name: late(desk.latencies) for name, desk in desks.items()}
        for _ in range(rounds if questions else 0):
            for desk in desks.values():
                _ask_all(desk)
        if questions:
            found.answers = {
                name: {method: late(times) for method, times in desk.answers.items()} for name, desk in desks.items()
            }
    finally:
        for desk in desks.values():
            desk.__exit__()
    return found


def _ask_all(desk: Desk) -> None:
    """What an editor asks after a keystroke."""
    desk.keystroke()
    for _ in range(2):
        desk.ask("textDocument/hover", desk.typist.somewhere())
    desk.ask("textDocument/completion", desk.typist.cursor())
    desk.ask("textDocument/documentSymbol")
