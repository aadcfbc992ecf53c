"""Code lenses: what a leaf offers, who extends a component, and where its values count."""

from __future__ import annotations

from typing import TYPE_CHECKING

from ajkit.lsp.capabilities import Client
from tests.drawing import draw
from tests.lsp.fixture import Editor, editor, span
from tests.lsp.wire import Wire

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path


def lenses(there: Editor) -> list[str]:
    """Lenses as tests write them: ``line title -> command arguments`` (arguments without the document)."""
    found = []
    for each in there.ask("textDocument/codeLens"):
        command = each["command"]
        uri, *others = command["arguments"]
        assert uri == there.uri
        line = span(each["range"]).split(":")[0]
        found.append(" ".join([line, command["title"], "->", command["command"], *others]))
    return found


FAMILY = """
--- .aj/template/common.yaml
config:
  environment:
    image: v§1
  target: {service: local}
--- .aj/template/a.yaml
base: common
config: {}
--- .aj/template/b.yaml
base: a
config:
  environment: {image: v9}
--- .aj/template/c.yaml
base: common
config: {}
"""


def test_a_component_says_who_uses_it_and_where_its_values_count() -> None:
    assert lenses(editor(FAMILY)) == [
        "0 used by 3 templates -> aj.dependents",
        "2 effective in 2 (a, c); overridden in b -> aj.dependents environment.image",
    ]


def test_an_edit_that_is_not_saved_leads_to_what_it_does_to_others() -> None:
    there = editor(FAMILY)
    there.type(there.text().replace("v1", "v2"))
    offered = "0 what unsaved changes come to -> aj.impact"
    assert offered in lenses(there)
    (lens,) = [each for each in there.ask("textDocument/codeLens") if each["command"]["command"] == "aj.impact"]
    assert there.run("aj.impact", *lens["command"]["arguments"])["message"].startswith("1 of 2")
    there.shadows.clear()
    there.session.saved(there.uri)
    assert offered not in lenses(there)


def test_a_leaf_that_is_edited_changes_nobody_else() -> None:
    there = editor(FAMILY.replace("§", "").replace("v9", "v§9"))
    there.type(there.text().replace("v9", "v8"))
    assert not [each for each in lenses(there) if "aj.impact" in each]


def test_a_leaf_can_be_previewed_and_submitted() -> None:
    leaf = FAMILY.replace("§", "").replace("v9", "v§9")
    assert lenses(editor(leaf)) == [
        "0 Preview JobSpec -> aj.preview",
        "0 2 bases -> aj.bases",
        "0 Submit job… -> aj.submit",
    ]


def test_the_lenses_of_a_file_stand_at_its_base() -> None:
    there = editor("--- .aj/template/leaf.yaml\n# mine\n§base: low\nconfig: {}\n--- .aj/template/low.yaml\n")
    assert lenses(there)[1] == "1 1 base -> aj.bases"


def test_dependents_elsewhere_do_not_count() -> None:
    there = editor("--- .aj/parts/low.yaml\nconfig: {description: §x}\n--- .aj/parts/high.yaml\nbase: low\n")
    assert lenses(there) == ["0 used by no template -> aj.dependents"]


def test_while_the_home_is_being_read_nothing_is_said_of_others() -> None:
    assert lenses(editor(FAMILY, graph=False)) == []


LISTS = """
--- .aj/template/low.yaml
config:
  environment:
    setup: [§one]
  jobs:
    - sku: G1
      command: [run]
    - sku: G2
  target:
    service: local
    labels: {a: b}
--- .aj/template/adds.yaml
base: low
config: {environment: {setup: [two]}, jobs: [{}, {sku: G3}]}
--- .aj/template/clears.yaml
base: low
config: {environment: {setup: null}, target: {labels: null}}
--- .aj/template/replaces.yaml
base: low
config: {jobs: [{command: other}]}
"""


def test_lists_are_followed_as_they_merge() -> None:
    assert lenses(editor(LISTS))[3:] == [
        "2 effective in 2 (adds, replaces); overridden in clears -> aj.dependents environment.setup",
        "5 effective in 2 (adds, clears); overridden in replaces -> aj.dependents jobs[0].command",
        "6 effective in 2 (clears, replaces); overridden in adds -> aj.dependents jobs[1].sku",
        "9 effective in 2 (adds, replaces); overridden in clears -> aj.dependents target.labels.a",
    ]


