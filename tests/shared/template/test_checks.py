"""The checks that need no service: each is drawn where it is reported, and real-looking files stay quiet."""

from __future__ import annotations

import re
import statistics
from collections import Counter
from typing import TYPE_CHECKING, Any

import pytest
import yaml

from ajkit.backends.registry import registry
from ajkit.shared.files import MemoryFiles
from ajkit.shared.job.examine import examine
from ajkit.shared.problem import Severity
from ajkit.shared.template.checks import check
from ajkit.shared.template.required import required
from ajkit.shared.template.resolve import resolve
from ajkit.shared.template.scripts import single_dollars
from ajkit.shared.where import format_keypath, parse_keypath
from tests.amlt_dialect import amlt_config, every_key
from tests.bench.typing_states import corpus_folder

if TYPE_CHECKING:
    from ajkit.shared.problem import Finding, Problem

SERVICES = registry()


def checked(text: str, *, leaf: bool = True, service: str | None = "sing", used: tuple[str, ...] = ()) -> list[Finding]:
    return check(yaml.safe_load(text), leaf=leaf, service=service, used=[parse_keypath(each) for each in used])


def told(findings: list[Finding]) -> list[str]:
    return [f"{each.code} {format_keypath(each.path)}" for each in findings]


def in_env(text: str) -> str:
    return f"jobs: [{{submit_args: {{env: {{{text}}}}}}}]"


def in_command(line: str) -> str:
    return yaml.safe_dump({"jobs": [{"command": [line]}]})


def test_only_the_first_job_is_used() -> None:
    assert told(checked("jobs: [{}, {}, {}]")) == ["jobs.extra jobs[1]"]
    assert "the other 2 are left out" in checked("jobs: [{}, {}, {}]")[0].message
    assert "the other one is left out" in checked("jobs: [{}, {}]")[0].message
    assert checked("jobs: [{}]") == []
    assert checked("jobs: [{}, {}]", leaf=False) == []


def test_lost_effects_are_one_word_on_all_and_a_warning_on_what_changes_the_job() -> None:
    text = """
    env_defaults: {NODES: 1}
    target: {vc: x}
    environment: {username: me, image_setup: [x], conda_yaml_file: null}
    storage: {a: {mount_options: [x]}, b: {mount_options: [x], is_output: true}}
    jobs: [{mpi: true, submit_args: {max_attempts: 3}}, {mpi: true, preemptible: true}]
    """
    *lost, extra = sorted(checked(text), key=lambda each: each.code, reverse=True)
    assert extra.code == "jobs.extra"
    assert [(format_keypath(each.path), each.severity, each.on_key) for each in lost] == [
        ("env_defaults", None, True),
        ("environment.image_setup", Severity.WARNING, True),
        ("storage.a.mount_options", Severity.WARNING, True),
    ]
    assert lost[0].message == (
        "only amlt reads `env_defaults`, `target.vc`, `environment.username`, `storage.b.is_output`, `jobs[0].mpi` and "
        "`jobs[0].submit_args.max_attempts`: no effect on `sing`"
    )
    assert "(and 1 more of `storage`)" in lost[2].message


def test_nothing_is_lost_where_amlt_runs_it_or_the_service_reads_it() -> None:
    text = "{target: {vc: x}, jobs: [{}]}"
    assert checked(text, service=None) == []
    assert checked(text, leaf=False) == []
    assert checked(text, used=("target.vc",)) == []


@pytest.mark.parametrize("value", ["$HOME/x", "a:${B}", "$$C"])
def test_variables_in_environment_values_are_hinted_at(value: str) -> None:
    assert told(checked(in_env(f"A: '{value}'"))) == ["env.unexpanded jobs[0].submit_args.env.A"]


@pytest.mark.parametrize("entry", ["'': x", "A=B: x", '"A\\0": x', 'A: "x\\0y"'])
def test_variables_that_no_process_can_have(entry: str) -> None:
    (finding,) = checked(in_env(entry))
    assert finding.code == "schema.type"


def test_lines_that_no_shell_can_read() -> None:
    text = 'environment: {setup: "a\\0"}\njobs: [{command: [fine, "b\\0c"]}]'
    assert told(checked(text)) == ["schema.type environment.setup", "schema.type jobs[0].command[1]"]


@pytest.mark.parametrize("value", ["5$", "a $ b", "$1", "cost$"])
def test_other_dollars_are_not(value: str) -> None:
    assert checked(in_env(f"A: '{value}'")) == []


def test_the_dollars_of_amlt_are_told_once() -> None:
    text = "environment: {setup: ['echo $$A']}\njobs: [{command: ['echo $$B', 'echo $${C}']}]"
    (finding,) = checked(text)
    assert told([finding]) == ["shell.amlt-escape environment.setup[0]"]
    assert checked(text, service=None) == []


@pytest.mark.parametrize("line", ["kill -9 $$", "echo $$ > pid", "tmp.$$.log", "$$$HOME", "$ $HOME"])
def test_the_process_id_of_the_shell_is_left_alone(line: str) -> None:
    assert checked(in_command(line)) == []


def test_single_dollars_works_on_the_source_however_it_is_quoted() -> None:
    assert single_dollars("\"a $$B\\n$${C} $$ '$$D'\"") == "\"a $B\\n${C} $$ '$D'\""


TOKEN = "hf_" + "aB3dE6gH9j" * 3


def test_a_secret_variable_is_to_become_a_reference() -> None:
    (finding,) = checked(in_env(f"HF_TOKEN: {TOKEN}"))
    assert told([finding]) == ["secret.inline jobs[0].submit_args.env.HF_TOKEN"]
    assert finding.suggest == "{from_env: HF_TOKEN}"
    assert TOKEN not in finding.message


