"""From a preview to the line that wrote a value, and from that line to the preview."""

from __future__ import annotations

from typing import Any

import pytest

from ajkit.lsp.previews import preview_uri
from tests.lsp.fixture import BARE, CLIENTS, editor, place, span
from tests.lsp.previewing import HOME, LEAF, shown, within


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
