"""Bodies of jobs: as they were, good by the schema of Azure ML, and what is refused before there is one."""

from __future__ import annotations

import json
import subprocess
from pathlib import Path
from typing import TYPE_CHECKING, Any

import jsonschema
import pytest

from ajkit.backends.azureml.body import command_of, environment_of, instance_of, job_body
from ajkit.backends.azureml.execute import AzureMlExecution
from ajkit.backends.azureml.workspace import Settings, Workspace, read_settings
from ajkit.shared.job.secretrefs import shown
from ajkit.shared.problem import UsageError
from tests.backends.azureml.conftest import example, job_spec
from tests.backends.azureml.fakearm import schema

if TYPE_CHECKING:
    from ajkit.shared.job.spec import JobSpec
    from tests.plugins.goldens import Golden

GOLDENS = Path(__file__).parent / "goldens"
HERE = Workspace("00000000-0000-0000-0000-000000000000", "research-rg", "research-ws")
SETTINGS = read_settings({"AJ_SING_INSTANCES": "80G8-A100-IB=ND96amsr_A100_v4, 40G1=ND12am_A100_v4"})


def body(spec: JobSpec, settings: Settings = SETTINGS) -> dict[str, Any]:
    made = job_body(spec, f"aj-{spec.sid}", HERE, settings, code="d" * 64, env=shown(spec.env))
    jsonschema.Draft202012Validator(schema()).validate(made)
    found: dict[str, Any] = made["properties"]
    return found


@pytest.mark.parametrize("name", ["aml", "sing", "sing-vc"])
def test_examples(name: str, golden: Golden) -> None:
    spec = example(name)
    made = body(spec)
    subprocess.run(["bash", "-n"], input=made["command"].replace("${{", "${").replace("}}", "}"), text=True, check=True)
    golden(GOLDENS / f"{name}.json", json.dumps(made, indent=2, ensure_ascii=False) + "\n")


def test_what_is_optional() -> None:
    plain = body(job_spec("true"))
    assert {"distribution", "identity", "limits", "queueSettings", "outputs", "description"} & set(plain) == set()
    full = body(job_spec("true", nodes=2, time_limit_seconds=90, options={"identity": "user", "shm_size": "8g"}))
    assert full["distribution"] == {"distributionType": "PyTorch", "processCountPerInstance": 1}
    assert full["limits"] == {"jobLimitsType": "Command", "timeout": "PT90S"}
    assert full["identity"] == {"identityType": "UserIdentity"}
    assert full["resources"] == {"instanceCount": 2, "shmSize": "8g"}


def test_container_arguments() -> None:
    options = {"container_args": {"shm_size": "8g", "ipc": "host", "cap_add": "SYS_PTRACE", "privileged": True}}
    assert body(job_spec("true", options=options))["resources"]["dockerArgsList"] == [
        "--ipc=host",
        "--cap-add=SYS_PTRACE",
        "--privileged=true",
    ]


@pytest.mark.parametrize(
    ("image", "found"),
    [
        ("azureml:mine:3", "mine:3"),
        (
            "azureml://registries/azureml/environments/x/versions/1",
            "azureml://registries/azureml/environments/x/versions/1",
        ),
    ],
)
def test_environments_of_the_workspace(image: str, found: str) -> None:
    assert environment_of(job_spec("true", image=image)) == found


def test_the_same_image_is_one_environment() -> None:
    one, two = (environment_of(job_spec("true", image="img:1")) for _ in range(2))
    assert one == two != environment_of(job_spec("true", image="img:2"))


@pytest.mark.parametrize(
    ("sku", "instance"),
    [
        ("4x80G8-A100-IB", "ND96amsr_A100_v4"),
        ("2xND96isr_H100_v5", "ND96isr_H100_v5"),
        ("NDv2g1:G1", "NDv2g1"),
        ("40G1", "ND12am_A100_v4"),
        ("16G1", None),
        (None, None),
    ],
)
def test_instances(sku: str | None, instance: str | None) -> None:
    assert instance_of(job_spec("true", sku=sku), SETTINGS) == instance


def test_here_documents_end_where_they_should() -> None:
    spec = job_spec("cat <<AJ_END\nAJ_END\nAJ_END_")
    done = subprocess.run(
        ["bash", "-c", command_of(spec).replace('exec bash "$aj/run.sh"', 'cat "$aj/command.sh"')],
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "cat <<AJ_END\nAJ_END\nAJ_END_\n"


def checked(monkeypatch: pytest.MonkeyPatch, spec: JobSpec, **environ: str) -> list[tuple[str, str]]:
    for name in ("AJ_AML_SUBSCRIPTION_ID", "AJ_AML_RESOURCE_GROUP", "AJ_AML_WORKSPACE", "AJ_SING_INSTANCES"):
        monkeypatch.delenv(name, raising=False)
    for name, value in environ.items():
        monkeypatch.setenv(name, value)
    return [(each.code, each.message) for each in AzureMlExecution(spec.service).check(spec)]


@pytest.mark.parametrize(
    ("fields", "code", "said"),
    [
        ({"command": "echo ${{inputs.x}}"}, "aml.command", "the command holds `${{`, which Azure ML fills in"),
        ({"storage": {"d": {"mount_dir": "/d"}}}, "aml.mount", "storage.d: set storage_account_name, container_name"),
        ({"env": {"A": {"from_env": "NO_SUCH"}}}, "aml.secret", "A: the variable NO_SUCH is not set where"),
    ],
)
def test_refused(monkeypatch: pytest.MonkeyPatch, fields: dict[str, Any], code: str, said: str) -> None:
    where = {"subscription_id": "s", "resource_group": "g", "workspace_name": "w"}
    command = fields.pop("command", "true")
    problems = checked(monkeypatch, job_spec(command, options=where, **fields))
    assert [each for each, _ in problems] == [code]
    assert said in problems[0][1]


def test_a_workspace_that_nothing_names(monkeypatch: pytest.MonkeyPatch) -> None:
    problems = checked(monkeypatch, job_spec("true"), AJ_AML_WORKSPACE="w")
    assert [code for code, _ in problems] == ["aml.workspace"] * 2
    assert problems[0][1].startswith("target.subscription_id is not set, and the daemon has no AJ_AML_SUBSCRIPTION_ID")


def test_singularity_needs_an_instance_and_a_cluster(monkeypatch: pytest.MonkeyPatch) -> None:
    spec = example("sing")
    assert [code for code, _ in checked(monkeypatch, spec)] == ["sing.instance"]
    assert checked(monkeypatch, spec, AJ_SING_INSTANCES="80G8-A100-IB=ND96amsr_A100_v4") == []
    bare = spec.model_copy(update={"backend_spec": {**spec.backend_spec, "virtual_cluster": None}, "sku": "ND96_v4"})
    assert [code for code, _ in checked(monkeypatch, bare)] == ["sing.cluster"]


@pytest.mark.parametrize(
    ("name", "value"),
    [("AJ_AML_ENDPOINT", "http://somewhere"), ("AJ_SING_INSTANCES", "80G8"), ("AJ_SING_INSTANCES", "=x")],
)
def test_bad_settings(monkeypatch: pytest.MonkeyPatch, name: str, value: str) -> None:
    with pytest.raises(UsageError):
        read_settings({name: value})
    assert [code for code, _ in checked(monkeypatch, job_spec("true"), **{name: value})] == ["aml.setting"]
