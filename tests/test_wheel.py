"""What is installed works without the repository: the wheel holds every module and what they read at run time."""

from __future__ import annotations

import os
import subprocess
import sys
import zipfile
from typing import TYPE_CHECKING

import pytest

from ajkit.shared.problem import CODES
from tests.repository import ROOT, files, named

if TYPE_CHECKING:
    from pathlib import Path


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel, built and unpacked."""
    folder = tmp_path_factory.mktemp("wheel")
    command = [sys.executable, "-m", "hatchling", "build", "--target", "wheel", "--directory", str(folder)]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr
    (wheel,) = folder.glob("*.whl")
    with zipfile.ZipFile(wheel) as archive:
        archive.extractall(folder / "site")
    return folder / "site"


def test_the_wheel_holds_the_package_and_nothing_else(unpacked: Path) -> None:
    inside = {each.relative_to(unpacked).as_posix() for each in unpacked.rglob("*") if each.is_file()}
    ours = {name.removeprefix("server/") for each in files() if (name := named(each)).startswith("server/")}
    assert ours - inside == set()
    assert {each.split("/")[0] for each in inside} == {"ajkit", f"{next(unpacked.glob('*.dist-info')).name}"}


def test_the_page_of_problems_is_installed(unpacked: Path) -> None:
    script = "import ajkit.cli.pages as pages; print(pages.__file__, *pages.sections(), sep='\\n')"
    environment = {**os.environ, "PYTHONPATH": str(unpacked)}
    done = subprocess.run([sys.executable, "-c", script], env=environment, capture_output=True, text=True, check=False)
    place, *codes = done.stdout.splitlines()
    assert place.startswith(str(unpacked))
    assert set(CODES) <= set(codes)
