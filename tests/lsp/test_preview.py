"""Live previews: what a template comes to, byte for byte what a dry run prints, and back to the written line."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest

from ajkit.lsp import convert
from ajkit.lsp.failure import RequestFailed
from ajkit.lsp.previews import KEPT, preview_uri, read_preview_uri
from ajkit.lsp.settings import read_client_settings
from ajkit.lsp.surroundings import Surroundings
from ajkit.shared.where import Text
from tests.cli.conftest import person
from tests.lsp.fixture import BARE, CLIENTS, Editor, editor, editor_on_disk, place, span
from tests.lsp.wire import Wire

if TYPE_CHECKING:
    from tests.cli.conftest import Person

__all__ = ["person"]

LEAF_FILE = ".aj/template/leaf.yaml"
LEAF = f"/w/{LEAF_FILE}"
HOME = """
--- .aj/template/leaf.yaml
base: [common, env.setup]
config:
  environment: {image: mine, setup: [echo leaf]}
  jobs:
    - command: [python train.py]
--- .aj/template/common.yaml (open)
base: env.setup
config:
  target: {service: slurm, queue: long, gpus_per_node: 8}
  environment: {image: theirs}
  code: {ignore: ["*.tmp"]}
  jobs:
    - sku: "{nodes}xG{processes}"
      instance_count: 2
      submit_args: {env: {WANDB_API_KEY: abc123secret, LR: "0.1"}}
--- .aj/env/setup.yaml
config:
  environment: {setup: [echo base]}
