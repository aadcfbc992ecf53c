"""Emacs with `editors/emacs`: compiled without warnings, and the same journey through each of its clients."""

from __future__ import annotations

import os
import shutil
import subprocess
import sys
from pathlib import Path
from typing import TYPE_CHECKING

import pytest

from tests.daemons import host
from tests.e2e.parts import bring
from tests.e2e.workspace import lay_out
from tests.repository import ROOT

if TYPE_CHECKING:
    from tests.daemons import Host

__all__ = ["host"]

PACKAGES = Path("/usr/share/emacs/site-lisp/elpa")
SOURCES = ROOT / "editors/emacs"
PATIENCE = 400
JOURNEY = Path(__file__).with_name("journey.el")
START = f"""(progn (require 'package) (add-to-list 'package-directory-list "{PACKAGES}") (package-initialize))"""


def is_there() -> bool:
    """Whether Emacs is installed with all that the tests load."""
    wanted = ("eglot", "lsp-mode", "yaml-mode")
    return shutil.which("emacs") is not None and all(list(PACKAGES.glob(f"{each}-*")) for each in wanted)


def emacs(*arguments: str, environ: dict[str, str] | None = None, folder: Path = ROOT) -> tuple[int, str]:
    """Run Emacs in batch: exit code, and everything that it said."""
    bring("emacs", is_there)
    command = ["emacs", "--batch", "-Q", "--eval", START, "-L", str(SOURCES), *arguments]
    with subprocess.Popen(
        command,
        cwd=folder,
        env=environ,
        stdin=subprocess.DEVNULL,
        stdout=subprocess.PIPE,
        stderr=subprocess.STDOUT,
        text=True,
    ) as process:
        try:
            said, _ = process.communicate(timeout=PATIENCE)
        except subprocess.TimeoutExpired:
            process.kill()
            said, _ = process.communicate()
            pytest.fail(f"not over in {PATIENCE} s: {said}")
        return process.returncode, said


def test_it_compiles_without_warnings(tmp_path: Path) -> None:
    beside = f'(lambda (file) (concat "{tmp_path}/" (file-name-nondirectory file) "c"))'
    there = f"(setq byte-compile-dest-file-function {beside})"
    files = sorted(str(each) for each in SOURCES.glob("*.el"))
    assert files
    assert emacs("--eval", there, "-f", "batch-byte-compile", *files) == (0, "")
    assert len(list(tmp_path.glob("*.elc"))) == len(files)


@pytest.mark.parametrize("client", ["eglot", "lsp-mode"])
def test_the_journey(client: str, tmp_path: Path, host: Host) -> None:
    project, home = tmp_path / "project", tmp_path / "home"
    home.mkdir()
    project.mkdir()
    lay_out(project)
    environ = {
        **host.environ,
        "HOME": str(home),
        "PATH": os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]]),
        "LANG": "C.UTF-8",
        "AJ_PROJECT": str(project),
        "AJ_CLIENT": client,
    }
    code, said = emacs("-l", str(JOURNEY), "-f", "ert-run-tests-batch-and-exit", environ=environ, folder=project)
    assert code == 0, said
    assert ", 0 unexpected" in said
