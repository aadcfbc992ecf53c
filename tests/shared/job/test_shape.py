"""The shape of a job: flags over template over defaults, and what is refused."""

from __future__ import annotations

from typing import Any

import pytest

from tests.shared.job.asking import ask, check, told

HETEROGENEOUS = """
config:
  target: {service: volcano}
  environment: {image: i}
  jobs:
    - command: [run]
  _extra:
    volcano:
      tasks:
        worker: {replicas: 4, cpus_per_node: 8, memory: 64Gi, gpus_per_node: 8, rdma: true, processes_per_node: 8}
        master: {replicas: 1, cpus_per_node: 4, memory: 8Gi, gpus_per_node: 0, rdma: false, processes_per_node: 1}
        feeder: {replicas: 2, cpus_per_node: 4, memory: 8Gi, gpus_per_node: 2, rdma: false, processes_per_node: 2}
"""


def leaf(job: str = "", target: str = "", service: str = "local") -> str:
    return f"""
config:
  target: {{service: {service}{f", {target}" if target else ""}}}
  jobs:
    - {{command: [run]{f", {job}" if job else ""}}}
"""


FULL = leaf("instance_count: 2, process_count_per_node: 4", "gpus_per_node: 8")


@pytest.mark.parametrize(
    ("text", "flags", "shape"),
    [
        (FULL, {}, "2 8 8 4"),
        (FULL, {"nodes": 3}, "3 8 8 4"),
        (FULL, {"selector": 4}, "2 4 4 4"),
        (FULL, {"selector": 0}, "2 0 0 4"),
        (FULL, {"processes": 1}, "2 8 8 1"),
        (leaf(), {"nodes": 1, "selector": 2}, "1 2 2 1"),
        (leaf("process_count_per_node: 0"), {"nodes": 1, "selector": 2}, "1 2 2 1"),
        (leaf("sku: 'C{processes}'"), {"nodes": 1, "selector": 2}, "1 2 0 1"),
        (leaf("sku: D16sv3"), {"nodes": 1, "selector": 2}, "1 2 2 1"),
        (leaf("sku: {1: G1, '2+': 'C{processes}'}"), {"nodes": 2, "selector": 2}, "2 2 0 1"),
    ],
)
def test_flags_over_template_over_defaults(text: str, flags: dict[str, Any], shape: str) -> None:
    spec = ask(text, **flags).require()
    assert f"{spec.nodes} {spec.selector} {spec.gpus_per_node} {spec.processes_per_node}" == shape


@pytest.mark.parametrize(
    ("sku", "processes"),
    [("'{nodes}xG{processes}'", "6"), ("'{nodes}xC{processes}'", "8"), ("null", "6"), ("D16sv3", "6")],
)
def test_variables_of_the_shape(sku: str, processes: str) -> None:
    plan = ask(leaf(f"sku: {sku}"), nodes=2, selector=3, processes=4)
    env = plan.require().env
    assert env["AJ_NODES"] == "2"
    assert env["AJ_PROCESSES"] == processes
    assert env["AJ_GPUS_PER_NODE"] == ("0" if "C" in sku else "3")
    assert env["AJ_PROCESSES_PER_NODE"] == "4"
    assert "AJ_GPU_NODES" not in env
    assert "AJ_TOTAL_GPUS" not in env


def test_the_resolved_shape_is_the_only_shape() -> None:
    text = """
config:
  target: {service: volcano, gpus_per_node: 9, cpus_per_node: 5, memory: 1Gi}
  environment: {image: i}
  jobs: [{command: [run], sku: '{nodes}x40G{processes}-A100', instance_count: 2}]
"""
    spec = ask(text, selector=4).require()
    assert (spec.sku, spec.gpus_per_node, spec.env["AJ_GPUS_PER_NODE"]) == ("2x40G4-A100", 4, "4")
    shown = spec.model_dump_json(include={"sku", "gpus_per_node", "selector", "env", "backend_spec"})
    assert "9" not in shown.replace("1970", "")


