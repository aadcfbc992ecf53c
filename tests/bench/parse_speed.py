"""What a located tree costs: CPU time of `parse` over that of PyYAML's C `compose`, which gives no values.

Run from the root of the repository::

    python -m tests.bench.parse_speed [--lines 20000]

Both are measured in turns in one process, the best of several runs each; compare the ratios. The last row is the large
file with a half-typed key in its middle and the hint of an editor, over composing the same file while it is whole.
"""

from __future__ import annotations

import argparse
import statistics
import sys
import time
from functools import partial
from typing import TYPE_CHECKING

import yaml

from ajkit.shared.template.parse import parse
from ajkit.shared.where import Text
from tests.bench.typing_states import texts
from tests.bench.workspace import one_file

if TYPE_CHECKING:
    from collections.abc import Callable

GOAL = 1.1


def best(tasks: list[Callable[[], object]], seconds: float = 1.5) -> list[float]:
    """The least CPU seconds that each task took, the tasks run in turns for so long."""
    least = [float("inf")] * len(tasks)
    end = time.monotonic() + seconds
    rounds = 0
    while time.monotonic() < end or rounds < 3:
        for index, task in enumerate(tasks):
            began = time.process_time()
            task()
            least[index] = min(least[index], time.process_time() - began)
        rounds += 1
    return least


def compose(contents: list[str]) -> None:
    """Compose each text."""
    for content in contents:
        yaml.compose(content, yaml.CLoader)


def read(contents: list[str]) -> None:
    """Parse each text."""
    for content in contents:
        parse(Text("x.yaml", content))


def show(name: str, size: int, peer: float, ours: float) -> None:
    """Print a line of the table."""
    print(f"{name:40}{size / 1000:7.0f} k{peer * 1e3:8.2f} ms{ours * 1e3:8.2f} ms{ours / peer:8.2f}")


def main(arguments: list[str] | None = None) -> int:
    """Print the table; the exit code says whether the goal of the project is met."""
    options = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    options.add_argument("--lines", type=int, default=20_000, help="lines of the large template (default 20,000)")
    lines = options.parse_args(arguments).lines
    large = one_file(lines)
    cases = {
        "template of 80 lines": [one_file(80)],
        "template of 200 lines": [one_file(200)],
        f"template of {lines:,} lines": [large],
        "files of the corpus and the examples": [text for half in ("tune", "report") for _, text in texts(half)],
    }
    print(f"{'':40}{'size':>9}{'compose':>11}{'parse':>11}{'ratio':>8}")
    ratios = []
    for name, contents in cases.items():
        peer, ours = best([partial(compose, contents), partial(read, contents)])
        show(name, sum(map(len, contents)), peer, ours)
        ratios.append(ours / peer)
    broken = large.split("\n")
    middle = next(number for number in range(lines // 2, len(broken)) if ": " in broken[number])
    broken[middle] = broken[middle][: broken[middle].index(":")]
    half_typed = "\n".join(broken)
    document = parse(Text("x.yaml", half_typed), hint=middle)
    peer, ours = best([lambda: compose([large]), lambda: parse(Text("x.yaml", half_typed), hint=middle)])
    title = f"{lines:,} lines, half a key ({document.parses} parses)"
    show(title, len(large), peer, ours)
    mean = statistics.mean(ratios)
    print(f"mean of the files that parse: {mean:.2f}; goal (at most {GOAL}):", "met" if mean <= GOAL else "MISSED")
    return 0 if mean <= GOAL else 1


if __name__ == "__main__":
    sys.exit(main())
