"""A real Neovim with the plugin installed as its page says, driven by keys; what a person sees is read back."""

from __future__ import annotations

import contextlib
import json
import os
import signal
import time
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

PATIENCE = 60.0
"""Seconds that a busy machine may take for anything."""


@dataclass
class Question:
    """What a person was asked: a line to type, or one of some items to choose."""

    prompt: str
    items: list[str]


@dataclass
class Neovim:
    """A Neovim in a folder.

    What is to be seen is read by one piece of Lua each time: windows and buffers come and go between two.
    """

    rpc: Any
    folder: Path
    pid: int
    questions: Path
    dealt_with: int = 0

    # -- a person at the keyboard -----------------------------------------------------------------------------------

    def keys(self, typed: str) -> None:
        """Type keys, in Neovim's notation: ``ggK``, ``:Aj preview<CR>``."""
        assert self.rpc.input(typed) == len(typed.encode()), f"Neovim did not take all of {typed}"

    def edit(self, path: str) -> None:
        """Open a file and wait until the server serves it."""
        self.open(path)
        self.served()

    def open(self, path: str) -> None:
        """Open a file."""
        self.keys(f"<Esc>:edit {self.folder / path}<CR>")
        self.until(f"{path} is open", lambda: self.name == str(self.folder / path))

    def choose(self, what: str, words: str) -> None:
        """Choose the item that holds some words, once there is a list to choose from."""
        items = self.asked(what).items
        (number,) = [number for number, each in enumerate(items, 1) if words in each] or pytest.fail(f"{what}: {items}")
        self.keys(f"{number}<CR>")

    def asked(self, what: str) -> Question:
        """Wait for the next question; what is typed from now on answers it."""
        found: Question = self.until(what, lambda: self._asked()[self.dealt_with :])[0]
        self.dealt_with += 1
        # It was noted right before it is asked. Until then the mode is that of the keys that led to it.
        self.until(f"{what} is asked", lambda: self.rpc.api.get_mode()["mode"] != "n")
        return found

    def _asked(self) -> list[Question]:
        text = self.questions.read_text("utf-8") if self.questions.exists() else ""
        return [Question(**json.loads(each)) for each in text.splitlines(keepends=True) if each.endswith("\n")]

    # -- what is to be seen -----------------------------------------------------------------------------------------

    def lua(self, code: str, *arguments: Any) -> Any:
        """What a piece of Lua returns."""
        return self.rpc.exec_lua(code, *arguments)

    @property
    def name(self) -> str:
        """The name of the current buffer."""
        return str(self.lua("return vim.api.nvim_buf_get_name(0)"))

    @property
    def text(self) -> str:
        """The text of the current buffer."""
        return "\n".join(self.lua("return vim.api.nvim_buf_get_lines(0, 0, -1, false)"))

    @property
    def line(self) -> str:
        """The line of the cursor."""
        return str(self.lua("return vim.api.nvim_get_current_line()"))

    @property
    def floats(self) -> str:
        """What stands in floating windows."""
        return "\n".join(each["text"] for each in self.windows() if each["floats"])

    @property
    def messages(self) -> str:
        """Everything that was said below the text."""
        return str(self.lua("return vim.api.nvim_exec2('messages', {output = true}).output"))

    def windows(self) -> list[dict[str, Any]]:
        """Every window: `name`, `text` of its buffer, `line` of its cursor, its `bar`, if it `floats` or `differs`."""
        found: list[dict[str, Any]] = self.lua(_WINDOWS)
        return found

    def problems(self) -> list[tuple[str, int, str]]:
        """Code, line from one, and text of each problem shown in the current buffer."""
        found = self.lua("return vim.diagnostic.get(0)")
        return [(each["code"], each["lnum"] + 1, each["message"]) for each in found]

    def problem(self, code: str) -> tuple[str, int, str]:
        """Wait until the first problem shown is of a kind."""
        first = self.until(f"the problem {code}", lambda: [each for each in self.problems()[:1] if each[0] == code])
        found: tuple[str, int, str] = first[0]
        return found

    def judged(self) -> list[str]:
        """The codes of the problems that the server finds in the current buffer now, whatever is shown."""
        ask = "{textDocument = {uri = vim.uri_from_bufnr(0)}}"
        return [each["code"] for each in self._request("textDocument/diagnostic", ask)["items"]]

    def virtual(self, *words: str) -> list[str]:
        """Texts that hold some words and stand between the lines of the current buffer without being in it."""
        marks = self.lua("return vim.api.nvim_buf_get_extmarks(0, -1, 0, -1, {details = true})")
        texts = ["".join(chunk[0] for chunk in each[3].get("virt_text", [])) for each in marks]
        return [each for each in texts if all(word in each for word in words)]

    def window_of(self, start: str) -> dict[str, Any] | None:
        """The window of the buffer whose name starts so; None where there is none."""
        return next((each for each in self.windows() if each["name"].startswith(start)), None)

    def preview(self) -> str:
        """The text of the preview in sight; empty where none is."""
        window = self.window_of("aj-preview://")
        return str(window["text"]) if window else ""

    def quickfix(self) -> list[str]:
        """The lines of the quickfix window, once the cursor is in it."""
        code = "return vim.bo.buftype == 'quickfix' and vim.api.nvim_buf_get_lines(0, 0, -1, false) or {}"
        found = self.until("the quickfix window", lambda: self.lua(code))
        return [str(each) for each in found]

    # -- the server -------------------------------------------------------------------------------------------------

    def served(self) -> None:
        """Wait until the server serves the current buffer."""
        self.until("the server serves the buffer", lambda: self.lua("return #vim.lsp.get_clients({bufnr = 0}) == 1"))

    def answered(self) -> None:
        """Have the server answer: what was typed before has reached it, and what it had asked for is answered."""
        self._request("workspace/executeCommand", "{command = 'aj.status', arguments = {}}")
        self.until("nothing is asked of the server any more", lambda: not self.pending())

    def pending(self, method: str | None = None) -> bool:
        """Whether the server has been asked something, of a method, that it has not answered."""
        return bool(self.lua(_PENDING, method))

    @contextlib.contextmanager
    def silent_server(self) -> Iterator[None]:
        """A while in which the server answers nothing, not even what keeps the lenses fresh; then it answers all."""
        (server,) = self.servers()
        self.answered()
        os.kill(server, signal.SIGSTOP)
        try:
            self.lua("vim.lsp.codelens.refresh({bufnr = 0})")
            yield
        finally:
            os.kill(server, signal.SIGCONT)

    def _request(self, method: str, params: str) -> Any:
        found = self.lua(
            f"local answer, problem = vim.lsp.get_clients()[1]:request_sync(..., {params}, {PATIENCE * 1000:.0f}); "
            "return answer and answer.result or tostring(problem or vim.inspect(answer))",
            method,
        )
        assert not isinstance(found, str), f"{method}: {found}"
        return found

    def servers(self) -> list[int]:
        """The processes that Neovim has started."""
        with open(f"/proc/{self.pid}/task/{self.pid}/children", encoding="utf-8") as file:
            return [int(each) for each in file.read().split()]

    def until(self, what: str, true: Callable[[], Any], seconds: float = PATIENCE) -> Any:
        """Wait for something to become true and return it, or fail saying what was to be seen."""
        end = time.monotonic() + seconds
        while not (found := true()):
            if time.monotonic() > end:
                pytest.fail(f"not in {seconds:.0f} s: {what}\n{self.sight()}")
            time.sleep(0.03)
        return found

    def sight(self) -> str:
        """All that a person sees; where Neovim waits for an answer the question alone, as it says nothing else then."""
        mode = self.rpc.api.get_mode()
        asked = f"mode: {mode}\nquestions: {self._asked()}"
        if mode["blocking"]:
            return asked
        windows = "\n".join(f"window {each['name']}:\n{each['text']}" for each in self.windows())
        return f"{asked}\nmessages: {self.messages}\nbuffer {self.name}\n{windows}"


_PENDING = """
local method = ...
for _, client in ipairs(vim.lsp.get_clients()) do
  for _, request in pairs(client.requests) do
    if request.type == 'pending' and request.method == (method or request.method) then
      return true
    end
  end
end
return false
"""

_WINDOWS = """
return vim.tbl_map(function(win)
  local buf = vim.api.nvim_win_get_buf(win)
  local lines = vim.api.nvim_buf_get_lines(buf, 0, -1, false)
  return {
    name = vim.api.nvim_buf_get_name(buf),
    text = table.concat(lines, '\\n'),
    line = lines[vim.api.nvim_win_get_cursor(win)[1]],
    floats = vim.api.nvim_win_get_config(win).relative ~= '',
    differs = vim.wo[win].diff,
    bar = vim.wo[win].winbar,
  }
end, vim.api.nvim_list_wins())
"""
