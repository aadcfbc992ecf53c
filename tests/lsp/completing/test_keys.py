"""Keys: where they belong, what is said of them, which come first."""

from __future__ import annotations

import pytest

from tests.lsp.completing.proposed import COMPLETION, accept, items
from tests.lsp.fixture import BARE, CLIENTS, EMACS, editor


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
