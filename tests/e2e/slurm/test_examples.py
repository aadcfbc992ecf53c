"""The example templates of `slurm`, run by `aj run` on a real cluster, as they stand."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.daemons import make_host
from tests.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.daemons import Host
    from tests.e2e.slurm.cluster import Cluster

EXAMPLES = ROOT / "server/ajkit/backends/slurm/examples"

SSH = """#!/bin/bash
# A login node that is this machine: another environment, another home.
for last; do :; done
exec env -i HOME={home} USER=ada PATH=/usr/bin:/bin SLURM_CONF={conf} sh -c "$last"
"""
PROFILE = """
module() {{ export MODULES="$*"; }}
export -f module
export PATH={tools}:$PATH
"""
SAY = """
import os, sys
print(os.path.basename(sys.argv[0]), os.environ["RANK"], "of", os.environ["WORLD_SIZE"])
"""
TORCHRUN = """#!/bin/bash
echo "$VENV $MODULES: torchrun $* on $SLURMD_NODENAME with GPUs $CUDA_VISIBLE_DEVICES"
"""


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project with the examples as its templates."""
    folder = tmp_path / "project"
    folder.mkdir()
    for name in ("train.yaml", "tasks.yaml"):
        shutil.copy(EXAMPLES / name, folder)
    (folder / "train.py").touch()
    for name in ("actors.py", "learner.py"):
        (folder / name).write_text(SAY)
    return folder


@pytest.fixture
def host(tmp_path: Path, cluster: Cluster) -> Iterator[Host]:
    """A host from which the cluster is reached over ssh."""
    tools, home = tmp_path / "tools", tmp_path / "home"
    tools.mkdir()
    (home / "venvs/train/bin").mkdir(parents=True)
    (home / "venvs/train/bin/activate").write_text("export VENV=activated\n")
    (home / ".bash_profile").write_text(PROFILE.format(tools=tools))
    for name, text in (
        ("ssh", SSH.format(home=home, conf=cluster.environ["SLURM_CONF"])),
        ("torchrun", TORCHRUN),
    ):
        (tools / name).write_text(text)
        (tools / name).chmod(0o755)
    path = f"{tools}:{os.environ['PATH']}"
    yield from make_host(PATH=path, SLURM_CONF=cluster.environ["SLURM_CONF"])


def aj_run(host: Host, project: Path, *words: str) -> list[str]:
    """What `aj run` prints, sorted."""
    command = [sys.executable, "-m", "ajkit.cli", "run", *words]
    done = subprocess.run(
        command, cwd=project, env=host.environ, capture_output=True, text=True, timeout=400, check=False
    )
    assert done.returncode == 0, done.stdout + done.stderr
    return sorted(done.stdout.splitlines())


def test_train_over_ssh(host: Host, project: Path) -> None:
    lines = aj_run(host, project, "-t", "./train.yaml")
    words = "--nnodes 2 --nproc-per-node 8 --node-rank {0} --master-addr 127.0.0.1 --master-port {1} train.py"
    port = lines[0].partition("--master-port ")[2].split()[0]
    assert lines == [
        f"[node-{at}] activated load cuda/12.4 nccl/2.21: torchrun {words.format(at, port)} on n{at + 1} "
        "with GPUs 0,1,2,3,4,5,6,7"
        for at in range(2)
    ]


def test_unlike_nodes(host: Host, project: Path) -> None:
    # The cluster has two nodes, the example takes three.
    lines = aj_run(host, project, "-t", "./tasks.yaml", "--set", "_extra.slurm.tasks.learner.replicas=1")
    assert lines == [
        "[node-0] actors.py 0 of 9",
        *(f"[node-1.{at}] learner.py {at + 1} of 9" for at in range(8)),
    ]
