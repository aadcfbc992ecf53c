"""Plans: a template and a request in, a JobSpec or the reasons against it out."""

from __future__ import annotations

import json
import subprocess
import sys
from typing import Any

import pytest

from ajkit.shared.job.request import Ambient
from ajkit.shared.job.spec import JobSpec, spec_bytes, spec_digest
from ajkit.shared.problem import Refused, Severity, UsageError
from ajkit.shared.template.overlay import Overlays
from tests.shared.job.asking import ask, check, told

SMALL = """
config:
  target: {service: local, gpus_per_node: 0}
  jobs:
    - {command: [python train.py], instance_count: 1}
"""

FACTS = Ambient(sid="abc0123456", now="2026-01-02T03:04:05Z")

WHOLE = {
    "template/leaf.yaml": """
base: [team, storage.data]
config:
  description: Trains it
  target: {service: AML, name: cluster}
  environment: {image: img, registry: reg.io, setup: [pip install x]}
  code: {local_dir: src, ignore: [data/]}
  jobs:
    - name: my run
      sku: "{nodes}x40G{processes}-A100"
      command: [cd here]
      submit_args:
        max_run_duration_seconds: 3600
        env: {LR: 1e-3, OLD: null}
  _extra: {tool: {keep: null, list: [1, {a: null}]}}
""",
    "template/team.yaml": """
config:
  jobs:
    - instance_count: 2
      submit_args: {env: {LR: 2e-3, OLD: 1, HF: {from_env: HF_TOKEN}}}
""",
    "storage/data.yaml": """
config:
  storage:
    data: {storage_account_name: a, container_name: c, mount_dir: /mnt/c}
    gone: null
""",
}


def test_every_field() -> None:
    spec = ask(
        WHOLE,
        facts=Ambient(sid="abc0123456", now="2026-01-02T03:04:05Z", ignore_file=("*.tmp", "")),
        selector=8,
        processes=2,
        experiment="exp",
        command=("echo", "a b"),
    ).require()
    found = spec.model_dump(mode="json")
    sources = found.pop("sources")
    assert [each["path"] for each in sources] == [
        ".aj/template/leaf.yaml",
        ".aj/template/team.yaml",
        ".aj/storage/data.yaml",
    ]
    assert {len(each["sha256"]) for each in sources} == {64}
    options = found.pop("backend_spec")
    assert options["compute"] == "cluster"
    assert found == {
        "version": "1",
        "name": "my-run-abc0123456",
        "sid": "abc0123456",
        "description": "Trains it",
        "template_name": "leaf",
        "experiment": "exp",
        "service": "aml",
        "sku": "2x40G8-A100",
        "nodes": 2,
        "selector": 8,
        "gpus_per_node": 8,
        "processes_per_node": 2,
        "image": "img",
        "image_registry": "reg.io",
        "code": {"dir": "src", "ignore": ["data/", "*.tmp", ""]},
        "setup": ["pip install x"],
        "command": "cd here\necho 'a b'",
        "storage": {"data": {"storage_account_name": "a", "container_name": "c", "mount_dir": "/mnt/c"}},
        "env": {
            "LR": "1e-3",
            "HF": {"from_env": "HF_TOKEN"},
            "AJ_NAME": "my-run-abc0123456",
            "AJ_ID": "abc0123456",
            "AJ_TEMPLATE": "leaf",
            "AJ_SUBMIT_TIMESTAMP_UTC": "2026-01-02T03:04:05Z",
            "AJ_NODES": "2",
            "AJ_PROCESSES": "16",
            "AJ_GPUS_PER_NODE": "8",
            "AJ_PROCESSES_PER_NODE": "2",
        },
        "time_limit_seconds": 3600,
        "extra": {"tool": {"keep": None, "list": [1, {"a": None}]}},
        "template": None,
    }


def test_the_keys_are_in_the_order_of_the_model_and_nulls_are_kept() -> None:
    plan = ask(SMALL)
    text = spec_bytes(plan.require()).decode()
    assert list(json.loads(text)) == list(JobSpec.model_fields)
    assert plan.draft is not None
    assert list(plan.draft) == list(JobSpec.model_fields)
    assert text.startswith('{\n  "version": "1",\n  "name": "proj-0000000000",\n')
    assert '  "description": null,\n' in text
    assert text.endswith("}\n")
    assert not text.endswith("\n\n")
    assert JobSpec.model_validate_json(text) == plan.require()


