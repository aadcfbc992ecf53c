"""The templates of `examples/` on Volcano, Azure ML, Singularity and amlt: `aj run` from the folder as it is."""

from __future__ import annotations

import shutil
import sys
from typing import TYPE_CHECKING

import pytest

from tests.backends.amlt.conftest import put_on_path
from tests.backends.azureml.fakearm import CLUSTER, WORKSPACE, FakeAzure
from tests.backends.driving import Driver
from tests.backends.volcano.fakeapi import FakeCluster
from tests.backends.volcano.fakenodes import FakeNodes
from tests.daemons import host
from tests.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.daemons import Host

__all__ = ["host"]

TORCHRUN = """#!/bin/sh
echo "torchrun $*"
exec python train.py --steps 1
"""
HERE = ("--set", "target.workspace_name=research-ws", "--set", "target.resource_group=research-rg")


@pytest.fixture
def driver(host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Iterator[Driver]:
    """The folder, and nodes whose image has a python that installs nothing and a torchrun that says its words."""
    place = tmp_path / "image"
    place.mkdir()
    python = f'#!/bin/sh\n[ "$1 $2" = "-m pip" ] && exit 0\nexec {sys.executable} "$@"\n'
    for name, text in (("python", python), ("torchrun", TORCHRUN)):
        (place / name).write_text(text)
        (place / name).chmod(0o755)
    monkeypatch.setenv("PATH", str(place), prepend=":")
    host.environ["PATH"] = f"{place}:{host.environ['PATH']}"
    shutil.copytree(ROOT / "examples", tmp_path / "p")
    yield Driver(host, tmp_path / "p")
    host.stop()


def ran(driver: Driver, *arguments: str) -> list[str]:
    """The lines of a job that ended well, without the marks of their nodes, sorted."""
    done = driver.aj("run", "--sid", "a" * 10, *arguments)
    assert done.returncode == 0, done.stdout + done.stderr
    return sorted(line.partition("] ")[2] or line for line in done.stdout.splitlines())


def test_volcano(driver: Driver, tmp_path: Path) -> None:
    cluster = FakeCluster()
    cluster.put("queues", "", {"metadata": {"name": "example"}, "status": {"state": "Open"}})
    (tmp_path / "kubeconfig").write_text(cluster.kubeconfig())
    driver.host.environ["KUBECONFIG"] = str(tmp_path / "kubeconfig")
    nodes = FakeNodes(cluster, str(tmp_path / "pods"))
    try:
        lines = ran(driver, "-t", "volcano")
    finally:
        nodes.close()
        cluster.close()
    name = f"train-{'a' * 10}"
    head = f"--nproc-per-node 8 --node-rank {{}} --master-addr {name}-worker-0.{name} --master-port 29500 train.py"
    for node in range(2):
        assert f"torchrun --nnodes 2 {head.format(node)}" in lines
        assert f"{name}: process {node} of 2, lr 0.5" in lines


@pytest.mark.parametrize("template", ["aml", "sing"])
def test_azure(driver: Driver, tmp_path: Path, template: str) -> None:
    azure = FakeAzure(str(tmp_path / "nodes"))
    vc = f"{WORKSPACE.partition('/workspaces/')[0]}/virtualclusters/example-vc"
    azure.resources[vc] = azure.resources[CLUSTER]
    driver.host.environ |= {**azure.environ(), "AJ_SING_INSTANCES": "80G8-A100-IB=ND96amsr_A100_v4"}
    try:
        lines = ran(driver, "-t", template, "-n", "2", *HERE, "--set", "storage=null")
    finally:
        azure.close()
    for node in range(2):
        assert f"train-{'a' * 10}: process {node} of 2, lr 0.5" in lines
        master = "--master-addr 10.0.0.4 --master-port 6105"
        assert f"torchrun --nnodes 2 --nproc-per-node 8 --node-rank {node} {master} train.py" in lines


def test_amlt(driver: Driver, tmp_path: Path) -> None:
    (tmp_path / "amlt").mkdir()
    driver.host.environ["FAKE_AMLT"] = str(tmp_path / "amlt")
    driver.host.environ["PATH"] = f"{put_on_path(tmp_path)}:{driver.host.environ['PATH']}"
    assert f"train-{'a' * 10}: process 0 of 1, lr 0.5" in ran(driver, "-t", "amlt", "--amlt")
