"""The amlt renderer: a template and a request in, the YAML of `amlt run` out."""

from __future__ import annotations

from typing import Any

import pytest
import yaml
from hypothesis import given
from hypothesis import strategies as st

from ajkit.shared.job.amlt import amlt_config, draft_config, escape_dollars
from ajkit.shared.problem import Severity
from ajkit.shared.template.yamltext import yaml_text
from tests.shared.job.asking import ask, told

LEAF = """
config:
  description: costs $5
  environment:
    image: img:${TAG}
    setup: [echo $$, export A=$HOME]
  target: {service: amlk8s, name: c, vc: null}
  code: {local_dir: ., ignore: [x]}
  env_defaults: {NODES: 2, TAG: v1, GONE: null}
  storage:
    data: {storage_account_name: a, container_name: c, local_dir: data}
    gone: null
  jobs:
    - name: run$NODES
      sku: ${NODES}xG{processes}
      process_count_per_node: ${PPN}
      command:
        - cd $CONFIG_DIR/src
        - for i in 1 2; do echo $i ${TAG} $$i ${CONFIG_DIR}; done
      sla_tier: basic
      mpi: true
      submit_args: {env: {LR: 1.10, P: $HOME/x, K: {from_env: HF}}, container_args: {shm_size: 8g}}
    - name: other-$X
      sku: G1
      command: [echo $X]
      submit_args: {env: {A: null, B: 1.50}}
  _extra: {tool: {a: $b}}
"""


def rendered(text: str = LEAF, **request: Any) -> dict[str, Any]:
    asked: dict[str, Any] = {"nodes": 4, "selector": 8, "amlt": True, **request}
    return dict(amlt_config(ask(text, **asked).require()))


def test_the_whole_of_it() -> None:
    config = rendered(command=("python", "train.py", "$LR"))
    (job,) = config.pop("jobs")
    assert config == {
        "description": "costs $$5",
        "environment": {"image": "img:${TAG}", "setup": ["echo $$", "export A=$$HOME"]},
        "target": {"service": "amlk8s", "name": "c"},
        "code": {"local_dir": "$CONFIG_DIR/../..", "ignore": ["x"]},
        "env_defaults": {"NODES": 2, "TAG": "v1"},
        "storage": {
            "data": {"storage_account_name": "a", "container_name": "c", "local_dir": "$CONFIG_DIR/../../data"},
        },
    }
    env = job["submit_args"].pop("env")
    assert job == {
        "name": "run-NODES-0000000000",
        "sku": "${NODES}xG8",
        "process_count_per_node": "${PPN}",
        "command": [
            "cd $CONFIG_DIR/src",
            "for i in 1 2; do echo $$i ${TAG} $$i ${CONFIG_DIR}; done",
            "python train.py '$$LR'",
        ],
        "sla_tier": "basic",
        "mpi": True,
        "submit_args": {"container_args": {"shm_size": "8g"}},
        "instance_count": 4,
    }
    assert (env["LR"], env["P"], env["K"]) == ("1.10", "$$HOME/x", {"from_env": "HF"})
    assert (env["AJ_NODES"], env["AJ_NAME"], env["AJ_PROCESSES"]) == ("4", "run-NODES-0000000000", "32")


def test_the_text_is_yaml_of_the_same_values() -> None:
    spec = ask(LEAF, nodes=4, selector=8, amlt=True).require()
    text = yaml_text(amlt_config(spec))
    assert yaml.safe_load(text) == amlt_config(spec)
    assert 'LR: "1.10"' in text
    assert text.startswith("description: costs $$5\nenvironment:\n")


def test_a_draft_is_rendered_with_what_stands_for_the_missing() -> None:
    plan = ask(LEAF.replace("name: run$NODES", "name: run"), amlt=True)
    assert plan.spec is None
    config: dict[str, Any] = draft_config(plan.draft or {})
    assert (config["jobs"][0]["instance_count"], config["jobs"][0]["sku"]) == ("‹-n›", "${NODES}xG‹-p›")
    whole = ask(LEAF, nodes=4, selector=8, amlt=True)
    assert draft_config(whole.draft or {}) == amlt_config(whole.require())


def test_other_jobs_are_left_out_with_a_warning_or_kept_as_they_are() -> None:
    plan = ask(LEAF, nodes=4, selector=8, amlt=True)
    assert [(each.code, each.severity) for each in plan.problems if each.code == "jobs.extra"] == [
        ("jobs.extra", Severity.WARNING)
    ]
    both = ask(LEAF, nodes=4, selector=8, amlt=True, all_jobs=True)
    assert "jobs.extra" not in {each.code for each in both.problems}
    jobs = amlt_config(both.require())["jobs"]
    assert isinstance(jobs, list)
    assert jobs[1:] == [
        {"name": "other-$X", "sku": "G1", "command": ["echo $X"], "submit_args": {"env": {"B": 1.5}}},
    ]


