"""The example template of `local`, run by `aj run` as it stands."""

from __future__ import annotations

import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

from tests.repository import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from tests.daemons import Host


def test_train(host: Host, tmp_path: Path) -> None:
    shutil.copy(ROOT / "server/ajkit/backends/local/examples/train.yaml", tmp_path)
    (tmp_path / "train.py").write_text(
        "import os, sys\nprint(os.listdir(), sys.argv[1:], os.environ['OMP_NUM_THREADS'])\n"
    )
    done = subprocess.run(
        [sys.executable, "-m", "ajkit.cli", "run", "-t", "./train.yaml"],
        cwd=tmp_path,
        env=host.environ,
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )
    assert done.returncode == 0, done.stderr
    lines = done.stdout.splitlines()
    for at in range(2):
        own = [each.partition("] ")[2] for each in lines if each.startswith(f"[node-0.{at}] ")]
        assert own[0] == f"node 0, process {at} of 2"
        assert own[1].endswith(" ['--steps', '20'] 4")
        assert "'outputs'" in own[1]
