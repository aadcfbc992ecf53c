"""Completion: what is proposed where, what is said of it, and in which form each client gets it."""

from __future__ import annotations

from typing import TYPE_CHECKING, Any

import pytest

from tests.lsp.accepting import accepted
from tests.lsp.fixture import BARE, CLIENTS, EMACS, NEOVIM, VSCODE, editor

if TYPE_CHECKING:
    from tests.lsp.fixture import Editor

COMPLETION = "textDocument/completion"

HOME = """
--- .aj/template/common.yaml
config:
  target: {queue: big}
  environment:
    image: nvcr.io/pytorch:24.07
    setup: [pip install torch]
--- .aj/template/gpu.yaml
config: {}
--- .aj/template/above.yaml
base: leaf
config: {}
--- .aj/storage/data.yaml
# Where the data sets are.
base: accounts
config:
  storage:
    data: {storage_account_name: acc, container_name: sets, mount_dir: /mnt/data}
--- .aj/storage/accounts.yaml
config: {}
--- .aj/storage/deep/er.yaml
config:
  jobs:
    - sku: 4xG8
      tags: [team:a]
      submit_args: {env: {NCCL_DEBUG: INFO, HF_TOKEN: hf_0123456789abcdefghijABCDEFGHIJ}}
"""


def opened(text: str, capabilities: dict[str, Any] | None = None, *, graph: bool = True) -> Editor:
    """A leaf with a cursor beside the other files of the home."""
    return editor("--- .aj/template/leaf.yaml\n" + text.removesuffix("\n") + HOME, capabilities, graph=graph)


def items(text: str, capabilities: dict[str, Any] | None = None) -> dict[str, dict[str, Any]]:
    """The items at the cursor by label, in their order."""
    answer = opened(text, capabilities).ask(COMPLETION)
    ordered = sorted(answer["items"], key=lambda each: each["sortText"])
    assert len({each["label"] for each in ordered}) == len(ordered), "each label once"
    return {each["label"]: each for each in ordered}


def accept(text: str, label: str, capabilities: dict[str, Any] | None = None) -> str:
    """The document after an item was accepted."""
    open_document = opened(text, capabilities)
    found = [each for each in open_document.ask(COMPLETION)["items"] if each["label"] == label]
    assert found, f"{label} is not proposed"
    return accepted(open_document, found[0])


# -- keys ------------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "wanted", "unwanted"),
    [
        ("config:\n  §\n", ["target", "jobs", "_extra", "search"], ["base", "raw", "service"]),
        ("config:\n  target:\n    nam§\n    service: aml\n", ["name", "namespace"], ["service", "image"]),
        ("config:\n  target:\n    service: aml\n    §\n", ["name", "vc"], ["service"]),
        ("config:\n  target:\n    §\n    service: aml\n", ["name"], ["service"]),
        ("config:\n  target: {na§, service: aml}\n", ["name"], ["service"]),
        ("config:\n  target: {service: aml, §}\n", ["name"], ["service"]),
        ("config:\n  target: {\n    service: aml,\n    §\n  }\n", ["name"], ["service"]),
        ("config:\n  target: §\n", ["service"], ["target"]),
        ("config:\n  jobs:\n    - §\n", ["name", "command", "mpi"], ["target"]),
        ("config:\n  jobs:\n    - name: x\n      §\n", ["command"], ["name", "target"]),
        ("config:\n  jobs:\n    - name: x\n    §\n", ["name", "command"], ["target"]),
        ("config:\n  jobs:\n    - name: x\n  §\n", ["target"], ["name", "jobs"]),
        ("config:\n  jobs:\n    §\n", ["name", "command"], ["target"]),
        ("config:\n  jobs: §\n", ["name", "command"], ["target"]),
        ("config:\n  jobs:\n    - submit_args:\n        §\n", ["env", "container_args"], ["name"]),
        ("config:\n  jobs:\n    - submit_args: {env: {}, §}\n", ["container_args"], ["env"]),
        ("config:\n  storage:\n    any:\n      container_§\n", ["container_name"], ["data"]),
        ("config:\n  _extra:\n    §\n", ["slurm", "volcano", "ray"], ["local"]),
        ("config:\n  _extra:\n    slurm:\n      acc§\n", ["account", "qos"], ["address"]),
        ("config:\n  _extra:\n    volcano:\n      tasks:\n        master:\n          §\n", ["replicas"], ["tasks"]),
        ("config:\n  search:\n    job_template:\n      §\n", ["command", "sku"], ["max_trials"]),
        ("config:\n  jobs:\n    - sku:\n        §\n", ["1", "2+"], ["name"]),
        ('config:\n  target:\n    "na§"\n', ["name"], []),
        ("con§\n", ["config", "base"], []),
        ("base: common\n§\n", ["config"], ["base"]),
        ("base: common\n\n# words\n§", ["config"], ["base"]),
    ],
)
def test_keys_by_schema_where_they_belong(text: str, wanted: list[str], unwanted: list[str]) -> None:
    for capabilities in CLIENTS.values():
        found = items(text, capabilities)
        assert [each for each in wanted if each not in found] == []
        assert [each for each in unwanted if each in found] == []


