"""The typed Template: what fits, what each wrong value is told, and keys that nothing reads."""

from __future__ import annotations

import json
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from ajkit.shared.template.model import check_types, typed
from ajkit.shared.where import format_keypath
from tests.amlt_dialect import amlt_config, every_key
from tests.planted import UNKNOWN, WRONG

if TYPE_CHECKING:
    from ajkit.shared.where import Json, KeyPath


def found(text: str, added: tuple[KeyPath, ...] = ()) -> list[str]:
    """What is wrong with a config drawn as YAML, as ``path code: message``."""
    _, findings = check_types(yaml.safe_load(text) or {}, added)
    return [f"{format_keypath(each.path)} {each.code}: {each.message}" for each in findings]


def test_an_empty_config_has_the_defaults() -> None:
    template = typed({})
    assert template.target.queue == "default"
    assert template.target.labels == {}
    assert template.environment.setup == []
    assert (template.code.local_dir, template.code.ignore) == (".", [])
    assert template.job.command == []
    assert template.job.process_count_per_node == 0
    assert template.job.submit_args.env == {}
    assert (template.storage, template.extra, template.description) == ({}, {}, None)


def test_null_is_not_set_everywhere() -> None:
    config = yaml.safe_load(
        """
        target: {service: null, queue: null, gpus_per_node: null, labels: {a: null, b: x}}
        environment: null
        code: {local_dir: null, ignore: null}
        jobs:
          - {command: null, sku: {"1": G1, "2+": null}, sla_tier: null, process_count_per_node: null,
             submit_args: {
               env: {A: null, B: x, C: {from_env: null, from_file: /run/c}}, container_args: {shm_size: null}}}
          - null
        storage: {gone: null, kept: {mount_dir: null}}
        _extra: null
        """
    )
    template = typed(config)
    assert template.target.queue == "default"
    assert template.target.labels == {"b": "x"}
    assert template.code.local_dir == "."
    assert template.environment.setup == []
    job = template.job
    assert (job.command, job.sku, job.process_count_per_node) == ([], {"1": "G1"}, 0)
    assert job.submit_args.env == {"B": "x", "C": {"from_file": "/run/c"}}
    assert job.submit_args.container_args == {}
    assert template.jobs[1] == typed({"jobs": [{}]}).job
    assert list(template.storage) == ["kept"]
    assert template.extra == {}
    assert template.raw == config
    assert typed({"jobs": None}).jobs == []


def test_one_text_is_a_list_of_one() -> None:
    template = typed({"environment": {"setup": "a"}, "code": {"ignore": "b"}, "jobs": [{"command": "c", "tags": "d"}]})
    assert (template.environment.setup, template.code.ignore) == (["a"], ["b"])
    assert (template.job.command, template.job.tags) == (["c"], ["d"])


@pytest.mark.parametrize("written", ["premium", "Premium", "PREMIUM"])
def test_enumerations_in_any_case_have_one_spelling(written: str) -> None:
    assert typed({"jobs": [{"sla_tier": written}]}).job.sla_tier == "Premium"


def test_an_amlt_variable_may_stand_for_a_choice_or_a_number() -> None:
    job = typed({"jobs": [{"sla_tier": "${TIER}", "priority": "$PRIORITY", "process_count_per_node": "${N}"}]}).job
    assert (job.sla_tier, job.priority, job.process_count_per_node) == ("${TIER}", "$PRIORITY", "${N}")


def test_environment_values_keep_their_types() -> None:
    env: dict[str, Json] = {"A": "x", "B": 1, "C": 0.5, "D": True, "E": {"from_env": "E"}}
    assert typed({"jobs": [{"submit_args": {"env": env}}]}).job.submit_args.env == env


@pytest.mark.parametrize(("text", "message"), WRONG, ids=[text for text, _ in WRONG])
def test_one_finding_for_each_wrong_value(text: str, message: str) -> None:
    path = message.split("`")[1]
    assert found(text) == [f"{path} schema.type: {message}"]
    assert check_types(yaml.safe_load(text))[0] is None


def test_every_wrong_value_is_found_beside_unknown_keys() -> None:
    text = "target: {service: 5, rdma: 6}\njobs: [{comand: x}, {sku: 7}]\nenviroment: {}\n"
    assert [each.partition(":")[0] for each in found(text)] == [
        "target.service schema.type",
        "target.rdma schema.type",
        "jobs[1].sku schema.type",
        "enviroment schema.unknown-key",
        "jobs[0].comand schema.unknown-key",
    ]


def test_no_message_speaks_of_the_validator() -> None:
    for text, _ in WRONG:
        for each in found(text):
            assert not any(
                word in each.lower() for word in ("input", "valid ", "dict", "str ", "instance of", "pydantic")
            )


def test_a_secret_is_not_repeated_in_a_message() -> None:
    token = "hf_" + "abcDEF1234" * 3
    (message,) = found(f"target: {{rdma: {token}}}")
    assert token not in message
    assert "***" in message


@pytest.mark.parametrize(
    ("text", "suggest", "wants_text"),
    [
        ("target: {rdma: 'on'}", "true", False),
        ("jobs: [{instance_count: '16'}]", "16", False),
        ("jobs: [{priority: hihg}]", "High", False),
        ("target: {name: 1.10}", None, True),
        ("target: {cpus_per_node: true}", None, False),
    ],
)
def test_what_was_probably_meant_is_suggested(text: str, suggest: str | None, *, wants_text: bool) -> None:
    _, (finding,) = check_types(yaml.safe_load(text))
    assert (finding.suggest, finding.wants_text) == (suggest, wants_text)


@pytest.mark.parametrize(("text", "path", "message"), UNKNOWN, ids=[text for text, *_ in UNKNOWN])
def test_unknown_keys_are_warned_of_and_leave_a_template(text: str, path: str, message: str) -> None:
    template, (finding,) = check_types(yaml.safe_load(text))
    assert template is not None
    assert (format_keypath(finding.path), finding.code, finding.on_key) == (path, "schema.unknown-key", True)
    assert finding.message.endswith(message)


def test_free_mappings_have_no_unknown_keys() -> None:
    text = (
        "target: {labels: {any: x}}\njobs: [{submit_args: {env: {any: x}, container_args: {any: x}}}]\n_extra: {any: 1}"
    )
    assert found(text) == []


def test_keys_that_a_service_adds_are_known() -> None:
    text = "target: {partition: x, slice: {size: 1}}\njobs: [{account: y}, {account: y}]"
    added = (("target", "partition"), ("target", "slice", "size"), ("jobs", 0, "account"))
    assert found(text, added) == []
    assert len(found(text)) == 3
    (typo,) = found("target: {partion: x}", added)
    assert typo.endswith("did you mean `partition`?")


def test_every_key_of_the_amlt_dialect_is_known() -> None:
    assert check_types(every_key())[1] == []


@pytest.mark.parametrize("seed", range(60))
def test_templates_of_the_amlt_dialect_are_well_typed(seed: int) -> None:
    template, findings = check_types(amlt_config(seed))
    assert findings == []
    assert template is not None
    assert template.raw == amlt_config(seed)


def test_a_template_is_the_same_in_any_order_of_keys() -> None:
    config = every_key()

    def turned(value: Any) -> Any:
        if isinstance(value, dict):
            return {key: turned(value[key]) for key in reversed(value)}
        return value

    assert typed(turned(config)).model_dump() == typed(config).model_dump()
    assert json.loads(json.dumps(config)) == config
