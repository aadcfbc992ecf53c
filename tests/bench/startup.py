"""What a quick command costs: CPU time of `aj` as a process of its own, over that of an interpreter that does nothing.

Run from the root of the repository::

    python -m tests.bench.startup [--rounds 21]

Every round runs each command once, so that whatever else the machine does weighs on all alike; a ratio is that of the
medians. Besides `aj` there are the parts that it cannot do without, to see how much of a figure is whose.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import tempfile

BASE = "python -c pass"
GOALS = {"aj show hello": 9.0, "aj check (one file)": 18.0, "aj run --dry-run": 20.0}

IMPORTS = "import click, yaml"
MODEL = f"{IMPORTS}\nfrom pydantic import BaseModel\nclass A(BaseModel):\n    a: int = 1\nA.model_validate({{}})"


def commands() -> dict[str, list[str]]:
    """What is measured, by name."""
    aj = os.path.join(sys.prefix, "bin", "aj")
    return {
        BASE: [sys.executable, "-c", "pass"],
        "click and PyYAML": [sys.executable, "-c", IMPORTS],
        "… and pydantic, one model": [sys.executable, "-c", MODEL],
        "aj --help": [aj, "--help"],
        "aj show hello": [aj, "show", "hello"],
        "aj explain hello target": [aj, "explain", "hello", "target"],
        "aj check (one file)": [aj, "check", ".aj/template/hello.yaml"],
        "aj run --dry-run": [aj, "run", "--dry-run"],
    }


def cpu(command: list[str], folder: str, environ: dict[str, str]) -> float:
    """Seconds of CPU that a command takes, of the user and of the system."""
    before = resource.getrusage(resource.RUSAGE_CHILDREN)
    subprocess.run(command, cwd=folder, env=environ, check=True, capture_output=True)
    after = resource.getrusage(resource.RUSAGE_CHILDREN)
    return after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime


def main() -> None:
    """Measure and print."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--rounds", type=int, default=21)
    rounds = parser.parse_args().rounds
    # What an installed package has, compiled modules, is there after the first run.
    environ = {name: value for name, value in os.environ.items() if not name.startswith(("PYTHON", "AJ_"))}
    measured = commands()
    with tempfile.TemporaryDirectory() as folder:
        subprocess.run([measured["aj --help"][0], "init"], cwd=folder, env=environ, check=True, capture_output=True)
        for command in measured.values():
            cpu(command, folder, environ)
        times: dict[str, list[float]] = {name: [] for name in measured}
        for _ in range(rounds):
            for name, command in measured.items():
                times[name].append(cpu(command, folder, environ))
    base = statistics.median(times[BASE])
    print(f"{'':28}{'ms CPU':>8}{'ratio':>8}{'goal':>8}")
    for name, found in times.items():
        middle = statistics.median(found)
        goal = f"{GOALS[name]:8.0f}" if name in GOALS else ""
        print(f"{name:28}{middle * 1000:8.1f}{middle / base:8.1f}{goal}")


if __name__ == "__main__":
    main()
