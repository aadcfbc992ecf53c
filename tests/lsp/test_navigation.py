"""Where things lead: definitions, declarations, references, links, hierarchy, symbols."""

from __future__ import annotations

from typing import Any

import pytest

from tests.lsp.fixture import CLIENTS, editor, place, short, span

CHAIN = """
--- .aj/template/leaf.yaml
base: [common, 'env.gpu']
config:
  target:
    name: mine
  setup: [leaf]
--- .aj/template/common.yaml
base: root
config:
  target:
    name: theirs
--- .aj/template/root.yaml
config:
  target:
    name: oldest
    service: aml
  setup: [root]
--- .aj/template/other.yaml
base: common
config: {target: {name: other}}
--- .aj/env/gpu.yaml
config: {}
--- .aj/env/cpu.yaml
config: {}
"""


def at(fixture: str, needle: str, *, within: int = 1) -> str:
    """The fixture with the cursor inside the first place of some text."""
    index = fixture.index(needle) + within
    return fixture[:index] + "§" + fixture[index:]


@pytest.mark.parametrize("client", CLIENTS.values(), ids=CLIENTS)
@pytest.mark.parametrize(
    ("needle", "places"),
    [
        ("common, ", [".aj/template/common.yaml:0:0-0"]),
        ("gpu'", [".aj/env/gpu.yaml:0:0-0"]),
        ("name: mine", [".aj/template/common.yaml:3:4-8", ".aj/template/root.yaml:2:4-8"]),
        ("mine", [".aj/template/common.yaml:3:4-8", ".aj/template/root.yaml:2:4-8"]),
        ("target:\n    name: mine", [".aj/template/common.yaml:2:2-8", ".aj/template/root.yaml:1:2-8"]),
        ("setup: [leaf]", [".aj/template/root.yaml:4:2-7"]),
    ],
)
def test_definition(needle: str, places: list[str], client: dict[str, Any]) -> None:
    found = editor(at(CHAIN, needle), client).ask("textDocument/definition")
    assert [place(each) for each in found] == places


def test_a_folder_of_a_dotted_name_leads_to_its_files() -> None:
    found = editor(at(CHAIN, "env.gpu'")).ask("textDocument/definition")
    assert [place(each) for each in found] == [".aj/env/gpu.yaml:0:0-0", ".aj/env/cpu.yaml:0:0-0"]
    assert span(found[0]["originSelectionRange"]) == "0:16-19"


def test_declaration_is_the_root_that_set_it_first() -> None:
    found = editor(at(CHAIN, "name: mine")).ask("textDocument/declaration")
    assert [place(each) for each in found] == [".aj/template/root.yaml:2:4-8"]


@pytest.mark.parametrize(
    ("needle", "places"),
    [
        ("common, ", [".aj/template/leaf.yaml:0:7-13", ".aj/template/other.yaml:0:6-12"]),
        ("base: root", [".aj/template/common.yaml:0:6-10"]),
        (
            "name: oldest",
            [
                ".aj/template/root.yaml:2:4-8",
                ".aj/template/common.yaml:3:4-8",
                ".aj/template/leaf.yaml:3:4-8",
                ".aj/template/other.yaml:1:18-22",
            ],
        ),
    ],
)
def test_references(needle: str, places: list[str]) -> None:
    found = editor(at(CHAIN, needle, within=7 if needle == "base: root" else 1)).ask("textDocument/references")
    assert sorted(place(each) for each in found) == sorted(places)


def test_references_of_a_file_from_its_top_level() -> None:
    found = editor(at(CHAIN, "config:\n  target:\n    name: theirs")).ask("textDocument/references")
    assert [place(each) for each in found] == [".aj/template/leaf.yaml:0:7-13", ".aj/template/other.yaml:0:6-12"]


def test_a_file_that_the_buffer_no_longer_names_is_no_reference() -> None:
    there = editor(at(CHAIN, "config:\n  target:\n    name: theirs").replace("leaf.yaml", "leaf.yaml (open)"))
    there.type("config: {}\n", uri="file:///w/.aj/template/leaf.yaml")
    assert [place(each) for each in there.ask("textDocument/references")] == [".aj/template/other.yaml:0:6-12"]


def test_highlights() -> None:
    found = editor(at(CHAIN, "name: mine")).ask("textDocument/documentHighlight")
    assert [span(each["range"]) for each in found] == ["3:4-8", "3:10-14"]


SCRIPTS = """
--- .aj/template/leaf.yaml
base: missing
config:
  code: {local_dir: .}
  environment:
    setup: [bash scripts/setup.sh --fast]
  jobs:
  - command:
    - python tr§ain.py --out $CONFIG_DIR/x.txt
--- scripts/setup.sh
--- train.py
--- .aj/template/x.txt
"""


