"""How long it takes to validate a template, and what is found: the typed Template against its JSON schema.

Run from the root of the repository::

    python -m tests.bench.validate [--lines 20000]

Times are CPU time, the best of several runs. The peer is the `jsonschema` package with the published schema, which is
what an editor without this project has. Every fault of `tests.planted` is planted into the leaf, and must be found on
its key path. The last lines are the cold start: CPU time of a fresh process over an empty interpreter's.
"""

from __future__ import annotations

import argparse
import os
import resource
import statistics
import subprocess
import sys
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import yaml
from jsonschema import Draft202012Validator

from ajkit.backends.registry import registry
from ajkit.shared.job.schema import template_schema
from ajkit.shared.template.checks import check
from ajkit.shared.template.model import check_types
from ajkit.shared.where import format_keypath
from tests.planted import UNKNOWN, WRONG

if TYPE_CHECKING:
    from collections.abc import Callable

LEAF_GOAL, LARGE_GOAL = 0.2, 10.0

PLANTED = [(text, message.split("`")[1]) for text, message in WRONG] + [(text, path) for text, path, _ in UNKNOWN]

COLD = {
    "python -c pass": "pass",
    "pydantic with one model": "from pydantic import BaseModel\nclass One(BaseModel):\n    a: int = 1\nOne()",
    "Template, checks": (
        "from ajkit.shared.template.model import check_types\nfrom ajkit.shared.template.checks import check\n"
        "check_types({})\ncheck({}, leaf=True)"
    ),
}


@dataclass(frozen=True)
class Row:
    """One validator: how long it takes for a leaf and for a large template, and how many planted faults it finds."""

    name: str
    leaf: float
    large: float
    found: int | None


def leaf_config() -> dict[str, Any]:
    """A leaf as people write them, about a hundred lines."""
    env = {f"SETTING_{index}": (f"value {index}", index, index / 7, index % 2 == 0)[index % 4] for index in range(45)}
    return {
        "description": "a leaf",
        "target": {"service": "volcano", "queue": "train", "cpus_per_node": 32, "memory": "512Gi", "gpus_per_node": 8},
        "environment": {"image": "example/train:1", "setup": [f"pip install part-{index}" for index in range(8)]},
        "code": {"local_dir": ".", "ignore": ["data/", "*.ckpt"]},
        "storage": {each: {"container_name": each, "mount_dir": f"/mnt/{each}"} for each in ("data", "out")},
        "jobs": [
            {
                "name": "train",
                "sku": {"1": "G{processes}", "2+": "{nodes}xG{processes}-IB"},
                "instance_count": 4,
                "sla_tier": "premium",
                "tags": ["purpose:train"],
                "command": [f"python train.py --stage {index} --tokenizer gpt2" for index in range(12)],
                "submit_args": {"env": env | {"HF_TOKEN": {"from_env": "HF_TOKEN"}, "TOKENIZERS_PARALLELISM": "false"}},
            }
        ],
    }


def large_config(lines: int) -> dict[str, Any]:
    """A template of at least so many lines: the leaf with many jobs and storages."""
    config = leaf_config()
    (job,) = config["jobs"]
    each = yaml.safe_dump([job]).count("\n")
    storages = {f"store{index}": {"container_name": "c", "mount_dir": f"/mnt/{index}"} for index in range(lines // 60)}
    count = max(1, (lines - 3 * len(storages)) // each)
    return config | {"storage": storages, "jobs": [job | {"name": f"train-{index}"} for index in range(count)]}


def milliseconds(act: Callable[[], object]) -> float:
    """CPU time of one call, the best of several rounds."""
    began = time.process_time()
    act()
    rounds = max(1, int(0.1 / max(time.process_time() - began, 1e-6)))
    best = float("inf")
    for _ in range(7):
        began = time.process_time()
        for _ in range(rounds):
            act()
        best = min(best, (time.process_time() - began) / rounds)
    return best * 1000


def found_by_types() -> int:
    """How many planted faults the type check finds, alone and on their key paths."""
    leaf = leaf_config()
    return sum(
        [format_keypath(each.path) for each in check_types(leaf | yaml.safe_load(text))[1]] == [path]
        for text, path in PLANTED
    )


def found_by_schema(validator: Draft202012Validator) -> int:
    """How many planted faults the published schema rejects."""
    leaf = leaf_config()
    return sum(not validator.is_valid({"config": leaf | yaml.safe_load(text)}) for text, _ in PLANTED)


def rows(lines: int) -> list[Row]:
    """The table."""
    leaf, large = leaf_config(), large_config(lines)
    schema = Draft202012Validator(template_schema(registry().all()))
    assert check_types(leaf)[1] == check_types(large)[1] == []
    assert schema.is_valid({"config": leaf})
    assert schema.is_valid({"config": large})
    return [
        Row(
            "types (pydantic Template, unknown keys)",
            milliseconds(lambda: check_types(leaf)),
            milliseconds(lambda: check_types(large)),
            found_by_types(),
        ),
        Row(
            "checks (secrets, shell, lost effects)",
            milliseconds(lambda: check(leaf, leaf=True, service="volcano")),
            milliseconds(lambda: check(large, leaf=True, service="volcano")),
            None,
        ),
        Row(
            "jsonschema, published schema",
            milliseconds(lambda: list(schema.iter_errors({"config": leaf}))),
            milliseconds(lambda: list(schema.iter_errors({"config": large}))),
            found_by_schema(schema),
        ),
    ]


def cold(code: str, runs: int = 15) -> float:
    """CPU milliseconds of a fresh process, the median of some runs after one that fills the caches."""
    environment = {**os.environ, "PYDANTIC_DISABLE_PLUGINS": "true"}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    spent = []
    for _ in range(runs + 1):
        before = resource.getrusage(resource.RUSAGE_CHILDREN)
        subprocess.run([sys.executable, "-c", code], check=True, env=environment)
        after = resource.getrusage(resource.RUSAGE_CHILDREN)
        spent.append(after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)
    return statistics.median(spent[1:]) * 1000


def main() -> int:
    """Print the figures; 1 where a goal is missed."""
    parser = argparse.ArgumentParser(prog="python -m tests.bench.validate")
    parser.add_argument("--lines", type=int, default=20_000)
    given = parser.parse_args()
    table = rows(given.lines)
    written = yaml.safe_dump({"config": leaf_config()}).count("\n")
    print(
        f"{'milliseconds of CPU':42}{f'leaf ({written} lines)':>18}{f'{given.lines:,} lines':>14}{'planted found':>16}"
    )
    for each in table:
        share = "" if each.found is None else f"{each.found}/{len(PLANTED)}"
        print(f"{each.name:42}{each.leaf:18.3f}{each.large:14.2f}{share:>16}")
    empty = 0.0
    print(f"\n{'cold start':42}{'ms of CPU':>18}{'ratio':>14}")
    for name, code in COLD.items():
        spent = cold(code)
        empty = empty or spent
        print(f"{name:42}{spent:18.1f}{spent / empty:13.1f}x")
    types = table[0]
    good = types.leaf <= LEAF_GOAL and types.large <= LARGE_GOAL and types.found == len(PLANTED)
    print(f"\ngoals (types: {LEAF_GOAL} and {LARGE_GOAL:g} ms, every planted fault):", "met" if good else "MISSED")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main())
