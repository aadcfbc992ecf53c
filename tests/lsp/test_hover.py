"""Hover: the value here, its type and words, and the whole story of where it came from."""

from __future__ import annotations

import pytest

from tests.lsp.fixture import CLIENTS, editor, span

CHAIN = """
--- .aj/template/leaf.yaml
base: [common, storage.blob]
config:
  target:
    name: mine
  environment:
    setup: [leaf]
  jobs:
  - sku: "{nodes}x80G{processes}-A100"
    command: [python train.py --id $AJ_ID]
    submit_args:
      env: {WANDB_API_KEY: abc123secret0000aaaabbbb, LR: 0.1}
--- .aj/template/common.yaml
base: root
config:
  target:
    name: theirs
  environment:
    setup: [common]
--- .aj/template/root.yaml
config:
  target:
    name: oldest
    service: aml
  jobs:
  - instance_count: 2
--- .aj/storage/blob.yaml
config: {storage: {data: {mount_dir: /mnt}}}
"""


def at(needle: str, within: int = 1, fixture: str = CHAIN) -> str:
    index = fixture.index(needle) + within
    return fixture[:index] + "§" + fixture[index:]


def hovered(fixture: str, client: str = "vscode") -> str:
    found = editor(fixture, CLIENTS[client]).ask("textDocument/hover")
    assert found is not None
    return str(found["contents"]["value"])


def in_order(text: str, *parts: str) -> None:
    position = 0
    for part in parts:
        position = text.find(part, position)
        assert position >= 0, f"{part!r} is missing or out of order in:\n{text}"
        position += len(part)


@pytest.mark.parametrize("client", CLIENTS)
def test_the_winner_then_what_it_replaced_nearest_first(client: str) -> None:
    text = hovered(at("name: mine"), client)
    in_order(text, "target.name", "mine", "leaf.yaml:4", "theirs", "common.yaml:4", "oldest", "root.yaml:3")


def test_links_lead_to_the_lines() -> None:
    assert "[common.yaml:4](file:///w/.aj/template/common.yaml#L4)" in hovered(at("name: mine"))
    assert "](" not in hovered(at("name: mine"), "emacs")


def test_the_road_is_named() -> None:
    assert "via common → root" in hovered(at("name: mine"))


def test_type_and_words_come_from_the_schema() -> None:
    text = hovered(at("setup: [leaf]"))
    in_order(text, "environment.setup", "text")


def test_items_of_a_list_have_their_own_origin() -> None:
    text = hovered(at("setup: [leaf]"))
    in_order(text, "common", "common.yaml:6", "leaf", "leaf.yaml:6", "lists concatenated")


def test_a_container_shows_its_effective_value() -> None:
    in_order(hovered(at("target:\n    name: mine")), "target", "name: mine", "service: aml")


def test_the_whole_merged_config_on_base_and_config() -> None:
    for needle in ("config:\n  target:\n    name: mine", "base: [common"):
        in_order(hovered(at(needle)), "merged config", "4 files", "service: aml", "storage:")


def test_a_base_says_what_it_brings_and_its_chain() -> None:
    text = hovered(at("common, storage"))
    in_order(text, "common", ".aj/template/common.yaml", "name: theirs", "common.yaml\n  root.yaml")


def test_a_missing_base_says_what_was_tried() -> None:
    assert "there is no /w/.aj/template/comon.yaml" in hovered(at("comon", 1, CHAIN.replace("[common,", "[comon,")))


def test_a_sku_under_the_shape_of_the_file() -> None:
    assert "2x80G‹-p›-A100" in hovered(at('"{nodes}x80G{processes}', 10))


def test_placeholders_and_variables() -> None:
    assert "jobs[0].instance_count" in hovered(at('"{nodes}', 3))
    in_order(hovered(at("$AJ_ID", 3)), "AJ_ID", "ten characters")


def test_secrets_are_masked() -> None:
    for needle in ("WANDB_API_KEY", "env: {", "config:\n  target:\n    name: mine"):
        assert "abc123secret" not in hovered(at(needle))


def test_what_is_hovered() -> None:
    there = editor(at("name: mine"))
    assert span(there.ask("textDocument/hover")["range"]) == "3:4-8"
    there = editor(at("mine"))
    assert span(there.ask("textDocument/hover")["range"]) == "3:10-14"


@pytest.mark.parametrize(
    "fixture",
    [
        "--- .aj/template/leaf.yaml\n# base: com§mon\nbase: common\n",
        "--- .aj/template/leaf.yaml\n§\n",
        "--- .aj/template/leaf.yaml\n{§}\n",
        "--- .aj/template/leaf.yaml\nx-a: {b§: 1}\n",
    ],
)
def test_nothing_to_say(fixture: str) -> None:
    assert editor(fixture).ask("textDocument/hover") is None


def test_a_large_value_is_cut_and_says_so() -> None:
    keys = "\n".join(f"    K{index}: v" for index in range(300))
    text = hovered(f"--- .aj/template/leaf.yaml\nconfig:\n  x-e§nv:\n{keys}\n  other: 1\n")
    assert "300 keys" in text
    assert "K299" not in text


USED = """
--- .aj/template/common.yaml
config:
  environment:
    im§age: v1
--- .aj/template/a.yaml
base: common
--- .aj/template/b.yaml
base: common
config: {environment: {image: v9}}
"""


def test_in_a_base_it_says_where_the_value_counts() -> None:
    there = editor(USED)
    there.ask("textDocument/hover")
    there.session.impacts.catch_up(there.session)
    text = there.ask("textDocument/hover")["contents"]["value"]
    assert "effective in 1 (a); overridden in b" in text
