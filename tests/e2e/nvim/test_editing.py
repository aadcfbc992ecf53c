"""Writing templates in Neovim, mostly with keys of its own: problems, hover, definition, completion, rename, fixes."""

from __future__ import annotations

from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from tests.e2e.nvim.neovim import Neovim

CHANGED = "return vim.fn.len(vim.fn.getbufinfo({bufmodified = 1})) > 0"
TRAIN, SWEEP, BROKEN = (f".aj/template/{name}.yaml" for name in ("train", "sweep", "broken"))


def test_only_templates_are_served(nvim: Neovim) -> None:
    nvim.edit(TRAIN)
    assert nvim.lua("return vim.bo.filetype") == "yaml.aj"
    assert nvim.lua("return vim.bo.syntax ~= '' and vim.bo.commentstring") == "# %s"
    nvim.open("compose.yaml")
    assert nvim.lua("return vim.bo.filetype") == "yaml"
    nvim.edit("notes/job.yaml")
    nvim.until("a modeline makes a template", nvim.problems)
    # By now a server that had been told of the other file would have said as much of it.
    nvim.open("compose.yaml")
    assert nvim.lua("return #vim.lsp.get_clients({bufnr = 0})") == 0
    assert nvim.problems() == []


def test_globs_of_the_settings_make_templates(nvim: Neovim) -> None:
    (nvim.folder / ".aj/aj.toml").write_text('default = "train"\ntemplates = [ "jobs/*.yaml",\n  "more/**/*.yaml" ]\n')
    files = {"jobs/one.yaml": True, "jobs/deep/two.yaml": False, "more/three.yaml": True, "more/a/b/four.yaml": True}
    for name, ours in files.items():
        (nvim.folder / name).parent.mkdir(parents=True, exist_ok=True)
        (nvim.folder / name).write_text("base: nobody\n")
        nvim.open(name)
        assert nvim.lua("return vim.bo.filetype") == ("yaml.aj" if ours else "yaml")
    nvim.edit("jobs/one.yaml")
    nvim.problem("base.missing")


def test_a_home_of_another_name(nvim: Neovim) -> None:
    (nvim.folder / "jobs/template").mkdir(parents=True)
    (nvim.folder / "jobs/template/one.yml").write_text("base: nobody\n")
    nvim.keys(f":let $AJ_HOME = '{nvim.folder}/jobs'<CR>")
    nvim.edit("jobs/template/one.yml")
    nvim.problem("base.missing")


def test_a_problem_is_seen_and_its_fix_applied(nvim: Neovim) -> None:
    nvim.edit(BROKEN)
    _, line, message = nvim.problem("base.missing")
    assert line == 1
    assert "base.common" in message
    # Where there are several ways out, Neovim lists them; the first is chosen by its number.
    nvim.keys("gg$gra")
    nvim.asked("the list of actions")
    nvim.keys("1<CR>")
    nvim.until("the fix", lambda: nvim.line == "base: base.common")
    nvim.until("the problem is gone", lambda: all(code != "base.missing" for code, _, _ in nvim.problems()))


def test_hover_tells_where_a_value_comes_from(nvim: Neovim) -> None:
    nvim.edit(TRAIN)
    nvim.keys("/LR<CR>K")
    nvim.until("the hover", lambda: "0.1" in (shown := nvim.floats) and "train.yaml:6" in shown)


def test_definition_leads_to_the_base(nvim: Neovim) -> None:
    nvim.edit(TRAIN)
    nvim.keys("/base.loud<CR><C-]>")
    nvim.until("the base is open", lambda: nvim.name.endswith(".aj/base/loud.yaml"))
    nvim.keys("<C-o>")
    nvim.until("the way back", lambda: nvim.name.endswith(TRAIN))
    nvim.keys("/base.common<CR>gx")
    nvim.until("the link is followed", lambda: nvim.name.endswith(".aj/base/common.yaml"))


def test_a_mentioned_file_is_a_link(nvim: Neovim) -> None:
    nvim.edit(TRAIN)
    nvim.keys("/train.sh<CR>gx")
    nvim.until("the script is open", lambda: nvim.name.endswith("project/train.sh"))


def test_completion(nvim: Neovim) -> None:
    nvim.edit(SWEEP)
    nvim.keys("ccbase: base.<C-x><C-o>")
    offered = "return vim.tbl_map(function(each) return each.word end, vim.fn.complete_info({'items'}).items)"
    nvim.until("what can be inserted", lambda: {"base.common", "base.loud"} <= set(nvim.lua(offered)))
    nvim.keys("<C-e><Esc>Gota<C-x><C-o>")
    nvim.until("the key is inserted", lambda: "target" in nvim.line)


def test_a_base_is_renamed_with_every_name_that_leads_to_it(nvim: Neovim) -> None:
    nvim.edit(TRAIN)
    nvim.keys("/base.loud<CR>grn")
    nvim.asked("the new name")
    nvim.keys("<C-u>base.shouting<CR>")
    nvim.until("the name here", lambda: nvim.text.startswith("base: [base.common, base.shouting]"))
    nvim.until("the file", (nvim.folder / ".aj/base/shouting.yaml").exists)
    assert not (nvim.folder / ".aj/base/loud.yaml").exists()
    assert nvim.judged() == []
    nvim.until("no problem is left", lambda: not nvim.problems())


def test_lenses_and_inlays_are_shown_and_run(nvim: Neovim) -> None:
    nvim.edit(TRAIN)
    nvim.until("the lenses", lambda: nvim.virtual("Preview JobSpec", "Submit job…", "used by 1 template"))
    nvim.until("an inlay", lambda: nvim.virtual("AJ_NODES=1"))
    nvim.keys("gggrx")
    nvim.choose("the list of lenses", "2 bases")
    assert [each.split()[:2] for each in nvim.quickfix()][1:] == [["├─", "base.common"], ["└─", "base.loud"]]


def test_a_file_is_moved_and_the_names_follow(nvim: Neovim) -> None:
    nvim.edit(SWEEP)
    nvim.edit(TRAIN)
    nvim.keys(":Aj rename learn<CR>")
    nvim.until("the new name", lambda: nvim.name.endswith(".aj/template/learn.yaml"))
    assert not (nvim.folder / TRAIN).exists()
    nvim.until("the message", lambda: "train.yaml is .aj/template/learn.yaml now, and 1 file changed" in nvim.messages)
    nvim.keys(":wall<CR>")
    nvim.until("the files are written", lambda: not nvim.lua(CHANGED))
    assert "base: learn" in (nvim.folder / SWEEP).read_text()
    nvim.keys(":Aj rename sweep<CR>")
    nvim.until("the refusal", lambda: "sweep.yaml already" in nvim.messages)
    assert nvim.name.endswith("learn.yaml")


def test_the_family_in_the_quickfix_list(nvim: Neovim) -> None:
    nvim.edit(TRAIN)
    nvim.keys(":Aj graph<CR>")
    lines = nvim.quickfix()
    assert any(each.startswith("train → base.common, base.loud") and "local" in each for each in lines)
    assert any(each.startswith("broken") and "1 error" in each for each in lines)
    nvim.keys(":cclose<CR>")
    nvim.edit(".aj/base/common.yaml")
    nvim.keys(":Aj dependents jobs[0].submit_args.env.MODE<CR>")
    assert [each.split("│")[0].split() for each in nvim.quickfix()] == [
        ["train", "leaf,", "overridden"],
        ["sweep", "leaf,", "indirectly,", "overridden"],
    ]
    nvim.keys("<CR>")
    nvim.until("what overrides it", lambda: nvim.name.endswith("base/loud.yaml") and "MODE" in nvim.line)
