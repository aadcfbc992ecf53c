"""The fix for variables of amlt in a SKU, applied: the text before in, the text after out."""

from __future__ import annotations

import pytest

from ajkit.shared.template.model import typed
from tests.shared.job.asking import LEAF, ask, resolved


def fixed(text: str) -> str:
    """The leaf after the fix of its one `sku.placeholder`."""
    plan = ask(text)
    (problem,) = (each for each in plan.problems if each.code == "sku.placeholder")
    (fix,) = problem.fixes
    for edit in sorted(fix.edits, key=lambda each: each.span.start, reverse=True):
        assert edit.span.path == LEAF
        text = text[: edit.span.start] + edit.new_text + text[edit.span.end :]
    return text


BLOCK = """
config:
  target:
    service: local
  env_defaults: {NODES: 2, GPUS: "8"}
  jobs:
    - sku: ${NODES}x40G${GPUS}-A100
      command: [x]
"""


def test_numbers_move_to_the_shape() -> None:
    assert (
        fixed(BLOCK)
        == """
config:
  target:
    gpus_per_node: 8
    service: local
  env_defaults: {NODES: 2, GPUS: "8"}
  jobs:
    - instance_count: 2
      sku: "{nodes}x40G{processes}-A100"
      command: [x]
"""
    )
    assert ask(fixed(BLOCK)).require().sku == "2x40G8-A100"


@pytest.mark.parametrize(
    ("default", "before", "after"),
    [
        ("4", "{sku: '${N}xG1'}", '{instance_count: 4, sku: "{nodes}xG1"}'),
        ("x", "{sku: '${N}xG1'}", '{sku: "{nodes}xG1"}'),
        ("4", "{sku: '${N}xG1', instance_count: 7}", '{sku: "{nodes}xG1", instance_count: 7}'),
        ("4", "{sku: {1: '${N}xG1'}}", '{instance_count: 4, sku: {1: "{nodes}xG1"}}'),
    ],
)
def test_what_is_there_already_stays(default: str, before: str, after: str) -> None:
    text = f"config: {{target: {{service: local}}, env_defaults: {{N: {default}}}, jobs: [%s]}}\n"
    assert fixed(text % before) == text % after
    typed(resolved(text % after).config)


@pytest.mark.parametrize("sku", ["${MEMORY}G8", "${A}${B}", "G8-${KIND}", "${N}xG8-${KIND}"])
def test_other_variables_have_no_fix(sku: str) -> None:
    plan = ask(f"config: {{target: {{service: local}}, jobs: [{{sku: '{sku}'}}]}}\n")
    (problem,) = (each for each in plan.problems if each.code == "sku.placeholder")
    assert problem.fixes == ()
