"""Diagnostics: pushed to some, asked for by others, one document or whole homes; each problem is shown once."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from ajkit.engine import Engine
from ajkit.lsp.diagnostics import by_path
from ajkit.lsp.reports import sent
from tests.lsp.fixture import CLIENTS, editor, short
from tests.lsp.held import Held
from tests.lsp.wire import Wire, write_templates

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.lsp.fixture import Editor

HOME = """
--- .aj/template/leaf.yaml
base: common
config: {target: {service: local}, jobs: [{command: [x], instance_count: many}]}
--- .aj/template/other.yaml
base: [common, nowhere]
config: {target: {service: local}, jobs: [{command: [x], typo: 1}]}
--- .aj/template/third.yaml
base: common
config: {target: {service: local}, jobs: [{command: [x]}]}
--- .aj/template/fine.yaml
config: {target: {service: local}, jobs: [{command: [x]}]}
--- .aj/template/common.yaml
config: {code: {local_dirr: x}, environment: {image: busybox}}
--- .aj/aj.toml
defaults = "leaf"
"""
TEMPLATES = ("template/common.yaml", "template/leaf.yaml", "template/other.yaml")
PULLS = {"textDocument": {"diagnostic": {}}, "workspace": {"diagnostics": {"refreshSupport": True}}}


def ids(reports: list[dict[str, Any]]) -> list[dict[str, str]]:
    return [{"uri": each["uri"], "value": each["resultId"]} for each in reports]


def workspace(there: Editor, previous: list[dict[str, str]] | None = None, **more: Any) -> dict[str, dict[str, Any]]:
    """The reports of the workspace by short path."""
    if previous:
        there.shadows.clear()  # they have ids of their own
    found = there.ask("workspace/diagnostic", previousResultIds=previous or [], **more)["items"]
    assert len({each["uri"] for each in found}) == len(found), "a document has one report"
    return {short(each["uri"]): each for each in found}


def codes(report: dict[str, Any]) -> list[str]:
    return [each["code"] for each in report["items"]]


class TestWorkspace:
    def test_says_what_aj_check_says(self) -> None:
        there = editor("--- .aj/template/clean.yaml\nconfig: {}\n" + HOME)
        engine = Engine(files=there.session.files, folder="/w")
        checked = by_path(engine.check(engine.ours()))
        found = workspace(there)
        assert found.pop(".aj/template/clean.yaml")["items"] == []
        assert {f"/w/{path}": each["items"] for path, each in found.items()} == {
            path: sent(there.session, there.client, each) for path, each in checked.items()
        }
        assert {short(path) for path in found} == {f".aj/{name}" for name in ("aj.toml", *TEMPLATES)}
        assert found[".aj/template/common.yaml"]["items"][-1]["message"].endswith("and 1 more)")

    def test_open_documents_say_what_a_question_about_them_answers(self) -> None:
        there = editor(HOME)
        alone = there.ask("textDocument/diagnostic")
        found = workspace(there)[".aj/template/leaf.yaml"]
        assert (found["items"], found["resultId"]) == (alone["items"], alone["resultId"])
        assert found["version"] == 1
        assert workspace(there)[".aj/template/other.yaml"]["version"] is None

    def test_files_without_problems_are_not_told_unless_they_are_open(self) -> None:
        assert ".aj/template/fine.yaml" not in workspace(editor(HOME))
        there = editor(HOME.replace("fine.yaml", "fine.yaml (open)"))
        assert workspace(there)[".aj/template/fine.yaml"]["items"] == []

    def test_what_the_client_has_is_not_sent_again(self) -> None:
        there = editor(HOME)
        first = workspace(there)
        second = workspace(there, ids([*first.values()]))
        assert second.keys() == first.keys()
        assert {each["kind"] for each in second.values()} == {"unchanged"}
        assert all("items" not in each for each in second.values())

    def test_an_edit_of_a_base_changes_the_reports_it_reaches(self) -> None:
        there = editor(HOME.replace("common.yaml", "common.yaml (open)"))
        before = workspace(there)
        there.type("config: {code: {local_dir: x}}\n", uri="file:///w/.aj/template/common.yaml")
        after = workspace(there, ids([*before.values()]))
        full = {path for path, each in after.items() if each["kind"] == "full"}
        assert full == {".aj/template/common.yaml"}
        assert after[".aj/template/common.yaml"]["items"] == []

    def test_an_edit_of_a_base_shows_in_files_that_are_not_open(self) -> None:
        there = editor(HOME.replace("fine.yaml", "fine.yaml (open)"))
        before = workspace(there)
        assert codes(before[".aj/template/other.yaml"]) == ["base.missing", "schema.unknown-key"]
        there.session.open("file:///w/.aj/template/nowhere.yaml", "config: {}\n", 1, "yaml")
        after = workspace(there, ids([*before.values()]))
        assert codes(after[".aj/template/other.yaml"]) == ["schema.unknown-key"]

    def test_what_is_mended_is_told_empty_once(self) -> None:
        there = editor(HOME)
        before = workspace(there)
        memory: Any = there.session.files.below
        memory.write("/w/.aj/template/other.yaml", "config: {target: {service: local}, jobs: [{command: [x]}]}\n")
        there.session.changed(["/w/.aj/template/other.yaml"])
        after = workspace(there, ids([*before.values()]))
        assert after[".aj/template/other.yaml"] == {
            "uri": "file:///w/.aj/template/other.yaml",
            "version": None,
            "kind": "full",
            "resultId": "0",
            "items": [],
        }
        again = workspace(there, ids([*after.values()]))
        assert again[".aj/template/other.yaml"]["kind"] == "unchanged"

    def test_a_file_that_is_gone_has_no_problems(self) -> None:
        there = editor(HOME)
        before = workspace(there)
        memory: Any = there.session.files.below
        del memory._files["/w/.aj/template/other.yaml"]
        there.session.changed(["/w/.aj/template/other.yaml"])
        after = workspace(there, ids([*before.values()]))
        assert after[".aj/template/other.yaml"]["items"] == []
        assert ".aj/template/other.yaml" not in workspace(there)

    def test_changes_from_outside_do_not_look_at_everything_again(self, monkeypatch: pytest.MonkeyPatch) -> None:
        there = editor(HOME)
        workspace(there)
        seen: list[str] = []
        real = there.session.engine.problems

        def counting(resolved: Any, **more: Any) -> Any:
            seen.append(resolved.name)
            return real(resolved, **more)

        monkeypatch.setattr(there.session.engine, "problems", counting)
        there.session.changed(["/w/.aj/template/other.yaml"])
        workspace(there)
        assert sorted(seen) == ["common", "other"]

    @pytest.mark.parametrize("odd", [None, "x", [5], [{"uri": 5}], [{"uri": "file:///w/x"}]])
    def test_odd_ids_mean_none(self, odd: Any) -> None:
        there = editor(HOME)
        found = there.ask("workspace/diagnostic", previousResultIds=odd)["items"]
        assert {each["kind"] for each in found} == {"full"}

    def test_pieces_hold_every_report_once(self) -> None:
        leaves = "".join(
            f"--- .aj/template/t{number}.yaml\nbase: common\nconfig: {{no: {number}}}\n" for number in range(120)
        )
        there = editor(HOME + leaves)
        whole = workspace(there)
        fresh = editor(HOME + leaves)
        told: list[tuple[str, Any]] = []
        fresh.session.tell = lambda method, params: told.append((method, params))
        assert workspace(fresh, partialResultToken="p") == {}
        assert {method for method, _ in told} == {"$/progress"}
        assert {params["token"] for _, params in told} == {"p"}
        assert len(told) > 2
        pieces = [each for _, params in told for each in params["value"]["items"]]
        assert len(pieces) == len(whole)
        assert {short(each["uri"]): each for each in pieces} == whole

    def test_a_home_of_its_own_for_every_folder(self) -> None:
        there = editor(
            HOME + "--- two/.aj/template/b.yaml (open)\nconfig: {}\n--- two/.aj/template/c.yaml\nbase: nope\n"
        )
        found = workspace(there)
        assert codes(found["two/.aj/template/c.yaml"]) == ["base.missing"]
        assert ".aj/template/other.yaml" in found


class TestDocument:
    def test_the_id_of_what_the_client_has(self) -> None:
        there = editor(HOME)
        first = there.ask("textDocument/diagnostic")
        assert first["kind"] == "full"
        there.shadows.clear()  # they have ids of their own
        again = there.ask("textDocument/diagnostic", previousResultId=first["resultId"])
        assert again == {"kind": "unchanged", "resultId": first["resultId"]}
        there.type(there.text().replace("many", "2"))
        after = there.ask("textDocument/diagnostic", previousResultId=first["resultId"])
        assert after["kind"] == "full"
        assert after["items"] == []

    def test_files_it_drags_in(self) -> None:
        capabilities = {"textDocument": {"diagnostic": {"relatedDocumentSupport": True}}}
        there = editor(HOME.replace("config: {code", "x: ["), capabilities)
        related = there.ask("textDocument/diagnostic")["relatedDocuments"]
        assert [short(each) for each in related] == [".aj/aj.toml", ".aj/template/common.yaml"]
        memory: Any = there.session.files.below
        memory.write("/w/.aj/template/common.yaml", "config: {}\n")
        there.session.changed(["/w/.aj/template/common.yaml"])
        mended = there.ask("textDocument/diagnostic")["relatedDocuments"]
        assert [len(each["items"]) for each in mended.values()] == [1, 0]
        assert [*map(short, there.ask("textDocument/diagnostic")["relatedDocuments"])] == [".aj/aj.toml"]

    def test_who_asks_for_the_workspace_is_dragged_nothing_in(self) -> None:
        capabilities = {"textDocument": {"diagnostic": {"relatedDocumentSupport": True}}}
        there = editor(HOME.replace("config: {code", "x: ["), capabilities)
        workspace(there)
        assert "relatedDocuments" not in there.ask("textDocument/diagnostic")

    @pytest.mark.parametrize("name", CLIENTS)
    def test_of_a_leaf_like_aj_check(self, name: str) -> None:
        text = """