def test_what_is_missing_names_flag_and_field_and_is_no_problem_of_the_file() -> None:
    plan = ask(leaf())
    assert [each.code for each in plan.problems] == ["shape.missing", "shape.missing"]
    messages = " ".join(each.message for each in plan.problems)
    for word in ("-n", "jobs[0].instance_count", "-p", "target.gpus_per_node"):
        assert word in messages
    assert plan.spec is None
    assert plan.digest is None
    assert check(leaf()) == []


def test_a_count_that_was_cleared_is_missed_where_it_was_cleared() -> None:
    files = {
        "template/leaf.yaml": "base: low\nconfig:\n  jobs: [{instance_count: null}]\n",
        "template/low.yaml": leaf("instance_count: 4", "gpus_per_node: 1"),
    }
    (found,) = ask(files).problems
    assert (found.code, found.span and found.span.written) == ("shape.missing", "null")
    assert "cleared" in found.message


@pytest.mark.parametrize(
    ("flags", "words"),
    [
        ({"nodes": 0}, "-n 0"),
        ({"nodes": -3}, "-n -3"),
        ({"selector": -1}, "-p -1"),
        ({"processes": 0}, "--ppn 0"),
    ],
)
def test_bad_numbers_of_flags(flags: dict[str, Any], words: str) -> None:
    plan = ask(FULL, **flags)
    (found,) = plan.problems
    assert (found.code, found.span) == ("shape.invalid", None)
    assert words in found.message
    assert plan.spec is None


@pytest.mark.parametrize(
    ("job", "flags", "expected"),
    [
        ("sku: 'G8 A100'", {"nodes": 1, "selector": 8}, ["sku.syntax 'G8 A100'"]),
        ("sku: '{gpus}xG8'", {"nodes": 1, "selector": 8}, ["sku.placeholder '{gpus}xG8'"]),
        ("sku: {'2-3': G8}", {"nodes": 1, "selector": 8}, ["sku.no-range {'2-3': G8}"]),
        ("sku: {one: G8}", {"nodes": 1, "selector": 8}, ["sku.no-range {one: G8}", "sku.syntax one"]),
        ("sku: {1: G8, '1-2': G8}", {"nodes": 1, "selector": 8}, ["sku.overlap '1-2'"]),
        ("sku: {1: G8, '3': G8}", {"nodes": 1, "selector": 8}, ["sku.gap '3'"]),
        ("sku: 2xG8", {"nodes": 4, "selector": 8}, ["sku.shape-mismatch 2xG8"]),
        ("sku: {1: G1, '2+': 2xG8}", {"nodes": 4, "selector": 8}, ["sku.shape-mismatch 2xG8"]),
        ("sku: G8", {"nodes": 4, "selector": 8}, []),
        ("sku: C8", {"nodes": 4, "selector": 2}, []),
    ],
)
def test_skus_are_checked_against_the_shape(job: str, flags: dict[str, Any], expected: list[str]) -> None:
    assert told(ask(leaf(job), **flags).problems) == expected


def test_overlaps_and_gaps_stop_nothing() -> None:
    plan = ask(leaf("sku: {1: G8, '1-2': G8, '5': G8}"), nodes=1, selector=8)
    assert [each.is_error for each in plan.problems] == [False, False]
    assert plan.require().sku == "G8"


def test_both_spellings_of_a_range_are_one_key() -> None:
    files = {
        "template/leaf.yaml": "base: low\nconfig:\n  jobs:\n    - sku: {1: S1, 2-7: S4}\n",
        "template/low.yaml": "config: {target: {service: local}, jobs: [{command: [x], sku: {'1': OLD, '8+': S8}}]}\n",
    }
    plan = ask(files, nodes=1, selector=1)
    assert plan.problems == ()
    assert plan.require().sku == "S1"