def test_a_job_for_another_service_carries_no_source() -> None:
    text = LEAF.replace("amlk8s", "local").replace("${NODES}xG{processes}", "G8").replace("${PPN}", "1")
    spec = ask(text, nodes=1, selector=8).require()
    assert spec.template is None
    with pytest.raises(ValueError, match="was not built for amlt"):
        amlt_config(spec)


@pytest.mark.parametrize(
    ("flags", "processes"),
    [({}, "${PPN}"), ({"processes": 1}, "${PPN}"), ({"processes": 3}, 3)],
)
def test_a_flag_wins_over_the_variable_of_processes(flags: dict[str, Any], processes: object) -> None:
    job = rendered(**flags)["jobs"][0]
    assert job["process_count_per_node"] == processes


@pytest.mark.parametrize(
    ("written", "rendered_as"),
    [
        (".", "$CONFIG_DIR/../.."),
        ("src", "$CONFIG_DIR/../../src"),
        ("./src/../lib", "$CONFIG_DIR/../../lib"),
        ("../beside", "$CONFIG_DIR/../../../beside"),
        ("$CONFIG_DIR/../src", "$CONFIG_DIR/../src"),
        ("${CONFIG_DIR}", "${CONFIG_DIR}"),
        ("/abs/olute", "/abs/olute"),
        ("~/code", "~/code"),
    ],
)
def test_relative_paths_mean_what_they_meant(written: str, rendered_as: str) -> None:
    text = LEAF.replace("local_dir: ., ignore", f"local_dir: '{written}', ignore")
    assert rendered(text)["code"] == {"local_dir": rendered_as, "ignore": ["x"]}


def test_a_code_folder_given_by_hand_reaches_amlt() -> None:
    assert rendered(code_dir="other")["code"] == {"local_dir": "$CONFIG_DIR/../../other", "ignore": ["x"]}
    without = LEAF.replace("  code: {local_dir: ., ignore: [x]}\n", "")
    assert "code" not in rendered(without)
    assert rendered(without, code_dir="other")["code"] == {"local_dir": "$CONFIG_DIR/../../other"}


def test_the_text_can_stand_elsewhere() -> None:
    spec = ask(LEAF, nodes=4, selector=8, amlt=True, command=("echo", "$$CONFIG_DIR")).require()
    config: dict[str, Any] = amlt_config(spec, config_dir="/h/.aj/template")
    assert config["code"] == {"local_dir": "/h/.aj/template/../..", "ignore": ["x"]}
    command = config["jobs"][0]["command"]
    assert command[0] == "cd /h/.aj/template/src"
    assert command[-1] == "echo '$$CONFIG_DIR'"


def test_a_template_with_a_search_instead_of_jobs() -> None:
    text = """
config:
  target: {service: amlk8s}
  jobs: null
  search: {job_template: {sku: '${NODES}xG1', process_count_per_node: '${P}', command: [echo $X], name: a$b}}
"""
    config = rendered(text, command=("ls",))
    assert config["search"] == {
        "job_template": {
            "sku": "${NODES}xG1",
            "process_count_per_node": "${P}",
            "command": ["echo $$X"],
            "name": "a$$b",
        }
    }
    assert config["jobs"][0]["command"] == ["ls"]


@pytest.mark.parametrize(
    ("text", "escaped"),
    [
        ("$HOME", "$$HOME"),
        ("${HOME:-x}", "$${HOME:-x}"),
        ("$$HOME", "$$HOME"),
        ("$$$HOME", "$$$$HOME"),
        ("$CONFIG_DIR/x ${CONFIG_DIR}", "$CONFIG_DIR/x ${CONFIG_DIR}"),
        ("$CONFIG_DIRS", "$$CONFIG_DIRS"),
        ("${CONFIG_DIR:-x}", "$${CONFIG_DIR:-x}"),
        ("$A ${A} $AB ${AB} $B", "$A ${A} $$AB $${AB} $$B"),
        ("$(date) $1 $? cost $", "$$(date) $$1 $$? cost $$"),
        ("no dollar", "no dollar"),
    ],
)
def test_dollars(text: str, escaped: str) -> None:
    assert escape_dollars(text, ["A"]) == escaped
    assert escape_dollars(escaped, ["A"]) == escaped


@given(st.text(alphabet="$AB{}x ", max_size=30))
def test_what_amlt_hands_to_the_shell_is_what_was_written(text: str) -> None:
    """amlt turns every ``$$`` into ``$``; a text without any gets its own dollars back."""
    escaped = escape_dollars(text)
    assert escape_dollars(escaped) == escaped
    if "$$" not in text:
        assert escaped.replace("$$", "$") == text


def test_variables_pass_unchecked_only_with_amlt() -> None:
    text = LEAF.replace("amlk8s", "local")
    assert [each for each in told(ask(text, nodes=4, selector=8).problems) if each.startswith("sku.")] == [
        "sku.placeholder ${NODES}xG{processes}",
        "sku.placeholder ${PPN}",
    ]
    assert not [each for each in told(ask(text, nodes=4, selector=8, amlt=True).problems) if each.startswith("sku.")]
