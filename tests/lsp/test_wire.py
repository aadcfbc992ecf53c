"""The server at the wire: every request gets one answer, whatever it looks like; nothing ends the server but exit."""

from __future__ import annotations

import os
from typing import TYPE_CHECKING, Any

import pytest

from tests.lsp.fixture import CLIENTS
from tests.lsp.wire import Wire, write_templates

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

LEAF = "base: common\nconfig: {description: mine}\n"
COMMON = "config: {description: theirs, target: {service: local}}\n"


@pytest.fixture
def home(tmp_path: Path) -> Path:
    return write_templates(tmp_path, leaf=LEAF, common=COMMON)


@pytest.fixture
def wire(home: Path) -> Iterator[Wire]:
    with Wire(home) as found:
        yield found


@pytest.fixture
def ready(wire: Wire) -> Wire:
    wire.initialize()
    return wire


@pytest.fixture(scope="module")
def one(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    with Wire(write_templates(tmp_path_factory.mktemp("abuse"), leaf=LEAF, common=COMMON)) as wire:
        wire.initialize()
        yield wire


def leaf(wire: Wire) -> Path:
    return wire.folder / ".aj" / "template" / "leaf.yaml"


def hover(wire: Wire, uri: str, line: int = 1, character: int = 12) -> dict[str, Any]:
    where = {"line": line, "character": character}
    return wire.ask("textDocument/hover", {"textDocument": {"uri": uri}, "position": where})


class TestLife:
    def test_name_version_and_encoding(self, wire: Wire) -> None:
        answer = wire.initialize({"general": {"positionEncodings": ["utf-16", "utf-8"]}})
        assert answer["serverInfo"]["name"] == "aj"
        assert answer["capabilities"]["positionEncoding"] == "utf-8"
        assert wire.finish() == 0

    def test_before_initialize_and_after_shutdown(self, wire: Wire) -> None:
        assert wire.ask("textDocument/hover", {})["error"]["code"] == -32002
        wire.tell("textDocument/didOpen", {"nonsense": True})
        wire.initialize()
        assert wire.ask("initialize", {})["error"]["code"] == -32600
        assert wire.ask("shutdown")["result"] is None
        assert wire.ask("textDocument/hover", {})["error"]["code"] == -32600
        wire.tell("exit")
        assert wire.ended() == 0

    def test_exit_without_shutdown(self, ready: Wire) -> None:
        ready.tell("exit")
        assert ready.ended() == 1

    def test_the_client_goes_away(self, ready: Wire) -> None:
        assert ready.process.stdin
        ready.process.stdin.close()
        assert ready.ended() == 1
        assert b"Traceback" not in b"".join(ready.stderr)

    def test_a_bare_client_is_asked_nothing(self, ready: Wire) -> None:
        ready.diagnostics(ready.open(leaf(ready)))
        assert ready.asked == []
        assert ready.finish() == 0

    @pytest.mark.parametrize("name", CLIENTS)
    def test_every_client(self, wire: Wire, name: str) -> None:
        answer = wire.initialize(CLIENTS[name])
        uri = wire.open(leaf(wire))
        if "diagnosticProvider" in answer["capabilities"]:
            found = wire.result("textDocument/diagnostic", {"textDocument": {"uri": uri}})["items"]
        else:
            found = wire.diagnostics(uri)
        assert found == []
        assert "theirs" in hover(wire, uri)["result"]["contents"]["value"]
        assert wire.finish() == 0


class TestAbuse:
    """All with one server: it must outlive every one of these."""

    @pytest.mark.parametrize(
        "params",
        [
            None,
            [],
            {},
            {"textDocument": None},
            {"textDocument": {"uri": 5}},
            {"textDocument": {"uri": "file:///x"}},
            "x",
        ],
    )
    def test_odd_parameters_are_answered(self, one: Wire, params: Any) -> None:
        answer = one.ask("textDocument/hover", params)
        assert answer["error"]["code"] == -32602
        assert hover(one, one.open(leaf(one)))["result"]

    @pytest.mark.parametrize(
        "message",
        [
            {"jsonrpc": "2.0", "id": 7, "method": "textDocument/hover", "params": {"jsonrpc": "2.0"}},
            {"jsonrpc": "2.0", "id": 7, "method": 5},
            {"jsonrpc": "1.0", "id": 7, "method": "x"},
            {"jsonrpc": "2.0", "id": 7, "method": "no/such/method"},
        ],
    )
    def test_odd_messages_are_answered(self, one: Wire, message: dict[str, Any]) -> None:
        one.send(message)
        answer = one.response(7)
        assert "error" in answer or answer["result"] is None
        assert hover(one, one.open(leaf(one)))["result"]

    def test_what_is_no_json_is_told_and_passed_over(self, one: Wire) -> None:
        one.raw(b"Content-Length: 5\r\n\r\n{nope")
        assert one.response(None)["error"]["code"] == -32700
        assert hover(one, one.open(leaf(one)))["result"]

    def test_an_array_is_no_message(self, one: Wire) -> None:
        one.send([1, 2])
        assert one.response(None)["error"]["code"] == -32600

    def test_answers_to_nothing_are_passed_over(self, one: Wire) -> None:
        one.send({"jsonrpc": "2.0", "id": "never-asked", "result": 1})
        one.tell("$/cancelRequest", {"id": 99})
        one.tell("$/cancelRequest", None)
        one.tell("no/such/notification", {})
        assert hover(one, one.open(leaf(one)))["result"]

    def test_the_same_id_twice_gets_two_answers(self, one: Wire) -> None:
        uri = one.open(leaf(one))
        params = {"textDocument": {"uri": uri}, "position": {"line": 1, "character": 12}}
        for _ in range(2):
            one.send({"jsonrpc": "2.0", "id": "same", "method": "textDocument/hover", "params": params})
            assert one.response("same")["result"]

    def test_a_flood_of_edits_and_requests(self, one: Wire) -> None:
        uri = one.open(leaf(one))
        identity = 0
        for version in range(2, 202):
            text = LEAF + f"# {version}\n"
            one.change(uri, version, {"text": text})
            identity = one.begin(
                "textDocument/hover", {"textDocument": {"uri": uri}, "position": {"line": 1, "character": 12}}
            )
        assert one.response(identity)["result"]
        assert one.diagnostics(uri, version=201) == []


class TestDocuments:
    def test_positions_in_every_encoding(self, wire: Wire) -> None:
        wire.initialize({"general": {"positionEncodings": ["utf-16"]}})
        uri = wire.open(leaf(wire), 'base: common\nconfig: {description: "🚀 \u2028 go", target: {name: c}}\n')
        answer = hover(wire, uri, 1, 45)["result"]
        assert answer["range"] == {"start": {"line": 1, "character": 42}, "end": {"line": 1, "character": 46}}

    def test_edits_count_lines_as_editors_do(self, ready: Wire) -> None:
        uri = ready.open(leaf(ready), 'x-a: "a\u2028b!"\r\nbase: missing\r\n')
        (found,) = [each for each in ready.diagnostics(uri) if each["code"] == "base.missing"]
        assert found["range"]["start"]["line"] == 1
        start = {"line": 0, "character": 9}
        ready.change(uri, 2, {"range": {"start": start, "end": {"line": 0, "character": 10}}, "text": ""})
        where = {"start": {"line": 1, "character": 6}, "end": {"line": 1, "character": 99}}
        ready.change(uri, 3, {"range": where, "text": "common"})
        assert ready.diagnostics(uri, version=3) == []

    def test_an_unsaved_base_wins_over_the_disk(self, ready: Wire) -> None:
        uri = ready.open(leaf(ready))
        base = ready.open(leaf(ready).with_name("common.yaml"))
        ready.change(base, 2, {"text": COMMON.replace("theirs", "unsaved")})
        assert "unsaved" in hover(ready, uri)["result"]["contents"]["value"]
        ready.tell("textDocument/didClose", {"textDocument": {"uri": base}})
        assert "theirs" in hover(ready, uri)["result"]["contents"]["value"]

    def test_a_file_changed_from_outside_is_noticed_without_a_watcher(self, ready: Wire) -> None:
        uri = ready.open(leaf(ready))
        assert ready.diagnostics(uri) == []
        seen = len(ready.told)
        leaf(ready).with_name("common.yaml").unlink()
        found = ready.wait_told(
            "textDocument/publishDiagnostics", lambda each: each["uri"] == uri and each["diagnostics"], after=seen
        )
        assert [each["code"] for each in found["diagnostics"]] == ["base.missing"]

    def test_problems_stand_in_the_file_that_holds_them(self, ready: Wire) -> None:
        common = leaf(ready).with_name("common.yaml")
        common.write_text("config: {target: {service: local}\n")
        uri = ready.open(leaf(ready))
        assert [each["code"] for each in ready.diagnostics(uri)] == ["base.broken"]
        assert [each["code"] for each in ready.diagnostics(common.as_uri())] == ["yaml.syntax"]

    def test_other_yaml_gets_nothing(self, ready: Wire, tmp_path: Path) -> None:
        other = tmp_path / "compose.yaml"
        other.write_text("services: [\n")
        uri = ready.open(other)
        ready.diagnostics(ready.open(leaf(ready)))
        assert [each for each in ready.told if each["params"]["uri"] == uri] == []
        assert hover(ready, uri, 0, 2)["result"] is None

    def test_a_first_line_makes_any_file_ours(self, ready: Wire, tmp_path: Path) -> None:
        other = tmp_path / "else.yaml"
        other.write_text("# aj: template\nbase: nowhere\n")
        assert [each["code"] for each in ready.diagnostics(ready.open(other))] == ["base.missing"]

    def test_an_untitled_buffer(self, ready: Wire) -> None:
        text = "# aj: template\nbase: common\nconfig: {}\n"
        item = {"uri": "untitled:Untitled-1", "languageId": "yaml", "version": 1, "text": text}
        ready.tell("textDocument/didOpen", {"textDocument": item})
        found = ready.diagnostics("untitled:Untitled-1")
        assert [(each["code"], each["severity"]) for each in found if each["code"].startswith("base")] == [
            ("base.unsaved", 3)
        ]

    def test_paths_with_spaces_and_signs(self, home: Path) -> None:
        odd = home / "a b#c%d" / ".aj" / "template"
        odd.mkdir(parents=True)
        (odd / "leaf.yaml").write_text("base: nowhere\n")
        with Wire(home) as wire:
            wire.initialize()
            uri = wire.open(odd / "leaf.yaml")
            assert [each["code"] for each in wire.diagnostics(uri)] == ["base.missing"]

    def test_answers_keep_the_path_that_was_opened(self, home: Path) -> None:
        os.symlink(home / ".aj", home / "link", target_is_directory=True)
        with Wire(home, AJ_HOME=str(home / "link")) as wire:
            wire.initialize()
            uri = wire.open(home / "link" / "template" / "leaf.yaml")
            where = {"line": 0, "character": 7}
            (found,) = wire.result("textDocument/definition", {"textDocument": {"uri": uri}, "position": where})
            assert found["uri"] == (home / "link" / "template" / "common.yaml").as_uri()


class TestSettings:
    @pytest.mark.parametrize("answer", [None, [], "text", [None], [5], [{"preview": "x", "home": 3}]])
    def test_odd_configuration_means_defaults(self, wire: Wire, answer: Any) -> None:
        wire.answers["workspace/configuration"] = lambda _: answer
        wire.initialize({"workspace": {"configuration": True}})
        assert hover(wire, wire.open(leaf(wire)))["result"]
        assert wire.finish() == 0

    def test_a_home_set_live(self, wire: Wire, tmp_path: Path) -> None:
        other = tmp_path / "other" / "template"
        other.mkdir(parents=True)
        (tmp_path / "other" / "env").mkdir()
        (tmp_path / "other" / "env" / "gpu.yaml").write_text("config: {}\n")
        wire.initialize()
        uri = wire.open(leaf(wire), "base: env.gpu\nconfig: {target: {service: local}}\n")
        assert [each["code"] for each in wire.diagnostics(uri)] == ["base.missing"]
        seen = len(wire.told)
        settings = {"aj": {"home": str(tmp_path / "other")}}
        wire.tell("workspace/didChangeConfiguration", {"settings": settings})
        # What is known of the home of before may come first.
        wire.wait_told(
            "textDocument/publishDiagnostics", lambda each: each["uri"] == uri and not each["diagnostics"], after=seen
        )
        assert wire.settle() == {"ready"}
