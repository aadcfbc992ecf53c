"""The server behind Neovim: where it is missing, when it dies, when it is asked how it is."""

from __future__ import annotations

import os
import signal
from typing import TYPE_CHECKING

from tests.e2e.nvim.starting import start

if TYPE_CHECKING:
    from pathlib import Path

    import pytest

    from tests.daemons import Host
    from tests.e2e.nvim.neovim import Neovim

TRAIN = ".aj/template/train.yaml"


def test_a_server_that_dies_is_started_again(nvim: Neovim) -> None:
    nvim.edit(TRAIN)
    nvim.keys(":Aj preview -n 3<CR>")
    nvim.until("the preview", lambda: '"nodes": 3' in nvim.preview())
    (first,) = nvim.servers()
    os.kill(first, signal.SIGKILL)
    nvim.until("it is said", lambda: "aj: the language server ended unexpectedly; it is started again" in nvim.messages)
    nvim.until("it is gone", lambda: first not in nvim.servers())
    nvim.until("another one", nvim.servers)
    nvim.served()
    nvim.keys("/0.1<CR>ciw9<Esc>")
    nvim.until("the preview lives, for its request", lambda: '"LR": "9.1"' in nvim.preview())
    assert '"nodes": 3' in nvim.preview()


def test_restarting(nvim: Neovim) -> None:
    nvim.edit(TRAIN)
    (first,) = nvim.servers()
    nvim.keys(":Aj restart<CR>")
    nvim.until("the first one is gone", lambda: first not in nvim.servers())
    nvim.until("another one", nvim.servers)
    nvim.served()
    nvim.answered()
    assert "unexpectedly" not in nvim.messages


def test_health(nvim: Neovim) -> None:
    nvim.edit(TRAIN)
    nvim.until("the home is read", lambda: nvim.virtual("used by"))
    nvim.keys(":Aj health<CR>")
    home = f"AJ_HOME {nvim.folder}/.aj: ready, 5 files"
    for wanted in ("aj doctor: Services", "command: aj lsp", home, "OK version 0.11.4"):
        nvim.until(wanted, lambda wanted=wanted: wanted in nvim.text)  # type: ignore[misc]


def test_help_is_found(nvim: Neovim) -> None:
    nvim.keys(":helptags ALL<CR>:help aj-submit<CR>")
    nvim.until("the page", lambda: nvim.name.endswith("doc/aj.txt"))
    assert ":Aj submit" in nvim.text


def test_no_server_is_a_clear_message(
    project: Path, machine: Path, host: Host, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("PATH", "/usr/bin:/bin")
    with start(project, machine, os.path.join(host.root, "nvim")) as nvim:
        nvim.open(TRAIN)
        nvim.until("the message", lambda: "aj: no language server: `aj` is not on PATH" in nvim.messages)
        assert "pipx install ajkit" in nvim.messages
        nvim.keys(":Aj health<CR>")
        nvim.until("the report", lambda: "not on PATH" in nvim.text)
