"""What people are shown: masked texts, previews with holes, YAML."""

from __future__ import annotations

import json

import yaml

from ajkit.shared.job.render import masked_bytes, rendering
from ajkit.shared.job.spec import spec_bytes
from tests.shared.job.asking import ask

SECRET = """
config:
  target: {service: local}
  jobs:
    - command: ["curl -H 'Authorization: Bearer abcdef0123456789abcdef'", echo $HF_TOKEN]
      sku: '{nodes}xG{processes}'
      submit_args: {env: {WANDB_API_KEY: abc123secret, LR: "0.1", REF: {from_env: X}}}
"""


def test_a_dry_run_is_masked_and_its_digest_is_not() -> None:
    plan = ask(SECRET, nodes=1, selector=1)
    shown = rendering(plan)
    assert shown is not None
    assert "abc123secret" not in shown
    assert "abcdef0123456789abcdef" not in shown
    assert masked_bytes(plan.require()).decode() == shown
    assert "abc123secret" in (rendering(plan, reveal=True) or "")
    assert rendering(plan, reveal=True) == spec_bytes(plan.require()).decode()
    assert '"LR": "0.1"' in shown
    assert '"from_env": "X"' in shown
    assert "$HF_TOKEN" in shown


def test_without_secrets_the_masked_text_is_the_bytes() -> None:
    plan = ask("config: {target: {service: local}, jobs: [{command: [x]}]}", nodes=1, selector=1)
    assert rendering(plan) == spec_bytes(plan.require()).decode()


def test_a_preview_without_a_shape_shows_holes_and_has_no_digest() -> None:
    plan = ask(SECRET)
    shown = json.loads(rendering(plan) or "null")
    assert (shown["nodes"], shown["selector"], shown["gpus_per_node"]) == ("‹-n›", "‹-p›", "‹-p›")
    assert shown["sku"] == "‹-n›xG‹-p›"
    assert shown["env"]["AJ_PROCESSES"] == "‹-n›×‹-p›"
    assert shown["env"]["WANDB_API_KEY"] == "***"
    assert plan.digest is None
    assert [each.code for each in plan.problems if each.is_error] == ["shape.missing", "shape.missing"]


def test_a_preview_with_half_a_shape() -> None:
    shown = json.loads(rendering(ask(SECRET, nodes=2)) or "null")
    assert (shown["nodes"], shown["sku"], shown["env"]["AJ_PROCESSES"]) == (2, "2xG‹-p›", "2×‹-p›")
    ranges = SECRET.replace("'{nodes}xG{processes}'", "{1: 'C{processes}', '2+': C8}")
    shown = json.loads(rendering(ask(ranges, selector=2)) or "null")
    assert (shown["sku"], shown["gpus_per_node"]) == ("‹sku for -n›", 0)


def test_a_preview_of_what_cannot_be_built_is_still_shown() -> None:
    plan = ask(SECRET, nodes=1, selector=1, name="???")
    shown = json.loads(rendering(plan) or "null")
    assert shown["name"] == "‹name›"
    assert shown["env"]["AJ_NAME"] == "‹name›"


def test_nothing_to_show_without_a_service() -> None:
    assert rendering(ask("config: {target: {service: nobody}}")) is None


def test_yaml_is_the_same_values() -> None:
    plan = ask(SECRET, nodes=1, selector=1)
    text = rendering(plan, form="yaml") or ""
    assert yaml.safe_load(text) == json.loads(rendering(plan) or "null")
    assert "command: |-\n  curl" in text
