"""Previews in Neovim: live over unsaved bases, with the ways between their lines and the lines that wrote them."""

from __future__ import annotations

import time
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
    previewed.keys("/LR<CR>")
    previewed.until(
        "the preview follows the cursor",
        lambda: (window := previewed.window_of("aj-preview://")) and window["line"].strip().startswith('"LR": "0.1"'),
    )
    previewed.keys('<C-w>l/"MODE"<CR>K')
    previewed.until("where it comes from", lambda: "loud.yaml:3" in previewed.floats)
    previewed.keys("<CR>")
    previewed.until("the line that wrote it", lambda: previewed.name.endswith("base/loud.yaml"))
    assert "MODE" in previewed.line
    assert previewed.window_of("aj-preview://"), "the preview stays in sight"


def test_a_preview_for_a_request(nvim: Neovim) -> None:
    nvim.edit(TRAIN)
    nvim.keys(":Aj preview -n 4 --env LR=0.5 python 'a b.py'<CR>")
    window = nvim.until("the preview", lambda: '"nodes": 4' in nvim.preview() and nvim.window_of("aj-preview://"))
    assert '"LR": "0.5"' in window["text"]
    assert "python 'a b.py'" in window["text"]
    assert "-n 4 --env LR=0.5" in window["bar"]
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
    nvim.choose("the list of lenses", "what unsaved changes come to")
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
    previewed.served()
    previewed.keys("/0.1<CR>ciw9<Esc>")
    previewed.until("the preview lives", lambda: '"LR": "9.1"' in previewed.preview())
    assert "unexpectedly" not in previewed.messages


def test_a_late_answer_leaves_the_cursor_of_the_person_alone(previewed: Neovim) -> None:
    with previewed.silent_server():
        previewed.keys("/LR<CR>")
        previewed.until("the preview is to follow", lambda: previewed.pending("workspace/executeCommand"))
        previewed.keys("<C-w>lG")
        previewed.until("the end", lambda: previewed.line == "}")
    previewed.answered()
    assert previewed.line == "}"


def test_a_preview_may_be_closed_before_its_answer_comes(previewed: Neovim) -> None:
    previewed.keys('<C-w>l/"MODE"<CR>')
    previewed.until("the line", lambda: '"MODE"' in previewed.line)
    with previewed.silent_server():
        previewed.keys("<CR>q")
        previewed.until("it is closed", lambda: not previewed.window_of("aj-preview://"))
    previewed.until("the line that wrote it", lambda: previewed.name.endswith("base/loud.yaml"))


def test_a_link_is_followed_however_late_the_server_answers(nvim: Neovim) -> None:
    nvim.edit(TRAIN)
    nvim.lua("vim.ui.open = function(what) vim.notify('opened elsewhere: ' .. what) end")
    with nvim.silent_server():
        nvim.keys("/train.sh<CR>gx")
        nvim.until("the links are asked for", lambda: nvim.pending("textDocument/documentLink"))
        time.sleep(2.5)  # longer than editors like to wait
    nvim.until("the script is open", lambda: nvim.name.endswith("project/train.sh"))
    assert "opened elsewhere" not in nvim.messages
