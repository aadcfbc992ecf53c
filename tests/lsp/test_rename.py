"""Rename: names, the files behind them, and everything that names these; a meaning never changes silently."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest
import yaml

from ajkit.lsp.failure import RequestFailed
from tests.lsp.choosing import ACTIONS, apply
from tests.lsp.fixture import BARE, NEOVIM, Editor, editor, short, span
from tests.lsp.wire import Wire

if TYPE_CHECKING:
    from pathlib import Path

NAMES = """
--- .aj/template/leaf.yaml
base: [com§mon, 'storage.default']
config: {}
--- .aj/template/common.yaml
base: root
config: {}
--- .aj/template/root.yaml
config: {}
--- .aj/template/other.yaml
base: common
config:
  description: common
--- .aj/storage/default.yaml
base: template.common
"""


def edited(answer: dict[str, Any]) -> list[str]:
    """A workspace edit as tests write it: edits, then operations."""
    found = []
    for each in answer["documentChanges"]:
        if "kind" in each:
            found.append(f"{each['kind']} {short(each['oldUri'])} -> {short(each['newUri'])}")
        else:
            uri = short(each["textDocument"]["uri"])
            found += [f"{uri}:{span(edit['range'])} {edit['newText']}" for edit in each["edits"]]
    return sorted(found[:-1]) + found[-1:] if "kind" in answer["documentChanges"][-1] else sorted(found)


def renamed(there: Editor, new: str) -> list[str]:
    return edited(there.ask("textDocument/rename", newName=new))


def test_a_base_with_its_file_and_every_name() -> None:
    assert renamed(editor(NAMES), "shared") == [
        ".aj/storage/default.yaml:0:6-21 template.shared",
        ".aj/template/leaf.yaml:0:7-13 shared",
        ".aj/template/other.yaml:0:6-12 shared",
        "rename .aj/template/common.yaml -> .aj/template/shared.yaml",
    ]


def test_a_base_into_another_folder_takes_its_own_names_along() -> None:
    assert renamed(editor(NAMES), "parts.shared") == [
        ".aj/storage/default.yaml:0:6-21 parts.shared",
        ".aj/template/common.yaml:0:6-10 template.root",
        ".aj/template/leaf.yaml:0:7-13 parts.shared",
        ".aj/template/other.yaml:0:6-12 parts.shared",
        "rename .aj/template/common.yaml -> .aj/parts/shared.yaml",
    ]


def test_what_is_renamed_is_the_name_without_quotes() -> None:
    found = editor(NAMES.replace("§", "").replace("storage.def", "storage.d§ef")).ask("textDocument/prepareRename")
    assert (span(found["range"]), found["placeholder"]) == ("0:16-31", "storage.default")


@pytest.mark.parametrize("place", ["con§fig: {}", "config: {§}", "b§ase:"])
def test_what_is_no_name_cannot_be_renamed(place: str) -> None:
    there = editor(NAMES.replace("§", "").replace(place.replace("§", ""), place, 1))
    assert there.ask("textDocument/prepareRename") is None


@pytest.mark.parametrize(
    ("new", "why"),
    [("a/b", "not a path"), ("root", "already"), ("", "empty"), ("a..b", "two dots")],
)
def test_names_that_cannot_be(new: str, why: str) -> None:
    with pytest.raises(RequestFailed, match=why):
        editor(NAMES).ask("textDocument/rename", newName=new)


def test_nothing_is_forgotten_while_a_home_is_being_read(tmp_path: Path) -> None:
    """Right after a document was opened nobody knows yet who extends whom."""
    for name, text in (("low", "config: {}\n"), ("leaf", "base: low\n"), ("other", "base: [low]\n")):
        file = tmp_path / f".aj/template/{name}.yaml"
        file.parent.mkdir(parents=True, exist_ok=True)
        file.write_text(text)
    with Wire(tmp_path) as wire:
        wire.initialize(NEOVIM)
        uri = wire.open(tmp_path / ".aj/template/leaf.yaml")
        where: dict[str, Any] = {"textDocument": {"uri": uri}, "position": {"line": 0, "character": 7}}
        answer = wire.result("textDocument/rename", where | {"newName": "deep"})
        folder = uri.removesuffix("/leaf.yaml")
        assert edited(answer) == [
            f"{folder}/leaf.yaml:0:6-9 deep",
            f"{folder}/other.yaml:0:7-10 deep",
            f"rename {folder}/low.yaml -> {folder}/deep.yaml",
        ]
        assert wire.finish() == 0


def test_an_editor_that_says_no_more_than_its_operations_gets_them() -> None:
    answer = editor(NAMES, NEOVIM).ask("textDocument/rename", newName="shared")
    assert edited(answer)[-1] == "rename .aj/template/common.yaml -> .aj/template/shared.yaml"
    assert "changes" in editor(TASKS, NEOVIM).ask("textDocument/rename", newName="actor")


def test_an_editor_that_cannot_rename_files_is_told_so() -> None:
    with pytest.raises(RequestFailed, match="cannot rename files"):
        editor(NAMES, BARE).ask("textDocument/rename", newName="shared")


TASKS = """
--- .aj/template/leaf.yaml
base: low
config:
  _extra: {volcano: {tasks: {work§er: {replicas: 2}}}}
  storage: {data: {mount_dir: /mnt}}
