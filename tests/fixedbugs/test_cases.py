"""Every case of `cases.json`: kinds of faults that hurt users of other tools stay away from ours."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from ajkit.lsp import convert
from tests.fixedbugs.runner import CAPABILITIES, CASES, Case, applied, contains, memory
from tests.lsp.held import Held
from tests.lsp.wire import Wire

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture(scope="module")
def server(tmp_path_factory: pytest.TempPathFactory) -> Iterator[Wire]:
    with Wire(tmp_path_factory.mktemp("cases")) as wire:
        wire.initialize(CAPABILITIES)
        yield wire


@pytest.fixture
def play(server: Wire, tmp_path: Path) -> Iterator[Callable[[str], Case]]:
    played: list[Case] = []

    def begin(identity: str) -> Case:
        case = Case(CASES[identity], tmp_path, server)
        played.append(case)
        case.play(case.case["steps"])
        return case

    yield begin
    for each in played:
        each.close_all()


def of(*operations: str, without: tuple[str, ...] = ()) -> list[str]:
    """The cases with one of these operations."""
    return [each for each, case in CASES.items() if case["action"]["op"] in operations and each not in without]


@pytest.mark.parametrize("identity", of("diagnose", without=("bc-005", "bc-055", "bc-073")))
def test_diagnose(play: Callable[[str], Case], identity: str) -> None:
    case = play(identity)
    case.open(case.action["file"])
    expected = case.expected
    case.check_diagnostics(expected.get("diagnostics", []))
    found = case.diagnostics(case.action["file"])
    codes = [each["code"] for each in found]
    if expected.get("exact") and "diagnostics" in expected:
        assert codes == [each["code"] for each in expected["diagnostics"]]
    for code in expected.get("no_diagnostic_code", []):
        assert code not in codes
    for line, silent in expected.get("no_diagnostic_code_on_line", {}).items():
        assert not [each for each in found if each["code"] in silent and each["range"]["start"]["line"] == int(line)]
    for name, count in expected.get("diagnostic_count", {}).items():
        assert len(case.diagnostics(name)) == count
    assert len(found) <= expected.get("max_diagnostics", 1000)
    if "resolved" in expected:
        assert case.merged(case.action["file"]) == expected["resolved"]
    if "resolved_contains" in expected:
        assert contains(case.merged(case.action["file"]), expected["resolved_contains"])
    if "completion_at" in expected:
        case.ask("textDocument/completion", case.action["file"], expected["completion_at"])
    if expected.get("definition_on_base_still_works"):
        (target,) = case.ask("textDocument/definition", case.action["file"], {"line": 0, "character": 7})
        assert target["targetUri"].endswith("common.yaml")


def test_a_base_created_later(play: Callable[[str], Case]) -> None:
    case = play("bc-005")
    (wanted,) = case.expected["after_open"]
    assert [each["code"] for each in case.diagnostics(wanted["file"]) if each["code"].startswith("base")] == []
    case.path(".azure_jobs/storage/blob.yaml").unlink()
    case.play([{**case.case["steps"][2], "type": "deleted"}])
    case.check_diagnostics([wanted])


@pytest.mark.parametrize("text", ["a\u2028b", "a\u2029b", "a\u0085b"])
def test_odd_line_ends_do_not_shift_lines(play: Callable[[str], Case], text: str) -> None:
    case = play("bc-055")
    name = case.action["file"]
    case.write(name, f'config: {{description: "{text}"}}\nbase: missing\n'.encode())
    case.open(name)
    case.check_diagnostics(case.expected["diagnostics"])


def test_a_form_feed_is_reported_at_its_place(play: Callable[[str], Case]) -> None:
    case = play("bc-055")
    name = case.action["file"]
    case.write(name, b"config:\n  a: x\x0cy\n")
    case.open(name)
    case.check_diagnostics([{"file": name, "code": "yaml.syntax", "line": 1}])


def test_an_untitled_buffer(play: Callable[[str], Case]) -> None:
    case = play("bc-073")
    case.check_diagnostics(case.expected["diagnostics"])


@pytest.mark.parametrize("identity", of("hover", without=("bc-007", "bc-063", "bc-077")))
def test_hover(play: Callable[[str], Case], identity: str) -> None:
    case = play(identity)
    expected = case.expected
    found = case.ask("textDocument/hover", case.action["file"], case.action)
    text = found["contents"]["value"] if found else ""
    if expected.get("result") == "null":
        assert found is None
    position = 0
    for part in expected.get("hover_contains_in_order", []):
        position = text.index(part, position)
    for part in expected.get("hover_contains", []):
        assert part in text
    if "hover_range" in expected:
        assert found["range"] == expected["hover_range"]
    case.check_diagnostics(expected.get("diagnostics", []))
    if "resolved" in expected:
        assert case.merged(case.action["file"]) == expected["resolved"]


def test_an_unsaved_base_counts_until_it_is_closed(play: Callable[[str], Case]) -> None:
    case = play("bc-007")
    after = case.expected["after_close_without_save"]
    text = case.ask("textDocument/hover", case.action["file"], case.action)["contents"]["value"]
    assert all(part in text for part in after["hover_contains"])
    assert not any(part in text for part in after["hover_not_contains"])
    case.play(case.case["steps"][1:3])
    text = case.ask("textDocument/hover", case.action["file"], case.action)["contents"]["value"]
    assert all(part in text for part in case.expected["hover_contains"])
    assert not any(part in text for part in case.expected["hover_not_contains"])


def test_secrets_are_shown_nowhere(play: Callable[[str], Case]) -> None:
    case = play("bc-077")
    text = json.dumps(case.ask("textDocument/hover", case.action["file"], case.action))
    uri = case.uri(case.action["file"])
    request = {"nodes": 1, "processes": 1}
    preview = case.wire.result(
        "workspace/executeCommand", {"command": "aj.preview", "arguments": [uri, "spec", request]}
    )
    for secret in case.expected["hover_not_contains"]:
        assert secret not in text
        assert secret not in json.dumps(preview)
        assert secret.encode() not in b"".join(case.wire.stderr)
    assert "***" in preview["text"]


def test_others_answer_while_a_large_file_is_read(tmp_path: Path) -> None:
    held = Held(tmp_path, "ajkit.lsp.session:Session.read")
    with Wire(tmp_path, command=held.command) as wire:
        wire.initialize(CAPABILITIES)
        case = Case(CASES["bc-063"], tmp_path, wire)
        assert case.ask("textDocument/hover", case.action["file"], case.action)
        large = {"textDocument": {"uri": case.open(case.case["generate"]["path"])}}
        symbols = wire.begin("textDocument/documentSymbol", large)
        before = wire.cpu()
        assert case.ask("textDocument/hover", case.action["file"], case.action)
        assert wire.cpu() - before < 2 * case.expected["max_ms"] / 1000
        assert symbols not in wire.answered, "it is still being read"
        held.let_go()
        assert _size(wire.response(symbols)["result"]) == case.expected["document_symbols_cap"]


def _size(symbols: list[dict[str, Any]]) -> int:
    return sum(1 + _size(each.get("children", [])) for each in symbols)


@pytest.mark.parametrize("identity", of("resolve", "show", without=("bc-034",)))
def test_resolve(play: Callable[[str], Case], identity: str) -> None:
    case = play(identity)
    expected = case.expected
    name = case.action["file"]
    before = case.wire.cpu()
    if "with" in case.action:
        arguments = [case.open(name), {"with": case.action["with"]}]
        answer = case.wire.result("workspace/executeCommand", {"command": "aj.merged", "arguments": arguments})
        merged = answer["config"]
    else:
        merged = case.merged(name)
    assert case.wire.cpu() - before < 3 * expected.get("max_ms", 5000) / 1000
    if "resolved" in expected:
        assert merged == expected["resolved"]
    for key in expected.get("resolved_has_keys", []):
        assert key in merged
    codes = [each["code"] for each in case.diagnostics(name)]
    if "error_code" in expected:
        assert expected["error_code"] in codes
    assert not set(expected.get("no_diagnostic_code", [])) & set(codes)


def test_both_spellings_of_a_node_range_are_one_key(play: Callable[[str], Case]) -> None:
    case = play("bc-034")
    assert case.merged(case.action["file"])["jobs"] == [{"sku": {"1": "S1", "8+": "S8", "2-7": "S4"}}]
    assert [each for each in case.diagnostics(case.action["file"]) if each["code"].startswith("sku")] == []


@pytest.mark.parametrize("identity", of("completion"))
def test_completion(play: Callable[[str], Case], identity: str) -> None:
    case = play(identity)
    name = case.action["file"]
    answer = case.ask("textDocument/completion", name, case.action)
    items = answer["items"] if isinstance(answer, dict) else answer
    labels = [each["label"] for each in items]
    for wanted in case.expected["completion_includes"]:
        assert wanted in labels, labels
    if "accepting" in case.expected:
        item = next(each for each in items if each["label"] == case.expected["accepting"])
        text = applied(case.path(name).read_text("utf-8"), item["textEdit"])
        assert yaml.safe_load(text) == case.expected["document_then_parses_to"]
    if "diagnostics" in case.expected:
        assert case.diagnostics(name) == []


@pytest.mark.parametrize("identity", of("definition", without=("bc-011",)))
def test_definition(play: Callable[[str], Case], identity: str) -> None:
    case = play(identity)
    name = case.action["file"]
    case.open(name)
    before = case.wire.cpu()
    found = case.ask("textDocument/definition", name, case.action)
    assert case.wire.cpu() - before < 5 * case.expected.get("max_ms", 1000) / 1000
    for wanted, target in zip(case.expected.get("definition", []), found, strict=False):
        assert target["targetUri"] == case.uri(wanted["file"])
        assert target["targetRange"]["start"]["line"] == wanted["line"]
    assert found
    case.check_diagnostics(case.expected.get("diagnostics", []))
    if "hover_at" in case.expected:
        assert case.ask("textDocument/hover", name, case.expected["hover_at"])
    if "completion_at" in case.expected:
        answer = case.ask("textDocument/completion", name, case.expected["completion_at"])
        labels = [each["label"] for each in answer["items"]]
        assert set(case.expected["completion_at"]["includes"]) <= set(labels)


def test_definition_inside_a_preview_leads_to_the_source(play: Callable[[str], Case]) -> None:
    case = play("bc-011")
    leaf = ".azure_jobs/template/leaf.yaml"
    case.open(leaf)
    uri = f"aj-preview://merged{case.path(leaf)}"
    text = case.wire.result("workspace/textDocumentContent", {"uri": uri})["text"]
    line = next(index for index, each in enumerate(text.split("\n")) if "setup" in each)
    where = {"line": line, "character": text.split("\n")[line].index("setup") + 1}
    found = case.wire.result("textDocument/definition", {"textDocument": {"uri": uri}, "position": where})
    (wanted,) = case.expected["definition"]
    assert found[0]["targetUri"] == case.uri(wanted["file"])
    assert found[0]["targetRange"]["start"]["line"] == wanted["line"]


def test_rename(play: Callable[[str], Case]) -> None:
    case = play("bc-014")
    case.open(case.action["file"])
    answer = case.ask("textDocument/rename", case.action["file"], case.action, newName=case.action["newName"])
    wanted = case.expected["workspace_edit"]
    edits = {
        (each["textDocument"]["uri"], json.dumps(edit["range"]), edit["newText"])
        for each in answer["documentChanges"]
        if "kind" not in each
        for edit in each["edits"]
    }
    assert edits == {
        (case.uri(each["file"]), json.dumps(each["range"]), each["newText"]) for each in wanted["text_edits"]
    }
    assert [(each["oldUri"], each["newUri"]) for each in answer["documentChanges"] if "kind" in each] == [
        (case.uri(old), case.uri(new)) for old, new in wanted["rename_file"]
    ]


def test_a_moved_file_keeps_its_meaning(play: Callable[[str], Case]) -> None:
    case = play("bc-015")
    case.open(".azure_jobs/template/leaf.yaml")
    files = [{"oldUri": case.uri(each["old"]), "newUri": case.uri(each["new"])} for each in case.action["files"]]
    answer = case.wire.result("workspace/willRenameFiles", {"files": files})
    (change,) = answer["documentChanges"]
    assert [edit["newText"] for edit in change["edits"]] == ["template.sub.local"]


def test_links_leave_out_the_quotes(play: Callable[[str], Case]) -> None:
    case = play("bc-018")
    (link,) = case.ask("textDocument/documentLink", case.action["file"])
    (wanted,) = case.expected["links"]
    assert (link["range"], link["target"]) == (wanted["range"], case.uri(wanted["target"]))
    (found,) = case.ask("textDocument/definition", case.action["file"], {"line": 0, "character": 8})
    assert found["originSelectionRange"] == case.expected["definition_origin_range"]


def test_order_and_bytes_are_the_same(play: Callable[[str], Case]) -> None:
    case = play("bc-033")
    assert list(case.merged(case.action["file"])) == case.expected["key_order"]


def test_an_alias_bomb(play: Callable[[str], Case]) -> None:
    case = play("bc-038")
    before = case.wire.cpu()
    case.open(case.action["file"])
    case.check_diagnostics(case.expected["diagnostics"])
    assert case.wire.cpu() - before < 3 * case.expected["max_ms"] / 1000


def test_uris_of_hosts() -> None:
    case = CASES["bc-058"]
    path = convert.path_of(case["action"]["uri"], windows=True)
    assert path is not None
    assert path.replace("/", "\\") == case["expected"]["path_on_windows"]
    assert convert.uri_of(path, windows=True) == case["action"]["uri"]


def test_a_half_typed_line_over_and_over(play: Callable[[str], Case]) -> None:
    case = play("bc-064")
    name = ".azure_jobs/template/leaf.yaml"
    text = case.path(name).read_text("utf-8")
    for index in range(600):
        case.change(name, text.rstrip("\n") + (":" if index % 2 else "") + "\n")
    assert case.ask("textDocument/hover", name, {"line": 0, "character": 7})
    before = memory(case.wire)
    for index in range(600):
        case.change(name, text.rstrip("\n") + (":" if index % 2 else "") + "\n")
    assert case.ask("textDocument/hover", name, {"line": 0, "character": 7})
    assert memory(case.wire) - before < case.expected["rss_growth_mib_max"]
    assert len(case.wire.stderr) <= case.expected["log_lines_max"]


def test_everything_at_once(play: Callable[[str], Case]) -> None:
    case = play("bc-067")
    leaf, common = ".azure_jobs/template/leaf.yaml", ".azure_jobs/template/common.yaml"
    uri = case.open(leaf)
    case.open(common)
    begun = []
    for index in range(120):
        case.change(common, f"config: {{description: d{index}}}\n")
        if index % 2:
            case.path(common).unlink(missing_ok=True)
        else:
            case.write(common, b"config: {}\n")
        case.wire.tell("workspace/didChangeWatchedFiles", {"changes": [{"uri": case.uri(common), "type": 2}]})
        where = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 7}}
        begun.append(case.wire.begin("textDocument/hover", where))
        if index % 3 == 0:
            case.wire.tell("$/cancelRequest", {"id": begun[-1]})
    assert all("result" in each or "error" in each for each in map(case.wire.response, begun))
    case.write(common, b"config: {}\n")
    case.close(common)
    # It names no service, which is said once it is known that nothing extends it; nothing else is left.
    assert {each["code"] for each in case.diagnostics(leaf)} <= {"schema.required"}


def test_submit_sends_the_buffers(play: Callable[[str], Case]) -> None:
    case = play("bc-075")
    request = case.action["request"]
    arguments = [case.uri(case.action["file"]), request]
    dry = case.wire.result("workspace/executeCommand", {"command": "aj.dryRun", "arguments": arguments})
    assert case.expected["command_contains"] in dry["text"]
    preview = case.wire.result(
        "workspace/executeCommand",
        {"command": "aj.preview", "arguments": [case.uri(case.action["file"]), "spec", request]},
    )
    assert preview["text"] == dry["text"]
    assert dry["unsaved"]


def test_submit_refuses_what_is_broken(play: Callable[[str], Case]) -> None:
    case = play("bc-076")
    uri = case.open(case.action["file"])
    answer = case.wire.ask("workspace/executeCommand", {"command": "aj.submit", "arguments": [uri, {}]})
    assert case.expected["error_code"] in json.dumps(answer)
    assert "job" not in (answer.get("result") or {})


def test_lenses_of_a_component(play: Callable[[str], Case]) -> None:
    case = play("bc-079")
    case.open(case.action["file"])
    case.wire.settle()

    def lenses() -> dict[int, str]:
        return {
            each["range"]["start"]["line"]: each["command"]["title"]
            for each in case.ask("textDocument/codeLens", case.action["file"])
        }

    # What a value does below is worked out beside the requests.
    titles = case.wire.until(lambda: found if len(found := lenses()) > 1 else None)
    assert titles[0] == case.expected["lens_line0"]
    assert case.expected["lens_on_image"] in titles.values()