def test_a_shape_written_in_the_file_is_checked_with_the_file() -> None:
    assert told(check(leaf("sku: 2xG8, instance_count: 4"))) == ["sku.shape-mismatch 2xG8"]
    assert told(check(leaf("sku: {'2-3': G8}, instance_count: 4"))) == ["sku.no-range {'2-3': G8}"]
    assert told(check(leaf("sku: 2xG8"))) == []


@pytest.mark.parametrize("service", ["aml", "sing"])
def test_services_that_take_any_sku(service: str) -> None:
    target = "name: c" if service == "aml" else ""
    text = leaf("sku: any old words", target, service).replace("  jobs:", "  environment: {image: i}\n  jobs:")
    assert ask(text, nodes=1, selector=8).require().sku == "any old words"


@pytest.mark.parametrize(
    ("value", "codes"),
    [("'${PPN}'", ["sku.placeholder"]), ("$PPN", ["sku.placeholder"]), ("0", []), ("2", [])],
)
def test_variables_of_processes_per_node(value: str, codes: list[str]) -> None:
    text = leaf(f"process_count_per_node: {value}") + "  env_defaults: {PPN: 4}\n"
    plan = ask(text, nodes=1, selector=8)
    assert [each.code for each in plan.problems if each.is_error] == codes
    if codes:
        (found,) = (each for each in plan.problems if each.is_error)
        assert found.fixes[0].edits[0].new_text == "4"
    amlt = ask(text, nodes=1, selector=8, amlt=True)
    assert amlt.require().processes_per_node == {"'${PPN}'": 4, "$PPN": 4, "0": 1, "2": 2}[value]


def test_the_shape_that_tasks_add_up_to() -> None:
    spec = ask(HETEROGENEOUS).require()
    assert (spec.nodes, spec.selector, spec.gpus_per_node, spec.processes_per_node) == (7, None, 8, 8)
    assert spec.sku is None
    shape = {name: value for name, value in spec.env.items() if name[3:] in _SHAPE}
    assert shape == {
        "AJ_NODES": "7",
        "AJ_PROCESSES": "36",
        "AJ_GPUS_PER_NODE": "8",
        "AJ_PROCESSES_PER_NODE": "8",
        "AJ_GPU_NODES": "6",
        "AJ_TOTAL_GPUS": "36",
    }


_SHAPE = {"NODES", "PROCESSES", "GPUS_PER_NODE", "PROCESSES_PER_NODE", "GPU_NODES", "TOTAL_GPUS"}


@pytest.mark.parametrize(
    ("flags", "name"),
    [
        ({"nodes": 2}, "-n"),
        ({"selector": 2}, "-p"),
        ({"processes": 2}, "--ppn"),
        ({"amlt": True}, "--amlt"),
    ],
)
def test_tasks_refuse_what_would_shape_them_by_name(flags: dict[str, Any], name: str) -> None:
    plan = ask(HETEROGENEOUS, **flags)
    (found,) = (each for each in plan.problems if each.is_error)
    assert (found.code, found.span) == ("shape.refused", None)
    assert found.message.startswith(f"{name} is refused")
    assert plan.spec is None


def test_tasks_refuse_the_placeholders_of_a_sku() -> None:
    text = HETEROGENEOUS.replace("- command: [run]", "- {command: [run], sku: '{nodes}xG8'}")
    plan = ask(text)
    assert [each.code for each in plan.problems if each.is_error] == ["shape.refused"]
    fixed = ask(text.replace("{nodes}xG8", "7xG8"))
    assert fixed.require().sku is None


def test_tasks_that_are_wrong_are_not_asked_for_flags() -> None:
    plan = ask(HETEROGENEOUS.replace("replicas: 4, ", ""))
    codes = {each.code for each in plan.problems}
    assert not any(code.startswith("shape.") for code in codes)
    assert plan.spec is None
    assert codes