def test_the_indentation_of_an_empty_line_decides_which_mapping_is_meant() -> None:
    lines = "config:\n  jobs:\n    - submit_args:\n        env: {}\n"
    assert "storage" in items(f"{lines}  §\n")
    assert "command" in items(f"{lines}      §\n")
    assert "container_args" in items(f"{lines}        §\n")
    assert accept(f"{lines}    §\n", "sku") == f"{lines}    - sku: \n"


def test_an_empty_line_inside_a_block_belongs_to_it_wherever_the_cursor_is() -> None:
    for blanks in ("", "  ", "    ", "        "):
        text = f"config:\n  target:\n    name: x\n{blanks}§\n    queue: y\n"
        wanted = "config:\n  target:\n    name: x\n    rdma: \n    queue: y\n"
        assert accept(text, "rdma") == wanted
        assert accept(text, "rdma", BARE) == wanted


def test_nothing_where_nothing_can_be_written() -> None:
    for text in (
        "config:\n  target:\n    name: x # com§\n",
        "config:\n  jobs:\n    - command: |\n        python §\n",
        "config:\n  jobs:\n    - command:\n        - python a.py\n          --lr §\n",
        "config: {target: {service: aml} §}\n",
        "§---\nconfig: {}\n",
        "config:\n  description: words§\n",
        "config:\n §  target: {}\n",
        "x-mine:\n  §\n",
        "base:\n  deeper:\n    §\n",
        "config:\n  target:\n    name: [a] §\n",
    ):
        assert items(text) == {}, text


def test_a_document_that_is_none_of_ours_gets_no_answer() -> None:
    assert editor("--- values.yaml\nconfig:\n  §\n").ask(COMPLETION) is None


def test_a_key_comes_with_its_documentation_and_the_value_that_it_inherits() -> None:
    text = "base: common\nconfig:\n  target:\n    qu§\n"
    item = items(text)["queue"]
    assert item["detail"] == "text"
    assert item["labelDetails"] == {"description": "inherits big"}
    assert item["documentation"]["kind"] == "markdown"
    words = item["documentation"]["value"]
    assert "`default` when it is not set" in words
    assert "Inherited: `big` — [common.yaml:2](file:///w/.aj/template/common.yaml#L2) via common" in words
    plain = items(text, EMACS)["queue"]
    assert plain["detail"] == "text, inherits big"
    assert "labelDetails" not in plain
    assert "Inherited: big — common.yaml:2 via common" in plain["documentation"]
    assert "`" not in plain["documentation"]


def test_the_value_of_the_bases_counts_even_while_the_line_being_typed_hides_it() -> None:
    assert items("base: common\nconfig:\n  target: §\n")["queue"]["labelDetails"] == {"description": "inherits big"}


def test_a_list_that_is_inherited_teaches_how_to_replace_it() -> None:
    words = items("base: common\nconfig:\n  environment:\n    §\n")["setup"]["documentation"]["value"]
    assert "base: [common, no-setup]" in words
    assert "`environment.setup` to null" in words
    other = items("config:\n  environment:\n    §\n")["setup"]["documentation"]["value"]
    assert "no-setup" not in other


def test_secrets_stay_masked() -> None:
    text = "base: storage.deep.er\nconfig:\n  jobs:\n    - submit_args:\n        env:\n          §\n"
    item = items(text)["HF_TOKEN"]
    assert "hf_0123" not in str(item)
    assert item["labelDetails"] == {"description": 'inherits "***"'}
    text = "base: storage.deep.er\nconfig:\n  jobs:\n    - submit_args:\n        env:\n          HF_TOKEN: §\n"
    assert "hf_0123" not in str(items(text))


def test_keys_that_the_service_reads_come_first() -> None:
    found = list(items("config:\n  target:\n    service: volcano\n    §\n"))
    assert found.index("namespace") < found.index("workspace_name") < found.index("cluster")
    found = list(items("config:\n  target:\n    service: aml\n    §\n"))
    assert found[0] == "name"
    assert found.index("workspace_name") < found.index("namespace")


def test_names_that_bases_and_other_templates_use() -> None:
    found = items("base: storage.data\nconfig:\n  storage:\n    §\n")
    assert found["data"]["labelDetails"]["description"].startswith("inherits {storage_account_name")
    found = items("config:\n  storage:\n    §\n")
    assert found["data"]["detail"] == "in 1 other template"
    assert "NCCL_DEBUG" in items("config:\n  jobs:\n    - submit_args:\n        env:\n          §\n")


