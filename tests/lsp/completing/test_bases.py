"""Base names: beside the file and folder by folder, never one that is listed or leads back."""

from __future__ import annotations

import pytest

from tests.lsp.completing.proposed import COMPLETION, HOME, accept, items, opened
from tests.lsp.fixture import BARE, VSCODE, editor


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("base: §\n", ["common", "gpu", "storage.", "storage.accounts", "storage.data", "storage.deep.er"]),
        ("base: co§\n", ["common", "gpu", "storage.", "storage.accounts", "storage.data", "storage.deep.er"]),
        ("base: [common, §]\n", ["gpu", "storage.", "storage.accounts", "storage.data", "storage.deep.er"]),
        ("base:\n  - common\n  - §\n", ["gpu", "storage.", "storage.accounts", "storage.data", "storage.deep.er"]),
        ("base: storage.§\n", ["storage.accounts", "storage.data", "storage.deep."]),
        ("base:\n  - storage.da§\n", ["storage.accounts", "storage.data", "storage.deep."]),
        ("base: storage.deep.§\n", ["storage.deep.er"]),
        ("base: [storage.data, storage.§]\n", ["storage.accounts", "storage.deep."]),
        ("base: nowhere.§\n", []),
        ("base: .§\n", []),
    ],
)
def test_base_names(text: str, wanted: list[str]) -> None:
    assert sorted(items(text)) == sorted(wanted)


def test_base_names_never_lead_back_to_the_file() -> None:
    found = items("base: §\n")
    assert "leaf" not in found
    assert "above" not in found, "it extends this file"
    other = HOME.replace("accounts.yaml\nconfig: {}", "accounts.yaml\nbase: §")
    names = editor(other).ask(COMPLETION)["items"]
    assert "data" not in {each["label"] for each in names}


def test_the_name_at_the_cursor_is_proposed_though_it_is_listed() -> None:
    assert "gpu" in items("base:\n  - common\n  - gp§u\n")
    assert accept("base:\n  - common\n  - co§x\n", "gpu") == "base:\n  - common\n  - gpu\n"


def test_base_names_before_the_home_was_read() -> None:
    answer = opened("base: §\n", graph=False).ask(COMPLETION)
    assert {each["label"] for each in answer["items"]} >= {"common", "gpu", "storage."}
    assert answer["isIncomplete"], "which names would make a cycle is not known yet"
    names = opened("base: storage.§\n", graph=False).ask(COMPLETION)["items"]
    assert {each["label"] for each in names} == {"storage.accounts", "storage.data", "storage.deep."}


def test_a_base_in_memory_is_described() -> None:
    document = opened("base: storage.data\nconfig: {}\n")
    document.cursors = [{"line": 0, "character": 18}]
    item = next(each for each in document.ask(COMPLETION)["items"] if each["label"] == "storage.data")
    assert item["detail"] == ".aj/storage/data.yaml"
    words = item["documentation"]["value"]
    assert "Where the data sets are." in words
    assert "Extends `accounts`" in words
    assert "Sets `storage`" in words


def test_the_list_marker_is_added_where_it_is_missing() -> None:
    wanted = "base:\n  - common\n  - gpu\nconfig: {}\n"
    for capabilities in (VSCODE, BARE):
        for typed in ("  §", "  gp§", "  - §", "  -§", "§", "    §", "    gp§", "      §"):
            text = f"base:\n  - common\n{typed}\nconfig: {{}}\n"
            if typed == "§":
                continue  # a key of the file may stand there as well
            assert accept(text, "gpu", capabilities) == wanted, typed
    assert accept("base:\n- common\n§\nconfig: {}\n", "gpu") == "base:\n- common\n- gpu\nconfig: {}\n"
    assert accept("base:\n§\n", "gpu") == "base:\n- gpu\n"
    assert accept("base:\n  §\n", "gpu") == "base:\n  - gpu\n"