class Later:
    """Work that is done when the test says so, as a server does it between requests."""

    def __init__(self, there: Editor) -> None:
        self.waiting: list[Iterator[object]] = []
        self.news = 0
        there.session.impacts.work = self.waiting.append
        there.session.impacts.done = self._done

    def _done(self) -> None:
        self.news += 1

    def steps(self) -> int:
        """Do all of it; how many templates were looked into."""
        return sum(1 for work in [self.waiting.pop() for _ in list(self.waiting)] for _ in work)


def test_nobody_waits_for_what_is_not_known() -> None:
    there = editor(FAMILY)
    later = Later(there)
    assert lenses(there) == ["0 used by 3 templates -> aj.dependents"]
    assert lenses(there) == ["0 used by 3 templates -> aj.dependents"]
    assert (later.steps(), later.news) == (3, 1)
    assert len(lenses(there)) == 2
    assert later.steps() == 0


def test_typing_a_value_looks_into_nothing_again() -> None:
    there = editor(FAMILY)
    later = Later(there)
    lenses(there)
    later.steps()
    there.type(there.text().replace("v1", "v1.2\n  # more"))
    assert [each[:1] for each in lenses(there)] == ["0", "0", "2"]
    assert later.steps() == 0


def test_a_new_value_is_followed_while_the_others_stay() -> None:
    there = editor(FAMILY)
    later = Later(there)
    lenses(there)
    later.steps()
    there.type(there.text().replace("image: v1", "registry: r\n    image: v1"))
    assert [each[:1] for each in lenses(there)] == ["0", "0", "3"]
    assert later.steps() == 3


def test_an_edit_of_a_template_looks_into_it_and_what_extends_it() -> None:
    there = editor(FAMILY.replace("a.yaml", "a.yaml (open)"))
    later = Later(there)
    lenses(there)
    later.steps()
    there.type("base: common\nconfig: {environment: {image: v2}}\n", uri="file:///w/.aj/template/a.yaml")
    there.session.impacts.catch_up(there.session)
    assert later.steps() == 2
    assert lenses(there)[1] == "2 effective in 1 (c); overridden in a, b -> aj.dependents environment.image"


def test_many_templates_are_cut() -> None:
    many = "".join(
        f"--- .aj/template/t{number:03}.yaml\nbase: low\nconfig: {{description: t{number}}}\n" for number in range(250)
    )
    there = editor("--- .aj/template/low.yaml\nconfig: {description: §low}\n" + many)
    later = Later(there)
    lenses(there)
    assert later.steps() == 200
    assert lenses(there) == [
        "0 used by 250 templates -> aj.dependents",
        "0 effective in 0 of the nearest 200; overridden in t000, t001, t002 and 197 more -> aj.dependents description",
    ]


def test_a_half_typed_file_still_has_its_lenses() -> None:
    there = editor(FAMILY)
    there.type(there.text() + "  targ")
    assert [each[:1] for each in lenses(there)] == ["0", "0", "2"]


def test_other_files_have_none() -> None:
    there = editor("--- notes/other.yaml\nbase: §x\n")
    there.client = Client({})
    assert there.ask("textDocument/codeLens") is None


def test_a_client_is_asked_to_come_again_when_there_is_news(tmp_path: Path) -> None:
    folder = tmp_path / ".aj" / "template"
    folder.mkdir(parents=True)
    for name, text in draw(FAMILY.replace("§", "")).files.items():
        (folder / name.rpartition("/")[2]).write_text(text)
    refresh = {"workspace": {name: {"refreshSupport": True} for name in ("codeLens", "inlayHint")}}
    with Wire(tmp_path) as wire:
        wire.initialize(refresh)
        base = wire.open(folder / "common.yaml")
        wire.open(folder / "b.yaml")
        wire.wait_asked("workspace/codeLens/refresh")  # the home was read
        assert len(wire.result("textDocument/codeLens", {"textDocument": {"uri": base}})) == 1
        wire.wait_asked("workspace/codeLens/refresh", 2)
        assert len(wire.result("textDocument/codeLens", {"textDocument": {"uri": base}})) == 2
        assert not [each for each in wire.asked if each["method"] == "workspace/inlayHint/refresh"]
        wire.tell(
            "textDocument/didChange",
            {"textDocument": {"uri": base, "version": 2}, "contentChanges": [{"text": "config: {description: x}\n"}]},
        )
        wire.wait_asked("workspace/inlayHint/refresh")  # what `b` overrides is another thing now
