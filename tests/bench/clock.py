"""CPU time of peers that take turns, so that the noise of the machine falls on all of them alike."""

from __future__ import annotations

import gc
import statistics
import time
from contextlib import contextmanager
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

LEAST = 0.02
"""CPU seconds that one turn takes at least: what is quicker is repeated."""


class Turns:
    """The CPU seconds of each peer in each round; a round lets every peer run once."""

    def __init__(self, rounds: list[dict[str, float]]) -> None:
        self.rounds = rounds

    def seconds(self, name: str) -> float:
        """The median of a peer."""
        return statistics.median(each[name] for each in self.rounds)

    def ratio(self, name: str, over: str) -> float:
        """The median, over all rounds, of how many times as long as another peer a peer took."""
        return statistics.median(each[name] / each[over] for each in self.rounds)


def take_turns(peers: Mapping[str, Callable[[], object]], rounds: int = 15) -> Turns:
    """Run every peer once to warm up, then in turns."""
    times = {}
    for name, act in peers.items():
        act()
        times[name] = max(1, round(LEAST / max(_spent(act, 1), 1e-6)))
    return Turns([{name: _spent(act, times[name]) for name, act in peers.items()} for _ in range(rounds)])


def _spent(act: Callable[[], object], times: int) -> float:
    began = time.process_time()
    for _ in range(times):
        act()
    return (time.process_time() - began) / times


@contextmanager
def without_collector() -> Iterator[None]:
    """No garbage collection meanwhile, as in the command line."""
    gc.collect()
    gc.disable()
    try:
        yield
    finally:
        gc.enable()