# -- values ----------------------------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("text", "wanted"),
    [
        ("config:\n  target:\n    service: §\n", ["aml", "local", "ray", "sing", "slurm", "volcano"]),
        ("config:\n  target:\n    service:§\n", ["local"]),
        ("config:\n  target:\n    service: vol§\n", ["volcano"]),
        ("config: {target: {service: §}}\n", ["slurm"]),
        ("config:\n  target:\n    rdma: §\n", ["true", "false"]),
        ("config:\n  target:\n    rdma: tr§ # yes\n", ["true"]),
        ("config:\n  target:\n    queue: §\n", ["big", "default"]),
        ("config:\n  target:\n    queue:\n      §\n", ["big"]),
        ('config:\n  target:\n    queue: "b§"\n', ["big"]),
        ("config:\n  environment:\n    image: §\n", ["nvcr.io/pytorch:24.07"]),
        ("config:\n  jobs:\n    - sla_tier: §\n", ["Basic", "Standard", "Premium"]),
        ("config:\n  jobs:\n    - sku: §\n", ["{nodes}xG{processes}", "4xG8"]),
        ("config:\n  jobs:\n    - sku:\n        2+: §\n", ["{nodes}xG{processes}", "4xG8"]),
        ("config:\n  jobs:\n    - tags:\n        - §\n", ["team:a"]),
        ("config:\n  jobs:\n    - tags: [§]\n", ["team:a"]),
        ("config:\n  jobs:\n    - tags:\n        §\n", ["team:a"]),
        ("config:\n  jobs:\n    - mpi: §\n", ["true", "false"]),
        ("config:\n  jobs:\n    - submit_args: {env: {TOKEN: §}}\n", ["{from_env: NAME}", "{from_file: PATH}"]),
        ("config:\n  storage:\n    mine:\n      storage_account_name: §\n", ["acc"]),
    ],
)
def test_values(text: str, wanted: list[str]) -> None:
    found = items(text)
    assert [each for each in wanted if each not in found] == []


def test_a_value_says_where_it_is_from() -> None:
    found = items("base: common\nconfig:\n  target:\n    queue: §\n")
    assert found["big"]["detail"] == "inherited from .aj/template/common.yaml:2"
    assert found["default"]["detail"] == "what counts when it is not set"
    assert found["null"]["detail"] == "clears the inherited value"
    assert list(found)[-1] == "null"
    assert "null" not in items("config:\n  target:\n    queue: §\n")
    assert items("config:\n  target:\n    queue: §\n")["big"]["detail"] == "in 1 other template"
    assert items("config:\n  target:\n    service: §\n")["local"]["detail"].startswith("Runs on this machine")


def test_an_inherited_list_or_mapping_can_be_cleared() -> None:
    assert "null" in items("base: common\nconfig:\n  environment:\n    setup: §\n")
    assert "null" not in items("config:\n  environment:\n    setup: §\n")


def test_accepting_a_value_keeps_its_line_as_it_is() -> None:
    queue = "config:\n  target:\n    queue: {}# words\n"
    assert accept(queue.format("§"), "big") == queue.format("big ")
    assert accept("config:\n  target:\n    queue:§\n", "big") == "config:\n  target:\n    queue: big\n"
    assert (
        accept('config:\n  target:\n    queue: "b§ig one" # w\n', "big") == "config:\n  target:\n    queue: big # w\n"
    )
    assert accept("config: {target: {queue:§}}\n", "big") == "config: {target: {queue: big}}\n"
    shape = "{nodes}xG{processes}"
    assert accept("config:\n  jobs:\n    - sku: §\n", shape) == f'config:\n  jobs:\n    - sku: "{shape}"\n'


def test_a_value_in_other_files_is_proposed_while_they_are_open_and_edited() -> None:
    document = opened("config:\n  target:\n    queue: §\n")
    assert "big" in {each["label"] for each in document.ask(COMPLETION)["items"]}
    uri = "file:///w/.aj/template/common.yaml"
    document.session.open(uri, "config: {target: {queue: small}}\n", 1, "yaml")
    labels = {each["label"] for each in document.ask(COMPLETION)["items"]}
    assert "small" in labels
    assert "big" not in labels


def test_values_in_use_are_collected_off_the_request_path() -> None:
    document = opened("config:\n  target:\n    queue: §\n")
    waiting: list[Any] = []
    document.session.completing.work = waiting.append
    assert "big" not in {each["label"] for each in document.ask(COMPLETION)["items"]}
    assert next(waiting[0]) is None
    assert document.ask(COMPLETION)["isIncomplete"], "it will know more when asked again"
    assert list(waiting[0])
    answer = document.ask(COMPLETION)
    assert "big" in {each["label"] for each in answer["items"]}
    assert not answer["isIncomplete"]
    assert len(waiting) == 1


def test_live_values_are_proposed_once_they_are_known() -> None:
    document = opened("config:\n  target:\n    service: slurm\n    queue: §\n")
    asked: list[tuple[str, str]] = []

    def ask(service: str, kind: str, done: Any) -> None:
        asked.append((service, kind))
        done(["gpu-a100", "gpu-h100"])

    document.session.completing.live.ask = ask
    document.ask(COMPLETION)
    found = {each["label"]: each for each in document.ask(COMPLETION)["items"]}
    assert asked == [("slurm", "queues")]
    assert found["gpu-a100"]["detail"] == "offered by slurm now"


# -- base names ------------------------------------------------------------------------------------------------------


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


# -- snippets and variables ------------------------------------------------------------------------------------------


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


# -- the form of the answer ------------------------------------------------------------------------------------------


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
    assert document.ask(COMPLETION)["items"] == []


# -- what went wrong elsewhere ---------------------------------------------------------------------------------------


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
