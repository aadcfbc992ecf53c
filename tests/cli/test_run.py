"""`aj run --dry-run` and what is refused: words and options, facts, masking, the same bytes everywhere."""

from __future__ import annotations

import hashlib
import json
import os
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest
import yaml

if TYPE_CHECKING:
    from tests.cli.conftest import Person, Said


def spec(said: Said) -> dict[str, Any]:
    assert said.code == 0, said.err
    found: dict[str, Any] = json.loads(said.out)
    return found


def test_a_dry_run_prints_the_jobspec_and_its_digest(trainer: Person) -> None:
    said = trainer.aj("run", "--dry-run")
    found = spec(said)
    assert (found["name"], found["sid"]) == ("p-0000000000", "0000000000")
    assert found["env"]["AJ_SUBMIT_TIMESTAMP_UTC"] == "1970-01-01T00:00:00Z"
    assert (found["nodes"], found["selector"]) == (2, 8)
    assert said.err == f"spec_sha256: {hashlib.sha256(said.out.encode()).hexdigest()}\n"
    assert yaml.safe_load(trainer.aj("run", "--dry-run", "--format", "yaml").out) == found


def test_facts_come_from_options_then_the_environment(trainer: Person) -> None:
    trainer.environ |= {"AJ_SID": "s" * 10, "AJ_NOW": "2020-01-01T00:00:00Z", "AJ_NAME": "caller"}
    found = spec(trainer.aj("run", "--dry-run"))
    assert (found["name"], found["env"]["AJ_SUBMIT_TIMESTAMP_UTC"]) == ("caller-ssssssssss", "2020-01-01T00:00:00Z")
    options = ("--sid", "t" * 10, "--now", "2021-01-01T00:00:00Z", "--name", "mine", "-e", "trial")
    found = spec(trainer.aj("run", "--dry-run", *options))
    assert (found["name"], found["experiment"]) == ("mine-tttttttttt", "trial")
    assert found["env"]["AJ_SUBMIT_TIMESTAMP_UTC"] == "2021-01-01T00:00:00Z"
    assert trainer.aj("run", "--dry-run", "--sid", "short").code == 2


def test_options_stop_at_the_first_word_of_the_command(trainer: Person) -> None:
    found = spec(trainer.aj("run", "--dry-run", "-n", "3", "python", "-n", "5", "--dry-run", "a b"))
    assert found["nodes"] == 3
    assert found["command"] == "python train.py\npython -n 5 --dry-run 'a b'"
    assert spec(trainer.aj("run", "--dry-run", "--", "--odd"))["command"].endswith("\n--odd")


def test_an_unknown_option_before_the_command_is_an_error(trainer: Person) -> None:
    said = trainer.aj("run", "--dry-run", "--bogus", "python")
    assert (said.code, said.out) == (2, "")
    assert "--bogus" in said.err


def test_a_script_of_the_code_folder_runs_with_its_interpreter(trainer: Person) -> None:
    trainer.draw("--- eval.py\n--- tools/prepare.sh\n")
    assert spec(trainer.aj("run", "--dry-run", "eval.py", "--x"))["command"].endswith("\npython eval.py --x")
    assert spec(trainer.aj("run", "--dry-run", "tools/prepare.sh"))["command"].endswith("\nbash tools/prepare.sh")
    assert spec(trainer.aj("run", "--dry-run", "gone.py"))["command"].endswith("\ngone.py")
    shell = spec(trainer.aj("run", "--dry-run", "--shell", "make && ./train > log"))
    assert shell["command"].endswith("\nmake && ./train > log")
    assert trainer.aj("run", "--dry-run", "--shell", "two", "words").code == 2


def test_the_code_folder_and_its_ignore_file(trainer: Person) -> None:
    trainer.draw("--- .ajignore\n# notes\n*.ckpt\n\n!keep.ckpt\n--- sub/.codeignore\nx\n")
    assert spec(trainer.aj("run", "--dry-run"))["code"] == {"dir": ".", "ignore": ["*.ckpt", "!keep.ckpt"]}
    assert spec(trainer.aj("run", "--dry-run", "--code", "sub", inside="sub"))["code"] == {
        "dir": "sub",
        "ignore": ["x"],
    }
    said = trainer.aj("run", "--dry-run", "--code", "nowhere")
    assert (said.code, said.out) == (1, "")
    assert "code.missing" in said.err


def test_overlays_lie_over_the_template(trainer: Person) -> None:
    trainer.draw("--- .aj/base/more.yaml\nconfig: {description: more}\n")
    options = ("--with", "base.more", "--set", "jobs[0].instance_count=5", "--env", "MODE=slow", "--env", "X=1.10")
    found = spec(trainer.aj("run", "--dry-run", *options))
    assert (found["description"], found["nodes"]) == ("more", 5)
    assert (found["env"]["MODE"], found["env"]["X"]) == ("slow", "1.10")


