"""Live previews: what a template comes to, byte for byte what a dry run prints, and back to the written line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from ajkit.lsp import convert
from ajkit.lsp.failure import RequestFailed
from ajkit.lsp.preview import LARGEST
from ajkit.lsp.previews import KEPT, preview_uri, read_preview_uri
from ajkit.lsp.settings import read_client_settings
from ajkit.lsp.surroundings import Surroundings
from tests.cli.conftest import person
from tests.lsp.fixture import editor, editor_on_disk
from tests.lsp.previewing import HOME, LEAF, LEAF_FILE, shown, within
from tests.lsp.wire import Wire

if TYPE_CHECKING:
    from tests.cli.conftest import Person

__all__ = ["person"]


class TestNames:
    @pytest.mark.parametrize("path", [LEAF, "/a b/ü#%?/x.yaml", "untitled:Untitled-1", "/x.yaml.json"])
    @pytest.mark.parametrize("kind", ["merged", "spec", "amlt"])
    def test_a_uri_leads_back_to_its_template(self, kind: str, path: str) -> None:
        uri = preview_uri(kind, path)
        assert uri.startswith(f"aj-preview://{kind}/")
        assert read_preview_uri(uri) == (kind, path)

    def test_they_look_like_files(self) -> None:
        assert preview_uri("merged", LEAF) == f"aj-preview://merged{LEAF}"
        assert preview_uri("spec", LEAF) == f"aj-preview://spec{LEAF}.json"
        assert preview_uri("amlt", LEAF) == f"aj-preview://amlt{LEAF}.yaml"

    @pytest.mark.parametrize(
        "uri",
        [
            "",
            "file:///w/leaf.yaml",
            "aj-preview://spec",
            "aj-preview://[x",
            "aj-preview://no/w/x.yaml",
            "aj-preview://spec/x",
        ],
    )
    def test_others_are_no_preview_and_still_get_a_text(self, uri: str) -> None:
        assert read_preview_uri(uri) is None
        assert isinstance(editor(HOME).ask("workspace/textDocumentContent", uri=uri)["text"], str)


class TestText:
    @pytest.mark.parametrize(
        ("asked", "arguments"),
        [
            ({}, ["--dry-run"]),
            ({"nodes": 4, "processes": 2, "ppn": 3}, ["--dry-run", "-n", "4", "-p", "2", "--ppn", "3"]),
            (
                {"command": ["python", "x y.py"], "set": {"target.queue": "short"}, "env": {"LR": "1.10"}},
                ["--dry-run", "--set", 'target.queue="short"', "--env", "LR=1.10", "python", "x y.py"],
            ),
            (
                {"command": "make && ./run", "with": ["env.more"], "name": "n", "experiment": "e"},
                ["--dry-run", "--with", "env.more", "--name", "n", "-e", "e", "--shell", "make && ./run"],
            ),
            ({"amlt": True, "code": "src"}, ["--dry-run", "--amlt", "--code", "src"]),
            (
                {"sid": "abcdefghij", "now": "2026-01-01T00:00:00Z"},
                ["--dry-run", "--sid", "abcdefghij", "--now", "2026-01-01T00:00:00Z"],
            ),
        ],
    )
    def test_the_job_is_what_a_dry_run_prints(
        self, person: Person, asked: dict[str, Any], arguments: list[str]
    ) -> None:
        person.draw(
            HOME.replace(" (open)", "") + "--- .aj/env/more.yaml\nconfig: {description: more}\n--- src/.ajignore\na/\n"
        )
        said = person.aj("run", "-t", "leaf", *arguments)
        assert said.code == 0, said.err
        there = editor_on_disk(person.folder, ".aj/template/leaf.yaml")
        answer = there.run("aj.preview", there.uri, "spec", asked)
        assert answer["text"] == said.out
        assert f"spec_sha256: {answer['digest']}\n" in said.err
        assert shown(there, "spec", (person.folder / ".aj/template/leaf.yaml").as_posix()) == said.out

    def test_the_caller_s_name_counts_as_in_a_dry_run(self, person: Person) -> None:
        person.draw(HOME.replace(" (open)", ""))
        person.environ["AJ_NAME"] = "outer"
        said = person.aj("run", "-t", "leaf", "--dry-run")
        there = editor_on_disk(person.folder, ".aj/template/leaf.yaml")
        assert there.run("aj.preview", there.uri)["text"] != said.out
        there = editor_on_disk(person.folder, ".aj/template/leaf.yaml", None, Surroundings({"AJ_NAME": "outer"}))
        assert there.run("aj.preview", there.uri)["text"] == said.out

    def test_the_merged_config_is_what_show_prints(self, person: Person) -> None:
        person.draw(HOME.replace(" (open)", ""))
        there = editor_on_disk(person.folder, ".aj/template/leaf.yaml")
        text = shown(there, "merged", (person.folder / ".aj/template/leaf.yaml").as_posix())
        assert text == person.aj("show", "leaf").out.replace("abc123secret", '"***"')

    def test_the_amlt_file(self) -> None:
        text = shown(editor(HOME), "amlt")
        assert "instance_count: 2\n" in text
        assert "      - python train.py\n" in text

    def test_secrets_are_masked_everywhere(self) -> None:
        there = editor(HOME)
        for kind in ("merged", "spec", "amlt"):
            assert "abc123secret" not in shown(there, kind)
            assert "***" in shown(there, kind)

    def test_what_is_missing_of_the_shape_has_texts_that_stand_for_it(self) -> None:
        there = editor(HOME.replace("      instance_count: 2\n", ""))
        head, _, body = shown(there, "spec").partition("{")
        assert head.startswith("// .aj/template/leaf.yaml:5: ")
        assert "error shape.missing: the number of nodes is missing: give -n" in head
        assert json.loads("{" + body)["nodes"] == "‹-n›"
        assert shown(there, "amlt").startswith("# .aj/template/")
        assert there.run("aj.preview", there.uri)["digest"] is None

    def test_settings_ask_for_it(self) -> None:
        there = editor(HOME)
        there.session.configure(read_client_settings({"preview": {"nodes": 3, "command": "ls", "with": ["env.setup"]}}))
        spec = json.loads(shown(there, "spec"))
        assert (spec["nodes"], spec["command"]) == (3, "python train.py\nls")
        assert shown(there).count("echo base") == 3

    def test_a_request_of_its_own_goes_over_the_settings(self) -> None:
        there = editor(HOME)
        there.session.configure(read_client_settings({"preview": {"nodes": 3, "processes": 4}}))
        there.run("aj.preview", there.uri, "spec", {"nodes": 5})
        spec = json.loads(shown(there, "spec"))
        assert (spec["nodes"], spec["selector"]) == (5, 4)
        assert json.loads(there.run("aj.preview", there.uri, "spec", {})["text"])["nodes"] == 3

    def test_nonsense_in_a_request_is_refused_and_forgotten(self) -> None:
        there = editor(HOME)
        for request in ({"nodes": "two"}, {"node": 2}, {"env": {"A": 1}}, {"set": 3}, {"shell": 1}, {"sid": 5}):
            with pytest.raises(RequestFailed):
                there.run("aj.preview", there.uri, "spec", request)
        assert json.loads(shown(there, "spec"))["nodes"] == 2

    def test_a_request_that_cannot_be_is_said_in_the_text(self) -> None:
        there = editor(HOME)
        there.run("aj.preview", there.uri, "spec", {"shell": True, "command": ["a", "b"]})
        assert shown(there, "spec") == (
            "// --shell takes one word, a whole shell line: aj run --shell 'make && ./run.sh'\n"
        )

    @pytest.mark.parametrize("kind", ["merged", "spec", "amlt"])
    def test_a_giant_is_not_drawn(self, kind: str) -> None:
        there = editor("--- .aj/template/leaf.yaml\nconfig: {x: [" + "1, " * LARGEST + "1]}\n")
        assert "too many for a preview" in shown(there, kind)
        there.type("config: {target: {service: local}}\n")
        assert "too many" not in shown(there, kind)

    def test_a_buffer_without_a_file(self) -> None:
        there = editor(HOME)
        there.session.open("untitled:Untitled-1", "# aj: template\nconfig: {description: new}\n", 1, "yaml")
        assert shown(there, "merged", "untitled:Untitled-1") == "description: new\n"

    @pytest.mark.parametrize(
        "text",
        ["", "x", "base: leaf\n", "base: nowhere\n", "config: {target: {service: none}}\n", "[", "config: {jobs: 3}\n"],
    )
    @pytest.mark.parametrize("kind", ["merged", "spec", "amlt"])
    def test_anything_has_a_text(self, kind: str, text: str) -> None:
        there = editor(f"--- .aj/template/leaf.yaml\n{text}")
        assert shown(there, kind) != ""
        assert within(there, kind, shown(there, kind)[0]) in (None, []) or text


class TestRefresh:
    def test_an_edit_of_a_base_makes_it_outdated_once(self) -> None:
        there = editor(HOME)
        uri = preview_uri("merged", LEAF)
        assert there.session.previews.outdated(there.session) == []
        shown(there)
        assert there.session.previews.outdated(there.session) == []
        base = convert.uri_of("/w/.aj/template/common.yaml")
        there.type(there.text(base).replace("queue: long", "queue: short"), uri=base)
        assert there.session.previews.outdated(there.session) == [uri]
        assert there.session.previews.outdated(there.session) == []
        assert "queue: short" in shown(there)
        assert there.session.previews.outdated(there.session) == []

    def test_another_request_makes_it_outdated(self) -> None:
        there = editor(HOME)
        shown(there, "spec")
        there.run("aj.preview", there.uri, "spec", {"nodes": 9})
        assert there.session.previews.outdated(there.session) == [preview_uri("spec", LEAF)]
        assert '"nodes": 9' in shown(there, "spec")

    def test_an_edit_that_changes_nothing_of_it_is_not_told(self) -> None:
        there = editor(HOME)
        shown(there)
        there.type(there.text() + "# a remark\n")
        assert there.session.previews.outdated(there.session) == []

    @pytest.mark.parametrize(
        "typed", ["  jobs", "  : [", "base: [comm", "  environment: {image: x}\n    y: 'open", "\tx"]
    )
    @pytest.mark.parametrize("kind", ["merged", "spec", "amlt"])
    def test_the_last_good_text_stays_while_a_line_is_half_typed(self, kind: str, typed: str) -> None:
        there = editor(HOME)
        before, whole = shown(there, kind), there.text()
        there.type(whole.replace("base: [common, env.setup]", "base: [common, nowhere]") + typed)
        assert there.session.previews.outdated(there.session) == []
        assert shown(there, kind) == before
        answer = there.run("aj.preview", there.uri, kind)
        assert answer["stale"]
        assert answer["text"] == before
        assert [each["uri"] for each in answer["problems"] if each["severity"] == 1] != []
        there.type(whole.replace("image: mine", "image: other"))
        assert "other" in shown(there, kind)
        assert not there.run("aj.preview", there.uri, kind)["stale"]

    def test_a_template_that_was_never_whole_says_what_is_wrong_above_the_rest(self) -> None:
        there = editor("--- .aj/template/leaf.yaml\nbase: nowhere\nconfig: {description: d}\n")
        assert shown(there).startswith("# .aj/template/leaf.yaml:1: error base.missing: ")
        assert shown(there).endswith("\ndescription: d\n")

    def test_a_closed_document_is_drawn_anew(self) -> None:
        there = editor(HOME)
        shown(there)
        there.session.close(preview_uri("merged", LEAF))
        there.type("base: nowhere\n")
        assert shown(there).startswith("# .aj/template/leaf.yaml:1: error base.missing: ")

    def test_what_previews_read_is_watched(self) -> None:
        there = editor(HOME)
        shown(there)
        assert "/w/.aj/env/setup.yaml" in there.session.previews.reads()

    def test_old_ones_are_forgotten(self) -> None:
        there = editor(HOME)
        for number in range(KEPT + 5):
            shown(there, "merged", f"/w/.aj/template/no{number}.yaml")
        there.type("base: nowhere\n")
        assert len(there.session.previews.outdated(there.session)) <= KEPT


def test_a_preview_document_follows_every_edit_at_the_wire(person: Person) -> None:
    able = {"workspace": {"textDocumentContent": {"dynamicRegistration": False}}}
    folder = person.draw(HOME.replace(" (open)", "")).folder
    with Wire(folder) as wire:
        answer = wire.initialize(able)
        assert answer["capabilities"]["workspace"]["textDocumentContent"] == {"schemes": ["aj-preview"]}
        wire.open(folder / LEAF_FILE)
        base = wire.open(folder / ".aj/template/common.yaml")
        uri = f"aj-preview://spec{folder}/{LEAF_FILE}.json"
        content = {"uri": uri}
        assert '"LR": "0.1"' in wire.result("workspace/textDocumentContent", content)["text"]
        text = (folder / ".aj/template/common.yaml").read_text()
        for version in range(2, 30):
            wire.change(base, version, {"text": text.replace("0.1", f"0.{version}")})
        wire.wait_asked("workspace/textDocumentContent/refresh")
        assert '"LR": "0.29"' in wire.result("workspace/textDocumentContent", content)["text"]
        refreshes = [each for each in wire.asked if each["method"] == "workspace/textDocumentContent/refresh"]
        assert [each["params"] for each in refreshes] == [content]
        wire.change(base, 30, {"text": text + "  x: [\n"})
        assert '"LR": "0.29"' in wire.result("workspace/textDocumentContent", content)["text"]
        wire.change(base, 31, {"text": text})
        assert '"LR": "0.1"' in wire.result("workspace/textDocumentContent", content)["text"]
        assert wire.finish() == 0