def test_the_digest_is_of_the_bytes() -> None:
    plan = ask(SMALL)
    assert plan.digest == spec_digest(plan.require())
    assert ask(SMALL).digest == plan.digest
    assert ask(SMALL, facts=FACTS).digest != plan.digest


def test_the_same_bytes_whatever_the_hash_seed() -> None:
    code = (
        "from tests.shared.job.asking import ask\n"
        "from tests.shared.job.test_plan import WHOLE\n"
        "print(ask(WHOLE, selector=8, amlt=True).digest, ask(WHOLE, selector=8).digest)\n"
    )
    seen = {
        subprocess.run(
            [sys.executable, "-c", code],
            env={"PYTHONHASHSEED": seed, "PYTHONPATH": ":".join(each for each in sys.path if each)},
            capture_output=True,
            text=True,
            check=True,
        ).stdout
        for seed in ("1", "2", "77")
    }
    assert len(seen) == 1
    assert len(seen.pop().split()[0]) == 64


@pytest.mark.parametrize(
    ("value", "text"),
    [
        ("on", "on"),
        ("1.10", "1.10"),
        ("12:30", "12:30"),
        ("2024-01-01", "2024-01-01"),
        ("017", "017"),
        ("'on'", "on"),
        ('"a\\tb"', "a\tb"),
        ("$HOME/x", "$HOME/x"),
        ("0x1F", "0x1F"),
        ("True", "True"),
        ("''", ""),
        ("!!str 5", "5"),
    ],
)
def test_environment_values_are_the_text_as_written(value: str, text: str) -> None:
    leaf = SMALL.replace("instance_count: 1", f"instance_count: 1, submit_args: {{env: {{V: {value}}}}}")
    assert ask(leaf).require().env["V"] == text


@pytest.mark.parametrize("value", ["null", "~", ""])
def test_null_is_not_set(value: str) -> None:
    leaf = SMALL.replace("instance_count: 1", f"instance_count: 1, submit_args: {{env: {{V: {value}}}}}")
    assert "V" not in ask(leaf).require().env


def test_values_of_the_command_line_are_text_too() -> None:
    plan = ask(SMALL, overlays=Overlays(env=("V=1.10", "W=on", "E=")))
    assert {name: plan.require().env[name] for name in "VWE"} == {"V": "1.10", "W": "on", "E": ""}


def test_secret_references_travel_as_references() -> None:
    text = SMALL.replace(
        "instance_count: 1", "instance_count: 1, submit_args: {env: {A: {from_env: X}, B: {from_file: /run/s}}}"
    )
    env = ask(text).require().model_dump()["env"]
    assert (env["A"], env["B"]) == ({"from_env": "X"}, {"from_file": "/run/s"})


def test_injected_values_win_with_a_warning_on_the_name() -> None:
    text = SMALL.replace(
        "instance_count: 1",
        "instance_count: 1, submit_args: {env: {AJ_NODES: 9, AJ_NODE_RANK: 1, AJ_X: 2, AJ_TASK_NAME: t, AJ_ID: null}}",
    )
    plan = ask(text)
    assert told(plan.problems) == ["env.overridden AJ_NODES", "env.overridden AJ_NODE_RANK"]
    assert {each.severity for each in plan.problems} == {Severity.WARNING}
    env = plan.require().env
    assert env["AJ_NODES"] == "1"
    assert "AJ_NODE_RANK" not in env
    assert (env["AJ_X"], env["AJ_TASK_NAME"]) == ("2", "t")
    assert told(check(text)) == told(plan.problems)