def test_what_is_missing_is_refused_with_the_flag_and_the_field(person: Person) -> None:
    person.draw("--- .aj/template/a.yaml\nconfig: {target: {service: local}, jobs: [{command: [run]}]}\n")
    said = person.aj("run", "--dry-run")
    assert (said.code, said.out) == (1, "")
    assert said.err.count("error shape.missing: ") == 2
    assert "-n" in said.err
    assert "jobs[0].instance_count" in said.err
    assert person.aj("run", "--dry-run", "-n", "1", "-p", "0").code == 0
    assert person.aj("run", "--dry-run", "-n", "x").code == 2


def test_a_default_that_is_not_there_is_told_as_such(trainer: Person) -> None:
    said = trainer.draw("--- .aj/aj.toml\ndefault = 'trian'\n").aj("run", "--dry-run")
    assert (said.code, said.out) == (2, "")
    assert "`trian` (the default of aj.toml) not found" in said.err
    assert "did you mean `train`?" in said.err


def test_of_what_a_broken_base_would_say_nothing_is_missing(person: Person) -> None:
    person.draw("--- .aj/template/a.yaml\nbase: base.gone\nconfig: {target: {service: local}}\n")
    said = person.aj("run", "--dry-run")
    assert (said.code, said.out) == (1, "")
    assert "base.missing" in said.err
    assert said.err.count(" error ") == 1


@pytest.mark.parametrize("time", ["yesterday", "2026-13-01T00:00:00Z", "2026-02-30", "2026-01-01T25:00:00Z"])
def test_a_time_is_one_of_the_calendar(trainer: Person, time: str) -> None:
    said = trainer.aj("run", "--dry-run", "--now", time)
    assert (said.code, said.out) == (2, "")
    assert time in said.err


def test_secrets_are_masked_unless_revealed(person: Person) -> None:
    secret = "hf_" + "a1" * 15
    person.draw(
        "--- .aj/template/a.yaml\nconfig:\n  target: {service: local, gpus_per_node: 0}\n"
        f"  jobs: [{{instance_count: 1, command: [run], submit_args: {{env: {{HF_TOKEN: {secret}}}}}}}]\n"
    )
    masked = person.aj("run", "--dry-run")
    assert secret not in masked.out + masked.err
    assert "warning secret.inline" in masked.err
    revealed = person.aj("run", "--dry-run", "--reveal")
    assert secret in revealed.out
    digest = hashlib.sha256(revealed.out.encode()).hexdigest()
    assert f"spec_sha256: {digest}\n" in masked.err
    assert f"spec_sha256: {digest}\n" in revealed.err


@pytest.mark.parametrize(
    "options",
    [
        ["--reveal"],
        ["--format", "json"],
        ["--dry-run", "--detach"],
        ["--dry-run", "--all-jobs"],
        ["--dry-run", "--format", "xml"],
    ],
)
def test_options_that_mean_nothing_together(trainer: Person, options: list[str]) -> None:
    said = trainer.aj("run", *options)
    assert (said.code, said.out) == (2, "")


def test_a_template_named_as_a_command_is_pointed_out(trainer: Person) -> None:
    said = trainer.aj("run", "--dry-run", "train")
    assert spec(said)["command"].endswith("\ntrain")
    assert said.err.startswith("`train` is run as a command here; ")
    assert "is run as a command" not in trainer.aj("run", "-t", "train", "--dry-run", "train").err


def test_amlt_carries_the_merged_source(trainer: Person) -> None:
    found = spec(trainer.aj("run", "--dry-run", "--amlt"))
    assert found["service"] == "amlt"
    assert found["template"]["target"]["service"] == "local"


def test_a_bad_template_is_refused_before_anything_is_sent(person: Person) -> None:
    person.draw("--- .aj/template/a.yaml\nconfig: {target: {service: slrum}, jobs: [{instance_count: two}]}\n")
    said = person.aj("run", "-n", "1", "-p", "0")
    assert (said.code, said.out) == (1, "")
    assert "service.unknown" in said.err
    assert "schema.type" in said.err


def test_the_same_bytes_whatever_the_hash_seed_and_the_folder(trainer: Person) -> None:
    """Ten runs as processes of their own, in turn from two folders and with other seeds."""
    (trainer.folder / "deep/er").mkdir(parents=True)
    outputs = set()
    for run in range(10):
        done = subprocess.run(
            [sys.executable, "-m", "ajkit.cli", "run", "--dry-run", "--sid", "x" * 10, "--now", "2024-01-01T00:00:00Z"],
            cwd=trainer.folder / ("deep/er" if run % 2 else "."),
            env={**os.environ, "PYTHONHASHSEED": str(run)},
            capture_output=True,
            check=True,
        )
        outputs.add(done.stdout + done.stderr)
    assert len(outputs) == 1
