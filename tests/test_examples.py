"""The AJ_HOME of `examples/`: clean, complete, nothing left over, and its local job runs."""

from __future__ import annotations

import os
import subprocess
import sys
from pathlib import Path

import pytest

from ajkit.engine import Engine
from ajkit.shared.job.request import JobRequest
from tests.repository import ROOT

EXAMPLES = ROOT / "examples"
HOME = EXAMPLES / ".azure_jobs"
FLAGGED = {"amlt": "--amlt"}


def engine() -> Engine:
    return Engine(folder=str(EXAMPLES))


def leaves() -> list[Path]:
    return sorted((HOME / "template").glob("*.yaml"))


def test_nothing_is_wrong_and_nothing_is_noisy() -> None:
    working = engine()
    found = working.check(working.ours())
    assert [f"{each.span}: {each.code}: {each.message}" for each in found] == []


def test_every_service_has_a_leaf() -> None:
    working = engine()
    listed = working.entries(str(HOME))
    assert all(each.is_leaf for each in listed)
    configs = {each.name: working.resolve(each.path).config for each in listed}
    named = {str(config["target"]["service"]) for config in configs.values()}  # type: ignore[index,call-overload]
    assert {*named, *FLAGGED} >= {each.name for each in working.registry.all()} - {"bench"}


@pytest.mark.parametrize("leaf", leaves(), ids=lambda each: each.stem)
def test_every_leaf_becomes_a_job(leaf: Path) -> None:
    amlt = leaf.stem in FLAGGED
    nodes = None if "instance_count" in leaf.read_text("utf-8").partition("config:")[2] or leaf.stem == "rl" else 2
    plan = engine().plan(JobRequest(str(leaf), nodes=nodes, amlt=amlt))
    assert plan.problems == ()
    spec = plan.require()
    assert spec.description
    assert "train.py" in spec.command


def test_every_file_is_used() -> None:
    working = engine()
    used = {each.path for leaf in leaves() for each in working.resolve(str(leaf)).chain}
    assert {str(each) for each in HOME.rglob("*.yaml")} == used


def test_the_local_job_runs_and_says_a_few_lines() -> None:
    spec = engine().plan(JobRequest(str(HOME / "template/local.yaml"))).require()
    path = os.pathsep.join((str(Path(sys.executable).parent), os.environ["PATH"]))
    environment = {**{name: str(value) for name, value in spec.env.items()}, "PATH": path}
    done = subprocess.run(
        ["bash", "-c", spec.command], cwd=EXAMPLES, env=environment, capture_output=True, text=True, check=True
    )
    lines = done.stdout.splitlines()
    assert lines[0].startswith("train-0000000000: process 0 of 1")
    assert [each.partition("  ")[0] for each in lines[1:]] == ["step 1/4", "step 2/4", "step 3/4", "step 4/4"]
    losses = [float(each.rpartition(" ")[2]) for each in lines[1:]]
    assert losses == sorted(losses, reverse=True)
    assert done.stderr == ""
