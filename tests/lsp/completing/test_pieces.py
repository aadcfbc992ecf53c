"""Whole pieces and variables: snippets where the client takes them, names after a dollar."""

from __future__ import annotations

import pytest

from tests.lsp.accepting import accepted
from tests.lsp.completing.proposed import COMPLETION, accept, items, opened
from tests.lsp.fixture import BARE, CLIENTS, EMACS, NEOVIM, VSCODE


def test_an_empty_file_may_begin_with_a_whole_template() -> None:
    for text in ("§", "# words\n§\n", "n§"):
        for capabilities in CLIENTS.values():
            found = items(text, capabilities)
            assert {"base", "config", "New job template (snippet)", "New component (snippet)"} == found.keys()
    assert "New job template (snippet)" not in items("base: common\n§\n")


def test_snippets_have_stops_only_where_the_client_takes_them() -> None:
    for capabilities in (BARE, EMACS):
        for item in items("§", capabilities).values():
            assert "$" not in item["textEdit"]["newText"]
            assert "insertTextFormat" not in item
    for capabilities in (NEOVIM, VSCODE):
        item = items("§", capabilities)["New job template (snippet)"]
        assert item["insertTextFormat"] == 2
        assert "${3|local,aml,ray,sing,slurm,volcano|}" in item["textEdit"]["newText"]


def test_a_new_job_template_is_a_whole_leaf() -> None:
    for capabilities in (BARE, VSCODE):
        document = opened("§", capabilities)
        item = next(each for each in document.ask(COMPLETION)["items"] if each["label"].startswith("New job"))
        document.type(accepted(document, item))
        view = document.session.view(document.uri)
        assert view is not None
        assert [str(each.message) for each in view.problems if each.code != "schema.no-effect"] == []
        assert view.examined.service is not None


@pytest.mark.parametrize(
    "text",
    [
        "base: common\nconfig:\n  target: {service: volcano}\n  §\n",
        "base: common\nconfig:\n  target: {service: volcano}\n  _extra:\n    §\n",
        "base: common\nconfig:\n  target: {service: volcano}\n  _extra:\n    volcano:\n      §\n",
    ],
)
def test_heterogeneous_tasks_are_written_where_they_belong(text: str) -> None:
    for capabilities in (BARE, VSCODE, NEOVIM):
        document = opened(text, capabilities)
        found = {each["label"]: each for each in document.ask(COMPLETION)["items"]}
        document.type(accepted(document, found["Heterogeneous tasks (snippet)"]))
        view = document.session.view(document.uri)
        assert view is not None
        tasks = view.resolved.config["_extra"]["volcano"]["tasks"]  # type: ignore[index,call-overload]
        assert list(tasks) == ["master", "learner"]  # type: ignore[arg-type]
        assert [each.code for each in view.problems if each.is_error and "command" not in each.code] == []


def test_tasks_are_not_proposed_twice_nor_elsewhere() -> None:
    label = "Heterogeneous tasks (snippet)"
    assert label not in items("config:\n  _extra:\n    volcano:\n      tasks: {}\n      §\n")
    assert label not in items("config:\n  target: {service: slurm}\n  §\n")
    assert label not in items("config:\n  _extra:\n    slurm:\n      §\n")


@pytest.mark.parametrize(
    ("before", "after"),
    [
        ("config:\n  jobs:\n    - command:\n        - echo $§\n", "echo $AJ_NODES\n"),
        ("config:\n  jobs:\n    - command:\n        - echo $AJ_N§ODES x\n", "echo $AJ_NODES x\n"),
        ("config:\n  jobs:\n    - command: echo ${AJ_§\n", "echo ${AJ_NODES}\n"),
        ("config:\n  jobs:\n    - command: |\n        echo ${A§}/x\n", "echo ${AJ_NODES}/x\n"),
        ("config:\n  jobs:\n    - command: [echo $§]\n", "[echo $AJ_NODES]\n"),
        ('config:\n  jobs:\n    - command: ["echo $AJ§"]\n', '["echo $AJ_NODES"]\n'),
        ('config:\n  environment:\n    setup:\n      - "echo $§"\n', '"echo $AJ_NODES"\n'),
        ("config:\n  jobs:\n    - command:\n        - torchrun\n          --nnodes $§\n", "--nnodes $AJ_NODES\n"),
    ],
)
def test_variables_in_shell_texts(before: str, after: str) -> None:
    for capabilities in (VSCODE, BARE):
        assert accept(before, "AJ_NODES", capabilities).endswith(after)
    item = items(before)["AJ_NODES"]
    assert "number of nodes" in str(item["documentation"]).lower()


def test_variables_of_the_template_come_first_and_nothing_else_does_where_no_shell_reads() -> None:
    text = "config:\n  jobs:\n    - submit_args: {env: {MINE: x}}\n      command:\n        - echo $§\n"
    found = list(items(text))
    assert found[0] == "MINE"
    assert {"AJ_NODE_RANK", "MASTER_ADDR"} <= set(found)
    assert "AJ_NODES" not in items("config:\n  target:\n    queue: $§\n")