"""


def shown(there: Editor, kind: str = "merged", path: str = LEAF) -> str:
    """The text of a preview document, taken as a client takes it."""
    text: str = there.ask("workspace/textDocumentContent", uri=preview_uri(kind, path))["text"]
    return text


def within(there: Editor, kind: str, needle: str, method: str = "textDocument/definition") -> Any:
    """The answer to a request on some text of a preview."""
    text = Text("", shown(there, kind))
    position = convert.position(text, text.content.index(needle) + 1, there.session.encoding)
    return there.ask(method, textDocument={"uri": preview_uri(kind, LEAF)}, position=position)


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


class TestBackToTheSource:
    @pytest.mark.parametrize("client", CLIENTS.values(), ids=CLIENTS)
    @pytest.mark.parametrize(
        ("kind", "needle", "places"),
        [
            ("merged", "image", [".aj/template/leaf.yaml:2:16-21"]),
            ("merged", "echo leaf", [".aj/template/leaf.yaml:2:37-46"]),
            ("merged", "setup:", [".aj/template/leaf.yaml:2:29-34", ".aj/env/setup.yaml:1:16-21"]),
            ("merged", "queue", [".aj/template/common.yaml:2:27-32"]),
            ("spec", '"partition"', [".aj/template/common.yaml:2:27-32"]),
            ("spec", '"nodes"', [".aj/template/common.yaml:7:6-20"]),
            ("spec", '"sku"', [".aj/template/common.yaml:6:6-9"]),
            ("spec", '"LR"', [".aj/template/common.yaml:8:55-57"]),
            ("spec", '"echo leaf"', [".aj/template/leaf.yaml:2:37-46"]),
            ("spec", '"*.tmp"', [".aj/template/common.yaml:4:18-25"]),
            ("spec", '".aj/env/setup.yaml"', [".aj/env/setup.yaml:0:0-0"]),
            ("spec", '"AJ_NODES"', [".aj/template/common.yaml:7:6-20"]),
            ("spec", '"experiment"', []),
            ("amlt", "instance_count", [".aj/template/common.yaml:7:6-20"]),
            ("amlt", "python train.py", [".aj/template/leaf.yaml:4:16-31"]),
            ("amlt", "LR:", [".aj/template/common.yaml:8:55-57"]),
        ],
    )
    def test_definition(self, kind: str, needle: str, places: list[str], client: dict[str, Any]) -> None:
        found = within(editor(HOME, client), kind, needle)
        assert [place(each) for each in found] == places

    def test_places_count_by_the_text_that_the_client_has(self) -> None:
        there = editor(HOME)
        shown(there)
        there.type("config:\n  description: d\n  target: {service: local}\n")
        uri = preview_uri("merged", LEAF)
        where = {"line": 1, "character": 4}
        found = there.ask("textDocument/hover", textDocument={"uri": uri}, position=where)
        assert "environment.setup" in found["contents"]["value"]
        shown(there)
        found = there.ask("textDocument/hover", textDocument={"uri": uri}, position=where)
        assert "target" in found["contents"]["value"]

    def test_what_the_command_line_set_has_no_line(self) -> None:
        there = editor(HOME)
        there.run("aj.preview", there.uri, "merged", {"set": {"target.queue": "short"}})
        assert within(there, "merged", "queue") == []
        assert "--set target.queue=" in within(there, "merged", "queue", "textDocument/hover")["contents"]["value"]

    @pytest.mark.parametrize("client", CLIENTS.values(), ids=CLIENTS)
    def test_hover_tells_the_history(self, client: dict[str, Any]) -> None:
        there = editor(HOME, client)
        text = within(there, "merged", "image", "textDocument/hover")["contents"]["value"]
        assert text.index("environment.image") < text.index("mine") < text.index("theirs") < text.index("last value")
        answer = within(there, "spec", '"image"', "textDocument/hover")
        text = answer["contents"]["value"]
        assert "The container image." in text
        assert text.index("environment.image") < text.index("leaf.yaml:3") < text.index("over")
        assert span(answer["range"]) == "13:2-9"
        assert "abc123secret" not in str(within(there, "spec", '"WANDB_API_KEY"', "textDocument/hover"))

    def test_links_lead_from_keys_to_lines(self) -> None:
        there = editor(HOME)
        uri = preview_uri("spec", LEAF)
        text = shown(there, "spec").split("\n")
        links = there.ask("textDocument/documentLink", textDocument={"uri": uri})
        found = {
            text[each["range"]["start"]["line"]][
                each["range"]["start"]["character"] : each["range"]["end"]["character"]
            ]: each["target"]
            for each in links
        }
        assert found['"image"'] == "file:///w/.aj/template/leaf.yaml#L3"
        assert found['"partition"'] == "file:///w/.aj/template/common.yaml#L3"
        assert found['"echo base"'].startswith("file:///w/.aj/env/setup.yaml#L2")
        assert "tooltip" in links[0]
        bare = editor(HOME, BARE).ask("textDocument/documentLink", textDocument={"uri": uri})
        assert "tooltip" not in bare[0]

    @pytest.mark.parametrize("kind", ["merged", "spec", "amlt"])
    def test_every_place_can_be_asked(self, kind: str) -> None:
        there = editor(HOME)
        uri = preview_uri(kind, LEAF)
        for line, text in enumerate(shown(there, kind).split("\n")):
            for character in range(0, len(text) + 2, 3):
                where = {"textDocument": {"uri": uri}, "position": {"line": line, "character": character}}
                for method in ("textDocument/definition", "textDocument/hover"):
                    there.ask(method, **where)

    def test_other_requests_about_a_preview_answer_nothing(self) -> None:
        there = editor(HOME)
        where = {"textDocument": {"uri": preview_uri("spec", LEAF)}, "position": {"line": 3, "character": 3}}
        for method in ("textDocument/references", "textDocument/completion", "textDocument/documentSymbol"):
            assert not there.ask(method, **where)


class TestFromTheSource:
    @pytest.mark.parametrize(
        ("needle", "kind", "line"),
        [
            ("image: mine", "merged", "  image: mine"),
            ("echo leaf", "merged", "    - echo leaf"),
            ("python train", "merged", "      - python train.py"),
            ("image: mine", "spec", '  "image": "mine",'),
            ("echo leaf", "spec", '    "echo leaf"'),
            ("command", "spec", '  "command": "python train.py",'),
            ("python train", "amlt", "      - python train.py"),
        ],
    )
    def test_the_key_under_the_cursor_is_found(self, needle: str, kind: str, line: str) -> None:
        there = editor(HOME.replace(needle, needle[0] + "§" + needle[1:], 1))
        uri = preview_uri(kind, LEAF)
        answer = there.run("aj.revealInPreview", there.uri, there.cursors[0], uri)
        assert shown(there, kind).split("\n")[answer["range"]["start"]["line"]] == line

    def test_from_a_base_into_the_preview_of_a_leaf(self) -> None:
        there = editor(HOME.replace("queue: lo", "queue: l§o"))
        uri = preview_uri("spec", LEAF)
        answer = there.run("aj.revealInPreview", {"uri": there.uri, "position": there.cursors[0], "preview": uri})
        assert shown(there, "spec").split("\n")[answer["range"]["start"]["line"]] == '    "partition": "long",'
        assert answer["keypath"] == "target.queue"

    def test_what_is_overridden_leads_to_what_counts(self) -> None:
        there = editor(HOME.replace("image: th", "image: t§h"))
        for kind, line in (("merged", "  image: mine"), ("spec", '  "image": "mine",')):
            answer = there.run("aj.revealInPreview", there.uri, there.cursors[0], preview_uri(kind, LEAF))
            assert shown(there, kind).split("\n")[answer["range"]["start"]["line"]] == line

    def test_a_base_name_is_not_shown(self) -> None:
        there = editor(HOME.replace("[common", "[com§mon"))
        assert there.run("aj.revealInPreview", there.uri, there.cursors[0])["range"] is None


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
        assert '"LR": "0.29"' in wire.result("workspace/textDocumentContent", content)["text"]
        refreshes = [each for each in wire.asked if each["method"] == "workspace/textDocumentContent/refresh"]
        assert [each["params"] for each in refreshes] == [content]
        wire.change(base, 30, {"text": text + "  x: [\n"})
        assert '"LR": "0.29"' in wire.result("workspace/textDocumentContent", content)["text"]
        wire.change(base, 31, {"text": text})
        assert '"LR": "0.1"' in wire.result("workspace/textDocumentContent", content)["text"]
        assert wire.finish() == 0