@pytest.mark.parametrize(
    ("service", "expected"),
    [
        ("local", []),
        ("LOCAL", []),
        ("locale", ["service.unknown locale"]),
        ("amlt", ["service.unknown amlt"]),
        ("amlk8s", ["service.unknown amlk8s"]),
        ("[local]", ["schema.type [local]"]),
        ("5", ["schema.type 5"]),
        ("null", ["schema.required null"]),
    ],
)
def test_services_by_name(service: str, expected: list[str]) -> None:
    plan = ask(SMALL.replace("service: local", f"service: {service}"))
    assert told(plan.problems) == expected
    assert (plan.spec is None) == bool(expected)


LONG = "9" * 4_200
LONGER = "9" * 5_000


@pytest.mark.parametrize(
    ("text", "code"),
    [
        (SMALL.replace("gpus_per_node: 0", f"gpus_per_node: {LONG}"), "shape.invalid"),
        (SMALL.replace("instance_count: 1", f"instance_count: {LONG}"), "shape.invalid"),
        (SMALL.replace("instance_count: 1", f"instance_count: 1, process_count_per_node: {LONG}"), "shape.invalid"),
        (SMALL.replace("instance_count: 1", f"instance_count: 1, sku: {LONGER}xC"), "sku.syntax"),
        (SMALL.replace("local,", f"slurm, cpus_per_node: '{LONGER}',"), "slurm.option"),
        (SMALL.replace("local,", "slurm, cpus_per_node: '²',"), "slurm.option"),
        (SMALL.replace("local,", f"slurm, memory: {LONGER}Gi,"), "slurm.option"),
        (SMALL.replace("local,", f"volcano, cpus_per_node: 1, memory: {LONGER}GB,"), "volcano.quantity"),
    ],
    ids=range(8),
)
def test_numbers_longer_than_anything_can_be(text: str, code: str) -> None:
    (found,) = [each for each in ask(text).problems if each.is_error and each.code != "schema.required"]
    assert found.code == code
    assert "digits" not in found.message
    assert found.code in {each.code for each in check(text)}


def test_variables_longer_than_anything_can_be() -> None:
    text = SMALL.replace("instance_count: 1", "instance_count: 1, process_count_per_node: $N")
    plan = ask(f"{text}  env_defaults: {{N: '{LONGER}'}}\n", amlt=True)
    assert plan.require().processes_per_node == 1


def test_unknown_services_are_told_the_sorted_list_and_the_nearest_name() -> None:
    (found,) = ask(SMALL.replace("service: local", "service: slrum")).problems
    assert "aml, amlt (with --amlt), local, ray, sing, slurm, volcano" in found.message
    assert "did you mean `slurm`" in found.message
    assert found.fixes[0].edits[0].new_text == "slurm"


def test_other_names_of_a_service() -> None:
    text = SMALL.replace("service: local", "service: singularity") + "  environment: {image: i}\n"
    assert ask(text).require().service == "sing"


def test_services_that_only_amlt_can_run() -> None:
    text = SMALL.replace("service: local", "service: amlk8s")
    (found,) = ask(text).problems
    assert "runs only with --amlt" in found.message
    spec = ask(text, amlt=True).require()
    assert spec.service == "amlt"
    assert spec.template is not None
    assert spec.template["target"]["service"] == "amlk8s"
    assert [(each.code, each.severity) for each in check(text)] == [("service.unknown", Severity.INFORMATION)]


def test_amlt_is_chosen_by_its_flag() -> None:
    (found,) = ask(SMALL.replace("service: local", "service: amlt"), amlt=True).problems
    assert (found.code, found.is_error) == ("service.unknown", True)
    assert "--amlt" in found.message


def test_a_leaf_without_a_service() -> None:
    plan = ask("config: {jobs: [{command: [x]}]}", nodes=1, selector=1)
    assert [each.code for each in plan.problems] == ["schema.required"]
    assert "local" in plan.problems[0].message


def test_what_a_service_requires() -> None:
    plan = ask(SMALL.replace("service: local", "service: aml"))
    assert [each.code for each in plan.problems if each.is_error] == ["schema.required", "schema.required"]
    with pytest.raises(Refused, match="environment"):
        plan.require()


