"""What the tests in Neovim stand on: a project, a host of its own for jobs, and a Neovim without settings."""

from __future__ import annotations

import os
import sys
from typing import TYPE_CHECKING

import pytest

from tests.daemons import host
from tests.e2e.nvim.starting import start
from tests.e2e.workspace import lay_out

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.daemons import Host
    from tests.e2e.nvim.neovim import Neovim

__all__ = ["host"]


@pytest.fixture
def project(tmp_path: Path) -> Path:
    """A project of its own."""
    folder = tmp_path / "project"
    folder.mkdir()
    lay_out(folder)
    return folder


@pytest.fixture
def machine(tmp_path: Path, host: Host, monkeypatch: pytest.MonkeyPatch) -> Path:
    """The environment that Neovim starts in: `aj` on PATH, no settings of anybody, jobs on a host of their own."""
    settings = tmp_path / "settings"
    for name, folder in (("HOME", "home"), ("XDG_CONFIG_HOME", "config"), ("XDG_DATA_HOME", "share")):
        (settings / folder).mkdir(parents=True)
        monkeypatch.setenv(name, str(settings / folder))
    for name, value in host.environ.items():
        if name.startswith(("XDG_", "AJ_")):
            monkeypatch.setenv(name, value)
    monkeypatch.delenv("AJ_HOME", raising=False)
    monkeypatch.setenv("PATH", os.pathsep.join([os.path.dirname(sys.executable), os.environ["PATH"]]))
    return settings


@pytest.fixture
def nvim(project: Path, machine: Path, host: Host) -> Iterator[Neovim]:
    """A Neovim in the project."""
    with start(project, machine, os.path.join(host.root, "nvim")) as editor:
        yield editor
        assert "Error executing" not in editor.messages, editor.messages
