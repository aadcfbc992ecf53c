"""Runs the benchmarks one after the other, each in a process of its own: `python -m tests.bench [NAME ...]`.

A benchmark is a module beside this one that can be run by itself. Its figures are meant to be compared within one run.
"""

from __future__ import annotations

import subprocess
import sys
import time
from pathlib import Path

HERE = Path(__file__).parent


def benchmarks() -> list[str]:
    """The names of the benchmarks there are, sorted."""
    runnable = [each for each in HERE.glob("[a-z]*.py") if 'if __name__ == "__main__":' in each.read_text("utf-8")]
    return sorted(each.stem for each in runnable)


def main() -> int:
    """Run those named, or all; 0 when all ran to their end."""
    known = benchmarks()
    wanted = sys.argv[1:] or known
    if unknown := [each for each in wanted if each not in known]:
        print(f"no benchmark {', '.join(unknown)}; there are {', '.join(known)}", file=sys.stderr)
        return 2
    failed = []
    for name in wanted:
        print(f"== {name}", flush=True)
        began = time.monotonic()
        if subprocess.run([sys.executable, "-m", f"tests.bench.{name}"], cwd=HERE.parents[1], check=False).returncode:
            failed.append(name)
        print(f"   ({time.monotonic() - began:.0f} s)\n", flush=True)
    if failed:
        print(f"failed: {', '.join(failed)}", file=sys.stderr)
    return 1 if failed else 0


if __name__ == "__main__":
    sys.exit(main())
