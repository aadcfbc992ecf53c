"""The form of an answer: what is written around an item, for every client."""

from __future__ import annotations

from tests.lsp.accepting import accepted
from tests.lsp.completing.proposed import COMPLETION, accept, items, opened
from tests.lsp.fixture import BARE, CLIENTS, VSCODE, editor


def test_a_colon_is_added_but_not_twice() -> None:
    for capabilities in CLIENTS.values():
        wanted = "config:\n  target:\n    name: x\n"
        assert accept("config:\n  target:\n    na§: x\n", "name", capabilities) == wanted
        assert accept("config:\n  target:\n    na§me: x\n", "name", capabilities) == wanted
        assert accept("config:\n  target:\n    §: x\n", "name", capabilities) == wanted
        assert accept("config:\n  target:\n    na§\n", "name", capabilities) == "config:\n  target:\n    name: \n"
        assert accept("config: {target: {na§: x}}\n", "name", capabilities) == "config: {target: {name: x}}\n"


def test_what_stands_below_a_key_already_stays_below_it() -> None:
    for capabilities in (VSCODE, BARE):
        text = "config:\n  tar§\n    service: aml\n"
        assert accept(text, "target", capabilities) == "config:\n  target:\n    service: aml\n"
        text = "config:\n  jo§\n  - name: x\n"
        assert accept(text, "jobs", capabilities) == "config:\n  jobs:\n  - name: x\n"


def test_the_lines_below_are_indented_as_the_file_is() -> None:
    text = "config:\n    target:\n        service: aml\n    en§\n"
    assert accept(text, "environment") == "config:\n    target:\n        service: aml\n    environment:\n        \n"
    text = "config:\n    target: §\n"
    for capabilities in (VSCODE, BARE):
        assert (
            accept(text, "service", capabilities) == "config:\n    target: \n        service: \n" or "\n      " in text
        )


def test_keys_behind_a_colon_go_below_it() -> None:
    for capabilities in (VSCODE, BARE):
        wanted = "config:\n  target:\n    name: \n"
        assert accept("config:\n  target:§\n", "name", capabilities) == wanted
        wanted = "config:\n  target:\n    name: \n    queue: x\n"
        assert accept("config:\n  target:§\n    queue: x\n", "name", capabilities) == wanted
        wanted = "config:\n  jobs:\n    - sku: \n"
        assert accept("config:\n  jobs:§\n", "sku", capabilities) == wanted
        wanted = "config:\n  jobs:\n    - submit_args:\n        max_run_duration_seconds: \n"
        text = "config:\n  jobs:\n    - submit_args:§\n"
        assert accept(text, "max_run_duration_seconds", capabilities) == wanted


def test_lines_end_as_those_of_the_file() -> None:
    document = opened("config:\n  target:§\n", BARE)
    document.type(document.text().replace("\n", "\r\n"))
    item = next(each for each in document.ask(COMPLETION)["items"] if each["label"] == "name")
    assert accepted(document, item) == "config:\r\n  target:\r\n    name: \r\n"


def test_more_than_two_hundred_items_are_cut_by_what_is_typed() -> None:
    many = "".join(f"--- .aj/many/b{number:03d}.yaml\nconfig: {{}}\n" for number in range(400))
    answer = editor(f"--- .aj/template/leaf.yaml\nbase: §\n{many}").ask(COMPLETION)
    assert answer["isIncomplete"]
    assert len(answer["items"]) == 200
    answer = editor(f"--- .aj/template/leaf.yaml\nbase: many.b39§\n{many}").ask(COMPLETION)
    assert {f"many.b39{digit}" for digit in range(10)} <= {each["label"] for each in answer["items"]}


def test_kinds_that_a_client_does_not_know_are_left_out() -> None:
    assert "kind" not in items("base: §\n", BARE)["storage."]
    assert items("base: §\n", VSCODE)["storage."]["kind"] == 19


def test_every_position_encoding() -> None:
    for encoding in ("utf-8", "utf-16", "utf-32"):
        capabilities = {**BARE, "general": {"positionEncodings": [encoding]}}
        text = 'config:\n  description: "😀é"\n  target: {queue: "😀", na§}\n'
        wanted = 'config:\n  description: "😀é"\n  target: {queue: "😀", name: }\n'
        assert accept(text, "name", capabilities) == wanted


def test_a_buffer_without_a_file() -> None:
    document = opened("config: {}\n")
    document.uri = "untitled:Untitled-1"
    document.session.open(document.uri, "", 1, "aj-template")
    document.cursors = [{"line": 0, "character": 0}]
    labels = {each["label"] for each in document.ask(COMPLETION)["items"]}
    assert {"base", "config", "New job template (snippet)"} <= labels
    document.type("base: ")
    document.cursors = [{"line": 0, "character": 6}]
    names = {each["label"] for each in document.ask(COMPLETION)["items"]}
    assert "storage.data" in names
    assert all("." in each for each in names), "nothing stands beside it"


def test_a_base_file_alone_is_completed_like_a_leaf() -> None:
    found = editor(
        "--- .azure_jobs/storage/default.yaml\nconfig:\n  storage:\n    data:\n      container_§\n"
        "--- .azure_jobs/template/leaf.yaml\nbase: storage.default\nconfig: {}\n"
    ).ask(COMPLETION)
    assert "container_name" in {each["label"] for each in found["items"]}


def test_an_accepted_item_of_a_list_leaves_a_list() -> None:
    text = "base:\n  - common\n  §\nconfig: {}\n"
    assert accept(text, "gpu") == "base:\n  - common\n  - gpu\nconfig: {}\n"


def test_empty_and_ill_typed_items_do_no_harm() -> None:
    found = items("base:\n  - common\n  - §\n  - 3\nconfig: {}\n")
    assert "gpu" in found
