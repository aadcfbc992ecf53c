"""The import rules bite: each contract of pyproject.toml is broken by a planted import in a copy of the package."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING

import pytest

from tests.repository import ROOT

if TYPE_CHECKING:
    from pathlib import Path

PLANTED = {
    "The rooms of the house, and no others": {"utils.py": ""},
    "The core, from the wire down to places": {"shared/where.py": "import ajkit.shared.problem"},
    "The core is pure: no machine, clock, network, thread or editor": {"shared/sku.py": "import time"},
    "Backends are strangers to one another": {"backends/ray/planted.py": "import ajkit.backends.slurm.describe"},
    "Describing a job never loads what runs it": {"backends/ray/describe.py": "import ajkit.backends.ray.execute"},
    "Only the daemon's side loads what runs a job": {"client/planted.py": "import ajkit.backends.ray.execute"},
    "The client knows the daemon by its wire alone": {"client/other.py": "import ajkit.submit"},
    "Features of the editor are strangers to one another": {
        "lsp/features/__init__.py": "",
        "lsp/features/one.py": "import ajkit.lsp.features.two",
        "lsp/features/two.py": "",
    },
    "Features of the editor know no protocol library": {"lsp/features/three.py": "import pygls"},
    "The command line loads no protocol library": {"cli/planted.py": "import lsprotocol"},
}


@pytest.fixture(scope="module")
def verdicts(tmp_path_factory: pytest.TempPathFactory) -> str:
    """What import-linter says of a copy in which every rule is broken."""
    copy: Path = tmp_path_factory.mktemp("planted")
    shutil.copytree(ROOT / "server", copy / "server", ignore=shutil.ignore_patterns("__pycache__"))
    shutil.copy(ROOT / "pyproject.toml", copy)
    package = copy / "server/ajkit"
    (package / "backends/ray/execute.py").touch()
    for plants in PLANTED.values():
        for name, text in plants.items():
            path = package / name
            path.parent.mkdir(exist_ok=True)
            with path.open("a") as file:
                file.write(f"\n{text}\n")
    command = [f"{sys.prefix}/bin/lint-imports", "--no-cache", "--no-logo"]
    environment = {**os.environ, "PYTHONPATH": str(copy / "server")}
    done = subprocess.run(command, cwd=copy, env=environment, capture_output=True, text=True, check=False)
    assert done.returncode == 1, done.stdout + done.stderr
    return done.stdout


@pytest.mark.parametrize("rule", PLANTED)
def test_a_planted_import_breaks_the_rule(rule: str, verdicts: str) -> None:
    assert f"{rule} BROKEN" in verdicts.replace("\n", " ")


def test_every_rule_is_tried(verdicts: str) -> None:
    assert f"Contracts: 0 kept, {len(PLANTED)} broken." in verdicts
