"""Previews in Neovim: live over unsaved bases, with the ways between their lines and the lines that wrote them."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

if TYPE_CHECKING:
    from tests.e2e.nvim.neovim import Neovim

TRAIN = ".aj/template/train.yaml"


@pytest.fixture
def previewed(nvim: Neovim) -> Neovim:
    """A Neovim with the preview of a template beside it."""
    nvim.edit(TRAIN)
    nvim.keys(":Aj preview<CR>")
    nvim.until("the preview", lambda: '"MODE": "loud"' in nvim.preview())
    return nvim


def test_a_preview_follows_an_unsaved_base(previewed: Neovim) -> None:
    assert previewed.name.endswith(TRAIN), "the cursor stays in the template"
    previewed.edit(".aj/base/loud.yaml")
    previewed.keys("/loud<CR>ciwquiet<Esc>")
    previewed.until("the new value", lambda: '"MODE": "quiet"' in previewed.preview())
    assert previewed.lua("return vim.bo.modified")
    previewed.keys("u")
    previewed.until("the old value", lambda: '"MODE": "loud"' in previewed.preview())


def test_from_the_preview_to_the_source_and_back(previewed: Neovim) -> None:
    window = previewed.window_of("aj-preview://")
    previewed.keys("/LR<CR>")
    shown = previewed.until(
        "the preview follows the cursor",
        lambda: (line := window.buffer[window.cursor[0] - 1]).strip().startswith('"LR"') and line,
    )
    assert '"0.1"' in shown
    previewed.keys('<C-w>l/"MODE"<CR>K')
    previewed.until("where it comes from", lambda: "loud.yaml:3" in previewed.floats)
    previewed.keys("<CR>")
    previewed.until("the line that wrote it", lambda: previewed.name.endswith("base/loud.yaml"))
    assert "MODE" in previewed.line
    assert previewed.rpc.current.window != window


def test_a_preview_for_a_request(nvim: Neovim) -> None:
    nvim.edit(TRAIN)
    nvim.keys(":Aj preview -n 4 --env LR=0.5 python 'a b.py'<CR>")
    nvim.until("the preview", lambda: '"nodes": 4' in nvim.preview())
    assert '"LR": "0.5"' in nvim.preview()
    assert "python 'a b.py'" in nvim.preview()
    window = nvim.window_of("aj-preview://")
    assert "-n 4 --env LR=0.5" in window.options["winbar"]
    nvim.keys(":Aj! preview<CR>")
    nvim.until("the request is forgotten", lambda: '"nodes": 1' in nvim.preview())
    nvim.keys(":Aj preview -x 4<CR>")
    nvim.until("the mistake", lambda: "aj: there is no option -x" in nvim.messages)


def test_other_previews(nvim: Neovim) -> None:
    nvim.edit(TRAIN)
    nvim.keys(":Aj merged<CR>")
    nvim.until("the merged config", lambda: "MODE: loud" in nvim.preview())
    assert nvim.window_of("aj-preview://merged/")
    nvim.keys("<C-w>lq")
    nvim.until("it is closed", lambda: nvim.window_of("aj-preview://") is None)
    nvim.keys(":Aj amlt<CR>")
    nvim.until("the amlt file", lambda: "jobs:" in nvim.preview())
    assert nvim.window_of("aj-preview://amlt/")


def test_what_an_edit_changes_before_it_is_saved(nvim: Neovim) -> None:
    nvim.edit(".aj/base/loud.yaml")
    nvim.keys(":Aj impact<CR>")
    nvim.until("nothing yet", lambda: "0 of 2 templates come to something else" in nvim.messages)
    nvim.keys("/loud<CR>ciwquiet<Esc>")
    nvim.until("the lens", lambda: nvim.virtual("what unsaved changes come to"))
    nvim.keys("gggrx")
    nvim.asked("the list of lenses")
    nvim.keys("2<CR>")
    nvim.until("the templates", lambda: "sweep (changed)" in nvim.text)
    assert "train (changed)" in nvim.text
    assert "quiet" in nvim.text
    assert "2 of 2 templates" in nvim.lua("return vim.wo.winbar")
    nvim.keys("q")
    nvim.edit(TRAIN)
    nvim.keys(":Aj diff sweep<CR>")
    nvim.until("the difference", lambda: "Trains it many times" in nvim.text)


def test_a_file_that_is_no_template_has_no_preview(nvim: Neovim) -> None:
    nvim.open("compose.yaml")
    nvim.keys(":Aj preview<CR>")
    nvim.until("the reason", lambda: "aj: this buffer is no template" in nvim.messages)


def test_a_template_without_a_file_is_to_be_written_first(nvim: Neovim) -> None:
    nvim.edit(TRAIN)
    nvim.keys(":enew<CR>:setfiletype yaml.aj<CR>iconfig: {}<Esc>:Aj preview<CR>")
    nvim.until("the reason", lambda: "aj: this buffer has no file yet: :write it first" in nvim.messages)


def test_previews_outlive_a_server_that_others_stop(previewed: Neovim) -> None:
    previewed.lua("vim.lsp.enable('aj', false)")
    previewed.until("it is gone", lambda: previewed.lua("return #vim.lsp.get_clients() == 0"))
    previewed.lua("vim.lsp.enable('aj')")
    previewed.until("another one", lambda: previewed.lua("return #vim.lsp.get_clients({bufnr = 0}) == 1"))
    previewed.keys("/0.1<CR>ciw9<Esc>")
    previewed.until("the preview lives", lambda: '"LR": "9.1"' in previewed.preview())
    assert "unexpectedly" not in previewed.messages