--- .aj/template/low.yaml
config:
  _extra:
    volcano:
      tasks:
        worker: {replicas: 1}
        master: {replicas: 1}
--- .aj/template/sibling.yaml
base: low
config:
  _extra: {volcano: {tasks: {"worker": {replicas: 3}}}}
"""


def test_a_task_in_every_file_that_writes_it() -> None:
    assert renamed(editor(TASKS), "actor") == [
        ".aj/template/leaf.yaml:2:29-35 actor",
        ".aj/template/low.yaml:4:8-14 actor",
        ".aj/template/sibling.yaml:2:30-36 actor",
    ]


def test_a_storage() -> None:
    there = editor(TASKS.replace("§", "").replace("data:", "da§ta:"))
    assert renamed(there, "scratch") == [".aj/template/leaf.yaml:3:12-16 scratch"]


MOVES = """
--- .aj/template/leaf.yaml
base: [common, sub]
--- .aj/template/common.yaml
--- .aj/template/sub.yaml
--- .aj/template/sub/deep.yaml
base: [local, template.common]
--- .aj/template/sub/local.yaml
"""


@pytest.mark.parametrize(
    ("old", "new", "edits"),
    [
        ("sub/deep.yaml", "deep.yaml", [".aj/template/sub/deep.yaml:0:7-12 template.sub.local"]),
        ("sub/local.yaml", "local.yaml", [".aj/template/sub/deep.yaml:0:7-12 template.local"]),
        (
            "common.yaml",
            "sub/common.yaml",
            [
                ".aj/template/leaf.yaml:0:7-13 template.sub.common",
                ".aj/template/sub/deep.yaml:0:14-29 template.sub.common",
            ],
        ),
        ("sub", "parts", []),
    ],
)
def test_files_moved_by_the_editor(old: str, new: str, edits: list[str]) -> None:
    files = [{"oldUri": f"file:///w/.aj/template/{old}", "newUri": f"file:///w/.aj/template/{new}"}]
    answer = editor(MOVES).ask("workspace/willRenameFiles", files=files)
    assert (edited(answer) if answer else []) == edits


@pytest.mark.parametrize("new", ["null", "true", "~", "1.5", "- x", "<<", "a b", "8x", "x\u2028y"])
def test_a_name_that_yaml_takes_for_something_else_is_put_in_quotes(new: str) -> None:
    there = editor(TASKS.replace("§", "").replace("data:", "da§ta:"), ACTIONS)
    (change,) = there.ask("textDocument/rename", newName=new)["documentChanges"]
    after = apply(there, {"edit": {"documentChanges": [change]}})[short(there.uri)]
    assert new in yaml.safe_load(after)["config"]["storage"]


@pytest.mark.parametrize("name", ["null", "true", "1"])
def test_a_base_is_still_named_where_yaml_takes_its_name_for_something_else(name: str) -> None:
    found = renamed(editor(NAMES), name)
    assert f'.aj/template/leaf.yaml:0:7-13 "{name}"' in found


def test_a_name_that_is_there_already_is_refused() -> None:
    there = editor(TASKS)
    with pytest.raises(RequestFailed, match="there is a `master` already"):
        there.ask("textDocument/rename", newName="master")