def test_links_lead_to_bases_and_to_files_that_are_there() -> None:
    found = editor(SCRIPTS + "--- .aj/template/y.yaml\n").ask("textDocument/documentLink")
    assert [(span(each["range"]), short(each["target"])) for each in found] == [
        ("4:17-33", "scripts/setup.sh"),
        ("7:13-21", "train.py"),
        ("7:28-45", ".aj/template/x.txt"),
    ]
    named = editor(CHAIN).ask("textDocument/documentLink")
    assert [(span(each["range"]), short(each["target"])) for each in named] == [
        ("0:7-13", ".aj/template/common.yaml"),
        ("0:16-23", ".aj/env/gpu.yaml"),
    ]


def test_a_script_leads_to_itself() -> None:
    assert [place(each) for each in editor(SCRIPTS).ask("textDocument/definition")] == ["train.py:0:0-0"]


def test_hierarchy() -> None:
    there = editor(at(CHAIN, "common, "))
    (item,) = there.ask("textDocument/prepareTypeHierarchy")
    assert (item["name"], item["detail"]) == ("common", "template.common")
    assert [each["name"] for each in there.ask("typeHierarchy/supertypes", item=item)] == ["root"]
    assert sorted(each["name"] for each in there.ask("typeHierarchy/subtypes", item=item)) == ["leaf", "other"]


def test_document_symbols_as_a_tree_and_as_a_list() -> None:
    tree = editor(CHAIN).ask("textDocument/documentSymbol")
    assert [each["name"] for each in tree] == ["base", "config"]
    target = tree[1]["children"][0]
    assert (target["name"], span(target["range"]), span(target["selectionRange"])) == ("target", "2:2-3:14", "2:2-8")
    assert target["children"][0]["detail"] == "mine"
    flat = editor(CHAIN, CLIENTS["bare"]).ask("textDocument/documentSymbol")
    assert [(each["name"], each.get("containerName")) for each in flat] == [
        ("base", None),
        ("config", None),
        ("target", "config"),
        ("name", "target"),
        ("setup", "config"),
    ]


def test_workspace_symbols_best_first() -> None:
    there = editor(CHAIN)
    assert [each["name"] for each in there.ask("workspace/symbol", query="root")] == ["template.root"]
    assert [each["name"] for each in there.ask("workspace/symbol", query="env")] == ["env.cpu", "env.gpu"]
    assert [each["name"] for each in there.ask("workspace/symbol", query="tmlf")] == ["template.leaf"]
    assert len(there.ask("workspace/symbol", query="")) == 6


FOLDS = """
--- .aj/template/leaf.yaml
# one
# two
base: common
config:
  target:
    name: x
  jobs:
  - command:
    - a
    - b

    name: n
--- .aj/template/common.yaml
"""


def test_folding() -> None:
    found = editor(FOLDS).ask("textDocument/foldingRange")
    assert [(each["startLine"], each["endLine"], each.get("kind")) for each in found] == [
        (0, 1, "comment"),
        (3, 11, None),
        (4, 5, None),
        (6, 11, None),
        (7, 9, None),
        (7, 11, None),
    ]


def test_selection_grows_from_the_scalar_to_the_document() -> None:
    there = editor(at(CHAIN, "mine"))
    (found,) = there.ask("textDocument/selectionRange", positions=there.cursors)
    spans = []
    while found:
        spans.append(span(found["range"]))
        found = found.get("parent")
    assert spans == ["3:10-14", "3:4-14", "2:2-3:14", "2:2-4:15", "1:0-4:15", "0:0-4:15", "0:0-5:0"]


@pytest.mark.parametrize("text", ["# abo§ve\nbase: low\n", "base: low\n# bel§ow\n", "base: low\n§", "§\n\nbase: low\n"])
def test_a_selection_holds_its_cursor_beside_everything_too(text: str) -> None:
    there = editor(f"--- .aj/template/leaf.yaml\n{text}")
    (found,) = there.ask("textDocument/selectionRange", positions=there.cursors)
    ((line, column),) = (tuple(each.values()) for each in there.cursors)
    first, last = (tuple(found["range"][each].values()) for each in ("start", "end"))
    assert first <= (line, column) <= last


TOKENS = """
--- .aj/template/leaf.yaml
base: low
config:
  target: {nmae: x, name: y}
--- .aj/template/low.yaml
config: {target: {name: z}}
"""


def test_semantic_tokens() -> None:
    there = editor(TOKENS)
    data = there.ask("textDocument/semanticTokens/full")["data"]
    tokens, line, column = [], 0, 0
    for index in range(0, len(data), 5):
        down, right, length, kind, modifiers = data[index : index + 5]
        line, column = line + down, (column + right if down == 0 else right)
        tokens.append((line, column, length, kind, modifiers))
    assert tokens == [(0, 6, 3, 0, 0), (2, 2, 6, 1, 0), (2, 11, 4, 1, 4), (2, 20, 4, 1, 2)]
