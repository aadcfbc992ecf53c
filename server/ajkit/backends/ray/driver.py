"""The driver of a job, inside the cluster: places its nodes, starts them together, prints what they say, ends them.

It travels to the cluster as ``python -m aj_job``: the standard library and the Ray that is there. What the processes
say is printed line by line as ``node-0 | text``; ``node-0 + text`` is the beginning of a line that goes on.
"""

from __future__ import annotations

import contextlib
import importlib
import json
import logging
import os
import signal
import sys
import time
from typing import Any

GOES_ON, WHOLE = "+", "|"
OWN, STARTED = "aj: ", "all nodes have started"
TIMED_OUT = 124
LOST_NODE = 1
_LISTEN_SECONDS = 0.5
_CANCELLED = 143
_THREADS = 4
_HINT_SECONDS = 20.0


class Stop(BaseException):
    """The job was asked to end, at any place: nobody takes it for the trouble that he looks for there."""


def main() -> int:
    """Run the job that lies beside this file."""
    here = os.path.dirname(os.path.realpath(__file__))
    with open(os.path.join(here, "job.json"), encoding="utf-8") as file:
        job = json.load(file)
    ray = importlib.import_module("ray")
    node = importlib.import_module("aj_job.node").Node

    def stop(*_: object) -> None:
        raise Stop

    signal.signal(signal.SIGTERM, stop)
    nodes: list[Any] = []
    try:
        ray.init(log_to_driver=False, logging_level=logging.WARNING)
        nodes += _place(ray, node, job)
        return _run(ray, nodes, job)
    except Stop:
        return _CANCELLED
    finally:
        signal.signal(signal.SIGTERM, signal.SIG_IGN)
        _end(ray, nodes)


def _place(ray: Any, node: Any, job: dict[str, Any]) -> list[Any]:
    """An actor for each node of the job, each on a node of its own, with what it needs there, in rank order."""
    util = importlib.import_module("ray.util")
    strategies = importlib.import_module("ray.util.scheduling_strategies")
    size = {"CPU": job["cpus"], **({"GPU": job["gpus"]} if job["gpus"] else {})}
    bundles = [dict(size) for _ in range(job["nodes"])]
    group = util.placement_group(bundles, strategy="STRICT_SPREAD" if len(bundles) > 1 else "PACK")
    ready, since, told = group.ready(), time.monotonic(), False
    while not ray.wait([ready], timeout=1.0)[0]:
        if not told and time.monotonic() - since > _HINT_SECONDS:
            told = True
            say(f"waiting for {len(bundles)} nodes with {json.dumps(size)} free on each")
    remote = ray.remote(node)
    return [
        remote.options(
            num_cpus=job["cpus"],
            num_gpus=job["gpus"],
            max_concurrency=_THREADS,
            scheduling_strategy=strategies.PlacementGroupSchedulingStrategy(group, placement_group_bundle_index=at),
        ).remote(job, at)
        for at in range(len(bundles))
    ]


def _run(ray: Any, nodes: list[Any], job: dict[str, Any]) -> int:
    """Start the processes of all nodes and follow them to the end, which is the code that is answered."""
    address, port = ray.get(nodes[0].meeting.remote())
    runs = {each.run.remote(address, port): at for at, each in enumerate(nodes)}
    say(STARTED)
    limit = job["time_limit"]
    until = time.monotonic() + limit if limit else None
    lines = Lines()
    listening = {each.read.remote(_LISTEN_SECONDS): at for at, each in enumerate(nodes)}
    code = 0
    while runs:
        done, _ = ray.wait([*runs, *listening], num_returns=1, timeout=_LISTEN_SECONDS)
        for each in done:
            if each in listening:
                at = listening.pop(each)
                if at in runs.values():
                    listening[nodes[at].read.remote(_LISTEN_SECONDS)] = at
                _print(ray, each, lines)
            elif each in runs:
                at = runs.pop(each)
                # All that its processes have said comes before the word on how they ended.
                for late in [late for late, whose in listening.items() if whose == at]:
                    listening.pop(late)
                    _print(ray, late, lines)
                _print(ray, nodes[at].read.remote(0.0), lines)
                code = code or _ended(ray, each, at)
        lines.flush()
        if until is not None and time.monotonic() > until:
            say(f"stopped at its time limit of {limit} seconds")
            code = TIMED_OUT
        if code:
            break
    _stop(ray, nodes)
    for each in [*listening, *(each.read.remote(0.0) for each in nodes)]:
        _print(ray, each, lines)
    lines.flush(everything=True)
    return code


def _ended(ray: Any, run: Any, at: int) -> int:
    """The code that the processes of a node ended with."""
    try:
        name, code = ray.get(run)
    except Exception as error:  # noqa: BLE001 - an actor that died raises what only Ray knows
        say(f"node-{at} was lost: {str(error).strip().splitlines()[0]}")
        return LOST_NODE
    if code:
        how = f"was ended by {signal.Signals(code - 128).name}" if code - 128 in _SIGNALS else f"exited with {code}"
        say(f"{name} {how}")
    return int(code)


def _print(ray: Any, read: Any, lines: Lines) -> None:
    with contextlib.suppress(Exception):  # a node that is lost is told of once
        for name, data in ray.get(read):
            lines.add(name, data)


def _stop(ray: Any, nodes: list[Any]) -> None:
    with contextlib.suppress(Exception):
        ray.wait([each.stop.remote() for each in nodes], num_returns=len(nodes), timeout=5)


def _end(ray: Any, nodes: list[Any]) -> None:
    _stop(ray, nodes)
    for each in nodes:
        with contextlib.suppress(Exception):
            ray.kill(each)


class Lines:
    """What processes say, made into lines that say whose they are."""

    def __init__(self) -> None:
        self._open: dict[str, tuple[bytes, float]] = {}

    def add(self, name: str, data: bytes) -> None:
        """Take what a process has said, and print the lines that are whole."""
        begun, _ = self._open.pop(name, (b"", 0.0))
        *whole, rest = (begun + data).split(b"\n")
        for each in whole:
            _line(name, WHOLE, each)
        if rest:
            self._open[name] = rest, time.monotonic()

    def flush(self, *, everything: bool = False) -> None:
        """Print what has waited for its end for some time (a prompt, a progress bar)."""
        for name, (data, since) in list(self._open.items()):
            if everything or time.monotonic() - since > _LISTEN_SECONDS:
                del self._open[name]
                _line(name, GOES_ON, data)


def _line(name: str, sign: str, data: bytes) -> None:
    sys.stdout.write(f"{name} {sign} {data.decode('utf-8', 'replace')}\n")
    sys.stdout.flush()


def say(text: str) -> None:
    """Print something of our own."""
    sys.stdout.write(f"{OWN}{text}\n")
    sys.stdout.flush()


_SIGNALS = {each.value for each in signal.Signals}