--- .aj/template/leaf.yaml
config:
  target: {service: local}
  jobs: [{command: [x], name: "***", sku: 3xG4, instance_count: 2, submit_args: {env: {AJ_NAME: x}}}]
"""
        there = editor(text, CLIENTS[name])
        found = codes(there.ask("textDocument/diagnostic"))
        assert found == ["name.invalid", "sku.shape-mismatch", "env.overridden"]
        engine = Engine(files=there.session.files, folder="/w")
        assert found == [each.code for each in engine.check(["/w/.aj/template/leaf.yaml"])]


@pytest.fixture
def home(tmp_path: Path) -> Path:
    leaf = "base: common\nconfig: {target: {service: local}}\n"
    return write_templates(tmp_path, leaf=leaf, common="config: {jobs: [{command: [x]}]}\n")


@pytest.fixture
def wire(home: Path) -> Iterator[Wire]:
    with Wire(home) as found:
        yield found


@pytest.fixture
def held(home: Path) -> Held:
    """A look at the templates of a home that goes on to the second of them once it is let go."""
    return Held(home, "ajkit.lsp.tallies:give_way")


@pytest.fixture
def looking(home: Path, held: Held) -> Iterator[Wire]:
    with Wire(home, command=held.command) as found:
        yield found


def template(wire: Wire, name: str) -> Path:
    return wire.folder / ".aj" / "template" / f"{name}.yaml"


def asked(wire: Wire, uri: str, **more: Any) -> dict[str, Any]:
    found: dict[str, Any] = wire.result("textDocument/diagnostic", {"textDocument": {"uri": uri}} | more)
    return found


class TestOverTheWire:
    def test_who_asks_is_pushed_nothing(self, wire: Wire) -> None:
        provider = wire.initialize({"textDocument": {"diagnostic": {}}})["capabilities"]["diagnosticProvider"]
        assert provider["workspaceDiagnostics"] is True
        uri = wire.open(template(wire, "leaf"), "base: nowhere\n")
        assert codes(asked(wire, uri)) == ["base.missing"]
        assert [each for each in wire.told if each["method"] == "textDocument/publishDiagnostics"] == []
        assert wire.asked == [], "it cannot be told to ask again"

    def test_who_cannot_be_told_to_ask_again_is_pushed(self, wire: Wire) -> None:
        both: dict[str, Any] = {"textDocument": {"diagnostic": {}, "publishDiagnostics": {}}}
        assert "diagnosticProvider" not in wire.initialize(both)["capabilities"]
        uri = wire.open(template(wire, "leaf"), "base: nowhere\n")
        assert [each["code"] for each in wire.diagnostics(uri)] == ["base.missing"]

    def test_asked_again_where_another_file_made_it_so_and_only_then(self, wire: Wire) -> None:
        wire.initialize(PULLS)
        leaf, base = wire.open(template(wire, "leaf")), wire.open(template(wire, "common"))
        assert codes(asked(wire, leaf)) == []
        assert codes(asked(wire, base)) == []
        wire.settle()
        before = len(wire.asked)
        for version in range(2, 6):
            wire.change(
                leaf, version, {"text": f"base: common\nconfig: {{target: {{service: local, no{version}: 1}}}}\n"}
            )
            assert codes(asked(wire, leaf)) == ["schema.unknown-key"]
        wire.settle()
        assert len(wire.asked) == before, "who edits a document asks for it by itself"
        wire.change(base, 2, {"text": "config: {jobs: [{command: [x]\n"})
        wire.wait_asked("workspace/diagnostic/refresh", 1 + before)
        assert codes(asked(wire, leaf)) == ["base.broken", "schema.unknown-key"]
        assert codes(asked(wire, base)) == ["yaml.syntax"]

    def test_a_change_from_outside_is_told(self, wire: Wire) -> None:
        wire.initialize(PULLS)
        leaf = wire.open(template(wire, "leaf"))
        first = asked(wire, leaf)
        template(wire, "common").unlink()
        wire.wait_asked("workspace/diagnostic/refresh")
        assert codes(asked(wire, leaf, previousResultId=first["resultId"])) == ["base.missing"]

    def test_requests_do_not_wait_for_the_workspace(self, looking: Wire, held: Held) -> None:
        wire = looking
        for number in range(600):
            template(wire, f"t{number}").write_text("base: common\nconfig: {target: {service: local, no: 1}}\n")
        wire.initialize(PULLS | {"window": {"workDoneProgress": True}})
        uri = wire.open(template(wire, "leaf"))
        whole = wire.begin("workspace/diagnostic", {"previousResultIds": [], "partialResultToken": 7})
        wire.wait_told("$/progress", lambda each: each["value"].get("title") == "Checking templates")
        where = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 7}}
        assert wire.result("textDocument/hover", where)
        assert whole not in wire.answered, "the hover was answered before the workspace was looked at"
        held.let_go()
        assert wire.response(whole)["result"] == {"items": []}
        told = [each["params"] for each in wire.told if each["method"] == "$/progress"]
        pieces = [each for params in told if params["token"] == 7 for each in params["value"]["items"]]
        assert len({each["uri"] for each in pieces}) == len(pieces) == 601

    def test_the_workspace_can_be_cancelled(self, looking: Wire, held: Held) -> None:
        wire = looking
        for number in range(300):
            template(wire, f"t{number}").write_text("base: common\nconfig: {target: {service: local}}\n")
        wire.initialize(PULLS)
        uri = wire.open(template(wire, "leaf"))
        whole = wire.begin("workspace/diagnostic", {"previousResultIds": []})
        wire.tell("$/cancelRequest", {"id": whole})
        assert wire.response(whole)["error"]["code"] == -32800
        held.let_go()
        assert codes(asked(wire, uri)) == []

    def test_the_person_stops_the_looking(self, looking: Wire, held: Held) -> None:
        wire = looking
        for number in range(600):
            template(wire, f"t{number}").write_text("base: common\nconfig: {target: {service: local, no: 1}}\n")
        wire.initialize(PULLS | {"window": {"workDoneProgress": True}})
        wire.open(template(wire, "leaf"))
        assert wire.settle() == {"ready"}

        def stop(params: dict[str, Any]) -> None:
            wire.tell("window/workDoneProgress/cancel", {"token": params["token"]})

        wire.answers["window/workDoneProgress/create"] = stop
        whole = wire.begin("workspace/diagnostic", {"previousResultIds": []})
        wire.wait_asked("window/workDoneProgress/create", 2)  # the home was read before
        wire.settle()
        held.let_go()
        some = wire.response(whole)["result"]["items"]
        assert len(some) < 600
        again = wire.result("workspace/diagnostic", {"previousResultIds": []})["items"]
        assert len(again) == len(some), "what was stopped does not begin again by itself"
