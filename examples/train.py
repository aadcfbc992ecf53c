"""A stand-in for a training script: it says where it runs, and its loss goes down."""

from __future__ import annotations

import argparse
import math
import os


def main() -> None:
    """Train for a few steps and print what a real script would log."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--steps", type=int, default=4)
    parser.add_argument("--lr", type=float, default=0.5)
    options = parser.parse_args()

    # aj sets these for every process; the defaults let the script run without it too.
    rank, world = int(os.environ.get("RANK", "0")), int(os.environ.get("WORLD_SIZE", "1"))
    print(f"{os.environ.get('AJ_NAME', 'train')}: process {rank} of {world}, lr {options.lr}", flush=True)
    for step in range(1, options.steps + 1):
        loss = math.exp(-options.lr * step) + 0.01 * rank
        print(f"step {step}/{options.steps}  loss {loss:.3f}", flush=True)


if __name__ == "__main__":
    main()
