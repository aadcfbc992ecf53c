"""Values: from the field itself, other templates, the bases and services; each line stays as it is."""

from __future__ import annotations

from typing import Any

import pytest

from ajkit.lsp.completing.live import Offer
from tests.lsp.completing.proposed import COMPLETION, accept, items, opened


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
        done([Offer("gpu-a100"), Offer("gpu-h100", "2 idle")])

    document.session.completing.live.ask = ask
    document.ask(COMPLETION)
    found = {each["label"]: each for each in document.ask(COMPLETION)["items"]}
    assert asked == [("slurm", "queues")]
    assert found["gpu-a100"]["detail"] == "offered by slurm now"
    assert found["gpu-h100"]["detail"] == "offered by slurm now: 2 idle"