@pytest.mark.parametrize(
    ("flag", "place"),
    [({}, "here/src"), ({"code_dir": "other"}, "-")],
)
def test_code_missing(flag: dict[str, Any], place: str) -> None:
    text = SMALL + "  code: {local_dir: here/src}\n"
    plan = ask(text, facts=Ambient(code_found=False), **flag)
    assert told(plan.problems) == [f"code.missing {place}"]
    assert plan.spec is None
    assert told(check(text)) == []


def test_command_missing_is_no_problem_of_the_file() -> None:
    text = SMALL.replace("command: [python train.py], ", "")
    assert told(check(text)) == []
    plan = ask(text)
    assert [each.code for each in plan.problems] == ["command.missing"]
    assert plan.spec is None
    assert ask(text, command=("ls",)).require().command == "ls"


def test_name_invalid() -> None:
    text = SMALL.replace("instance_count: 1", "instance_count: 1, name: '???'")
    assert told(ask(text).problems) == ["name.invalid '???'"]
    assert told(check(text)) == ["name.invalid '???'"]
    assert told(ask(text, name="fine").problems) == []
    assert told(ask(SMALL, name="???").problems) == ["name.invalid -"]


def test_problems_of_the_files_stop_a_build_but_not_the_rest() -> None:
    plan = ask("base: gone\n" + SMALL, nodes=0)
    assert [each.code for each in plan.problems] == ["shape.invalid", "base.missing"]
    assert plan.spec is None
    assert plan.draft is not None
    assert plan.draft["command"] == "python train.py"


def test_a_template_with_wrong_types_has_no_draft() -> None:
    made = ask(SMALL.replace("instance_count: 1", "instance_count: many"))
    assert [each.code for each in made.problems] == ["schema.type"]
    assert (made.draft, made.spec, made.shape, made.service, made.trail("nodes")) == (None,) * 5


@pytest.mark.parametrize(
    ("facts", "request_", "words"),
    [
        ({"sid": "UPPER00000"}, {}, "ten lower-case"),
        ({"sid": "short"}, {}, "ten lower-case"),
        ({"now": "yesterday"}, {}, "written like 2026-"),
        ({"now": "2026-01-02 03:04"}, {}, "written like 2026-"),
        ({}, {"command": ("\udcff",)}, "not UTF-8"),
        ({}, {"name": "\udcff"}, "not UTF-8"),
        ({}, {"shell": True}, "--shell takes one word"),
    ],
)
def test_calls_that_make_no_sense(facts: dict[str, Any], request_: dict[str, Any], words: str) -> None:
    with pytest.raises(UsageError, match=words):
        ask(SMALL, facts=Ambient(**facts), **request_)


@pytest.mark.parametrize(
    "now", ["2026-01-02", "2026-01-02T03:04Z", "2026-01-02T03:04:05.678+00:00", "20260102T030405Z"]
)
def test_times_of_iso_8601(now: str) -> None:
    assert ask(SMALL, facts=Ambient(now=now)).require().env["AJ_SUBMIT_TIMESTAMP_UTC"] == now


def test_overlays_reach_the_spec_with_their_origin() -> None:
    plan = ask(SMALL, overlays=Overlays(sets=("jobs[0].instance_count=3", "target.queue=q"), env=("A=1",)))
    spec = plan.require()
    assert (spec.nodes, spec.env["A"]) == (3, "1")
    assert str(plan.trail("nodes")).startswith("jobs[0].instance_count = 3 at --set jobs[0].instance_count=3")


def test_every_file_of_an_overlay_is_a_source() -> None:
    files = {"template/leaf.yaml": SMALL, "extra/big.yaml": "config: {jobs: [{instance_count: 5}]}\n"}
    spec = ask(files, overlays=Overlays(bases=("extra.big",))).require()
    assert spec.nodes == 5
    assert [each.path for each in spec.sources] == [".aj/template/leaf.yaml", ".aj/extra/big.yaml"]


def test_options_of_every_service_survive_the_wire() -> None:
    from tests.shared.job.asking import SERVICES

    spec = ask(WHOLE, selector=8).require()
    service = SERVICES.find(spec.service)
    assert service is not None
    again = JobSpec.model_validate_json(spec_bytes(spec))
    assert service.load_spec_backend(again.backend_spec).model_dump(mode="json") == spec.backend_spec