def test_a_secret_in_a_command_is_told_without_a_fix() -> None:
    (finding,) = checked(in_command(f"huggingface-cli login --token {TOKEN}"))
    assert told([finding]) == ["secret.inline jobs[0].command[0]"]
    assert finding.suggest is None
    assert TOKEN not in finding.message


def test_the_same_secret_in_many_jobs_is_told_once() -> None:
    job = {"command": f"login {TOKEN}", "submit_args": {"env": {"HF_TOKEN": TOKEN, "PASSWORD": 12345678}}}
    config: dict[str, Any] = {
        "jobs": [job] * 50,
        "environment": {"setup": [f"curl -H 'Authorization: Bearer {TOKEN}'"]},
    }
    found = [each for each in check(config, leaf=True) if each.code == "secret.inline"]
    assert told(found) == ["secret.inline environment.setup[0]", "secret.inline jobs[0].submit_args.env.PASSWORD"]


def test_secrets_are_found_in_every_job_and_in_a_search() -> None:
    config: dict[str, Any] = {
        "jobs": [{}, {"submit_args": {"env": {"API_KEY": "0123abcd4567"}}}],
        "search": {"job_template": {"command": [f"x --token {TOKEN}"]}},
    }
    assert told([each for each in check(config, leaf=False) if each.code == "secret.inline"]) == [
        "secret.inline jobs[1].submit_args.env.API_KEY",
        "secret.inline search.job_template.command[0]",
    ]


def test_wrong_types_are_left_to_the_type_check() -> None:
    for text in (
        "jobs: 5",
        "jobs: [5]",
        "jobs: [{submit_args: 5, command: 5}]",
        "environment: []",
        "search: {job_template: 5}",
    ):
        assert {each.code for each in checked(text)} <= {"schema.no-effect"}


def needed(text: str, *paths: str) -> list[str]:
    findings = required(yaml.safe_load(text), [parse_keypath(each) for each in paths], "`volcano`")
    return [f"{format_keypath(each.path)}: {each.message}" for each in findings]


def test_what_is_missing_says_where_to_add_it() -> None:
    assert needed("target: {name: x}", "environment.image", "target.memory", "target.cpus_per_node") == [
        (
            "environment.image: `volcano` needs `environment.image`, which is not set: "
            "add `environment.image` under `config`"
        ),
        (
            "target.memory: `volcano` needs `target.memory` and `target.cpus_per_node`, which are not set: "
            "add `memory` and `cpus_per_node` under `target`"
        ),
    ]
    assert needed("target: {memory: 1Gi}", "target.memory") == []


def test_what_null_cleared_says_so() -> None:
    assert needed("environment: {image: null}", "environment.image") == [
        "environment.image: `volcano` needs `environment.image`, which is cleared here by null: write a value"
    ]
    assert needed("environment: null", "environment.image") == [
        "environment: `volcano` needs `environment.image`, and `environment` is cleared here by null: write a value"
    ]
    assert needed("environment: {image: ''}", "environment.image") == [
        "environment.image: `volcano` needs `environment.image`, which is empty: write a value"
    ]


def problems(config: dict[str, Any]) -> list[Problem]:
    """Everything that is said of a leaf with this config."""
    path = "/w/.aj/template/leaf.yaml"
    text = yaml.safe_dump({"config": config}, sort_keys=False, width=1000)
    found = resolve(MemoryFiles({path: text}), path, "/w/.aj")
    return [*found.problems, *examine(found, SERVICES, leaf=True).problems]


def warnings(config: dict[str, Any]) -> list[str]:
    """The warnings on a config, `shell.amlt-escape` apart: code and key path, of any job."""
    found = [
        each for each in problems(config) if each.severity is Severity.WARNING and each.code != "shell.amlt-escape"
    ]
    return [f"{each.code} {re.sub(r'[0-9]+', 'N', format_keypath(each.keypath or ()))}" for each in found]


def test_templates_of_the_amlt_dialect_stay_quiet() -> None:
    counts = []
    for seed in range(60):
        found = warnings(amlt_config(seed))
        assert max(Counter(found).values(), default=1) == 1, (seed, found)
        counts.append(len(found))
    assert statistics.median(counts) == 0
    assert statistics.quantiles(counts, n=10)[8] <= 2
    assert max(counts) > 0


def test_the_made_templates_use_every_key_path_that_real_files_use() -> None:
    folder = corpus_folder()
    if folder is None:
        pytest.skip("the key paths of real files are in the corpus, which is not here (AJ_CORPUS)")
    used: set[str] = set()
    for config in (every_key(), *(amlt_config(seed) for seed in range(60))):
        used |= set(paths(config))
    real = re.findall(
        r"^\| \d+ \| \d+ \| `([^`]+)` \|", (folder / "amlt-keys.md").read_text(encoding="utf-8"), re.MULTILINE
    )
    assert len(real) > 100
    assert [each for each in real if each not in used] == []


def paths(value: Any, path: str = "") -> list[str]:
    """The key paths of a value as the list of real ones writes them."""
    below = []
    if isinstance(value, dict):
        for key, inner in value.items():
            free = path in {"storage", "env_defaults"} or path.endswith("submit_args.env")
            below += paths(inner, f"{path}.{'*' if free else key}" if path else key)
    elif isinstance(value, list):
        below = [each for inner in value for each in paths(inner, f"{path}[]")]
    return [path, *below]
