"""From a template in Neovim to the output of its job, run on this machine by a daemon of its own."""

from __future__ import annotations

from typing import TYPE_CHECKING

from tests.daemons import finish

if TYPE_CHECKING:
    from tests.daemons import Host
    from tests.e2e.nvim.neovim import Neovim


def shown(nvim: Neovim) -> bool:
    """Whether the job that can be submitted is in sight."""
    return nvim.name.startswith("aj-job://")


def test_a_job_is_shown_submitted_and_followed(nvim: Neovim, host: Host) -> None:
    nvim.edit(".aj/template/train.yaml")
    nvim.keys('/0.1<CR>ci"0.7<Esc>:Aj submit -n 2<CR>')
    nvim.until("the job", lambda: shown(nvim))
    assert '"LR": "0.7"' in nvim.text
    sid = nvim.name.removeprefix("aj-job://")
    bar = nvim.lua("return vim.wo.winbar")
    assert f"{sid} on local: 2 nodes" in bar
    assert "unsaved: train.yaml" in bar
    nvim.keys("S")
    nvim.until("the log", lambda: nvim.name == f"aj-log://{sid}")
    wanted = {f"trained with 0.7 in mode loud on node {node}" for node in range(2)}
    nvim.until("the output", lambda: all(each in nvim.text for each in wanted))
    nvim.until("the end", lambda: f"aj: job {sid} is done" in nvim.messages)
    assert finish(host.daemon(start=False), sid)[:2] == ("done", 0)

    nvim.keys(":close<CR>:Aj submit<CR>")
    nvim.until("the next job, with the same request", lambda: shown(nvim) and '"nodes": 2' in nvim.text)
    nvim.keys("d")
    nvim.until("the comparison", lambda: [each["differs"] for each in nvim.windows()].count(True) == 2)
    nvim.keys("q")
    nvim.until("it is left", lambda: "aj: nothing was submitted" in nvim.messages)
    assert [each.id for each in host.daemon(start=False).jobs()] == [sid]

    nvim.keys(":Aj jobs<CR>")
    nvim.choose("the list", sid)
    nvim.until("its log again", lambda: nvim.name == f"aj-log://{sid}")


def test_keys_that_are_pressed_twice_send_once_and_a_log_is_shown_once(nvim: Neovim, host: Host) -> None:
    nvim.edit(".aj/template/train.yaml")
    nvim.keys(":Aj submit<CR>")
    nvim.until("the job", lambda: shown(nvim))
    sid = nvim.name.removeprefix("aj-job://")
    nvim.keys("SSS")
    nvim.until("the log", lambda: nvim.name == f"aj-log://{sid}")
    nvim.until("the end", lambda: f"aj: job {sid} is done" in nvim.messages)
    nvim.keys("<C-w>p")
    nvim.until("the template", lambda: nvim.name.endswith("train.yaml"))
    nvim.answered()
    assert nvim.messages.count("is taken as") == 1
    nvim.keys(f":Aj logs {sid}<CR>")
    nvim.until("its log", lambda: nvim.name == f"aj-log://{sid}")
    assert len(nvim.windows()) == 2


def test_jobs_are_chosen_where_none_is_named(nvim: Neovim, host: Host) -> None:
    nvim.edit(".aj/template/train.yaml")
    nvim.keys(":Aj cancel<CR>")
    nvim.until("there is none", lambda: "aj: no job is live" in nvim.messages)
    nvim.keys(":Aj submit sleep 600<CR>")
    nvim.until("the job", lambda: shown(nvim))
    nvim.keys("S")
    nvim.until("the log", lambda: nvim.name.startswith("aj-log://"))
    sid = nvim.name.removeprefix("aj-log://")
    nvim.keys("<C-w>p")
    nvim.until("the template", lambda: nvim.name.endswith("train.yaml"))
    nvim.keys(":Aj cancel<CR>")
    nvim.choose("the list", sid)
    assert finish(host.daemon(start=False), sid)[0] == "cancelled"


def test_a_refused_job_leads_to_the_problem(nvim: Neovim) -> None:
    nvim.edit(".aj/template/broken.yaml")
    nvim.keys("G:Aj submit<CR>")
    nvim.until("the refusal", lambda: "aj: not submitted:" in nvim.messages)
    assert "base.missing" in nvim.messages
    nvim.until("the place", lambda: nvim.line == "base: base.comon")


def test_what_the_template_leaves_open_is_asked_for(nvim: Neovim) -> None:
    nvim.edit(".aj/base/common.yaml")
    nvim.keys("/instance_count<CR>Cname: t<Esc>:wall<CR>")
    nvim.until("it is written", lambda: not nvim.lua("return vim.bo.modified"))
    nvim.edit(".aj/template/train.yaml")
    nvim.keys(":Aj submit<CR>")
    nvim.asked("the question")
    nvim.keys("<C-u>-n 3<CR>")
    nvim.until("the job", lambda: shown(nvim))
    assert '"nodes": 3' in nvim.text
