"""Jobs through a fake `amlt`: what it is called with, where the YAML lies, and what its answers mean."""

from __future__ import annotations

import subprocess
from pathlib import Path
from typing import TYPE_CHECKING

import pytest
import yaml

from ajkit.backends.amlt.commands import Amlt, state_of
from ajkit.shared.job.execution import (
    Execution,
    Handle,
    JobState,
    LogChunk,
    OutcomeUnknown,
    Rejected,
    Status,
    Unavailable,
    UnclearRefusal,
)
from ajkit.shared.job.spec import JobSpec
from tests.backends.amlt.conftest import EXAMPLE, job_spec
from tests.daemons import wait_until

if TYPE_CHECKING:
    from collections.abc import Mapping, Sequence

    from tests.backends.amlt.conftest import Bench


def test_it_is_an_execution(bench: Bench) -> None:
    members = [each for each in vars(Execution) if not each.startswith("_")]
    assert [each for each in members if not hasattr(bench.execution, each)] == []


@pytest.mark.parametrize(
    "code_dir", [".", "src", "$CONFIG_DIR/../..", "$CONFIG_DIR", "../beside", "/somewhere/else", "~/x"]
)
def test_relative_paths_hold(bench: Bench, code_dir: str) -> None:
    spec = job_spec('cat hello.txt; echo "$WHO $((1 + 1))"', code_dir=code_dir, env={"WHO": "$me"})
    handle = bench.submit(spec)
    assert handle.backend_id == spec.name
    assert bench.finish(handle) == Status(JobState.DONE, "", 0)
    assert bench.output(handle) == {"node-0": "hello from the code\n$me 2\n"}


def test_what_amlt_is_called_with(bench: Bench) -> None:
    spec = job_spec("true", experiment="sweep", description="a try", backend_spec={"args": ["--sla", "Basic"]})
    handle = bench.submit(spec)
    bench.finish(handle)
    (call,) = bench.calls("run")
    yaml_path = f".azure_jobs/template/{spec.name}.yaml"
    assert call["argv"] == ["run", yaml_path, "sweep", "--description", "a try", "--sla", "Basic", "--yes"]
    assert call["cwd"] == f"{handle.job.folder}/project"
    rendered = bench.execution.render(handle.job).files
    assert rendered["command.sh"] == f"amlt run {yaml_path} sweep --description 'a try' --sla Basic --yes\n"
    assert rendered[f"{spec.name}.yaml"] == (bench.folder / "jobs" / spec.sid / "project" / yaml_path).read_text()


def test_the_example_is_rendered() -> None:
    from ajkit.backends.amlt.layout import layout

    spec = JobSpec.model_validate_json(EXAMPLE.read_text("utf-8"))
    plan = layout(spec)
    assert (plan.code, plan.yaml) == (".", "train-0000000000.yaml")
    config = yaml.safe_load(plan.text)
    assert config["code"]["local_dir"] == "$CONFIG_DIR"
    assert config["jobs"][0]["sku"] == "${NODES}xG8"


def test_a_leaf_outside_the_project_is_put_at_its_top(bench: Bench) -> None:
    spec = job_spec("cat hello.txt", sources=[{"path": "../shared/train.yaml", "sha256": "0" * 64}])
    handle = bench.submit(spec)
    assert bench.finish(handle).state is JobState.DONE
    assert bench.calls("run")[0]["argv"][1] == f"{spec.name}.yaml"
    assert bench.output(handle)["node-0"] == "hello from the code\n"


def test_secrets_go_through_the_environment_of_amlt(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_TOKEN", "s3cret")
    handle = bench.submit(job_spec('echo "${#TOKEN}"', env={"TOKEN": {"from_env": "A_TOKEN"}}))
    bench.finish(handle)
    assert bench.output(handle)["node-0"] == "6\n"
    text = bench.execution.render(handle.job).files[f"{handle.job.spec.name}.yaml"]
    assert "TOKEN: $AJ_SECRET_TOKEN" in text
    assert "s3cret" not in text + str(bench.calls("run"))


def test_several_jobs(bench: Bench) -> None:
    other = {"name": "other", "command": ["echo second; exit 2"], "submit_args": {"env": {}}}
    handle = bench.submit(job_spec("echo first", others=[other]))
    name = handle.job.spec.name
    assert bench.finish(handle) == Status(JobState.FAILED, f"{name}: pass, other: failed")
    assert bench.output(handle) == {"job-0": "first\n", "job-1": "second\n"}


def test_failure(bench: Bench) -> None:
    assert bench.finish(bench.submit(job_spec("exit 3"))) == Status(JobState.FAILED, "")


@pytest.mark.parametrize("mode", ["", "old", "held"])
def test_cancel(bench: Bench, mode: str) -> None:
    bench.mode(mode)
    handle = bench.submit(job_spec("echo on; sleep 600"))
    if mode != "held":
        wait_until(lambda: bench.execution.logs(handle, "node-0", 0, 99).data == b"on\n")
        assert bench.execution.status(handle) == Status(JobState.RUNNING, "")
        assert not bench.execution.logs(handle, "node-0", 0, 99).complete
    bench.execution.cancel(handle)
    assert bench.finish(handle).state is JobState.CANCELLED
    bench.execution.cancel(handle)
    (call,) = bench.calls("cancel")
    assert call["argv"] == ["cancel", handle.backend_id, f":{handle.job.spec.name}", "--yes"]


def test_a_log_is_not_asked_for_while_somebody_asks(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """Whose answer would be older, and could come last."""
    handle = bench.submit(job_spec("echo first"))
    bench.finish(handle)
    others: list[LogChunk] = []
    slowly = iter([True])
    ask = Amlt.ask

    def slow(amlt: Amlt, words: Sequence[str], *, tables: bool = False) -> subprocess.CompletedProcess[str]:
        done = ask(amlt, words, tables=tables)
        if words[0] == "logs" and next(slowly, False):
            others.append(bench.execution.logs(handle, "node-0", 0, 99))
        return done

    monkeypatch.setattr(Amlt, "ask", slow)
    assert bench.execution.logs(handle, "node-0", 0, 99) == LogChunk(b"first\n", 6, complete=True)
    assert others == [LogChunk(b"", 0, complete=False)]
    assert len(bench.calls("logs")) == 1


def test_a_failure_behind_the_submission_is_found_and_never_doubled(bench: Bench) -> None:
    job = bench.submission(job_spec("echo once"))
    assert bench.execution.find(job) is None
    bench.mode("lost")
    handle = Handle(job, bench.execution.submit(job, lambda _: None))
    assert bench.execution.find(job) == handle.backend_id
    assert bench.finish(handle).state is JobState.DONE
    assert len(bench.calls("run")) == 1


def test_what_is_not_known_is_not_guessed(bench: Bench) -> None:
    job = bench.submission(job_spec("true"))
    bench.mode("fail")
    with pytest.raises(OutcomeUnknown, match="could not reach the service"):
        bench.execution.submit(job, lambda _: None)
    with pytest.raises(Unavailable, match="amlt status: ERROR: could not reach the service"):
        bench.execution.find(job)
    bench.mode("")
    assert bench.execution.find(job) is None
    assert bench.finish(Handle(job, bench.execution.submit(job, lambda _: None))).state is JobState.DONE


def test_a_refusal(bench: Bench) -> None:
    bench.mode("refuse")
    with pytest.raises(UnclearRefusal, match="amlt run: ERROR: Target not found: vc"):
        bench.submit(job_spec("true"))


def test_a_folder_that_cannot_be_used_is_no_refusal(bench: Bench) -> None:
    job = bench.submission(job_spec("true"))
    Path(job.folder).parent.mkdir(parents=True, exist_ok=True)
    Path(job.folder).touch()
    for ask in (bench.execution.find, lambda each: bench.execution.submit(each, lambda _: None)):
        with pytest.raises(Unavailable, match=r"the job's folder cannot be used: .*File exists"):
            ask(job)


def test_a_job_that_is_gone(bench: Bench) -> None:
    job = bench.submission(job_spec("true"))
    assert bench.execution.status(Handle(job, "gone")).state is JobState.LOST


def test_no_amlt(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("PATH", "/nowhere")
    job = bench.submission(job_spec("true"))
    with pytest.raises(Rejected, match="there is no amlt on the PATH that `aj run` was called with"):
        bench.execution.submit(job, lambda _: None)
    with pytest.raises(Unavailable, match="there is no amlt"):
        bench.execution.find(job)


def test_no_answer(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def never(words: Sequence[str], timeout: float, **_: object) -> None:
        raise subprocess.TimeoutExpired(list(words), timeout)

    monkeypatch.setattr("ajkit.backends.amlt.commands.subprocess.run", never)
    amlt = Amlt({}, str(tmp_path))
    with pytest.raises(OutcomeUnknown, match="did not end within 1800 seconds"):
        amlt.run(["run"], {}, 0)
    with pytest.raises(Unavailable, match="amlt status did not answer within 180 seconds"):
        amlt.states("x")


@pytest.mark.parametrize("answer", ["no table", "[1]", '[{"name": "x"}]'])
def test_answers_that_are_none(answer: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    def said(words: Sequence[str], env: Mapping[str, str], **_: object) -> subprocess.CompletedProcess[str]:
        return subprocess.CompletedProcess(list(words), 0, answer, "")

    monkeypatch.setattr("ajkit.backends.amlt.commands.subprocess.run", said)
    with pytest.raises(Unavailable, match="no table of jobs"):
        Amlt({}, str(tmp_path)).states("x")


@pytest.mark.parametrize(
    ("word", "state"),
    [("Pass", JobState.DONE), ("killed", JobState.CANCELLED), ("preparing", JobState.QUEUED), ("odd", None)],
)
def test_words(word: str, state: JobState | None) -> None:
    assert state_of(word) == state


def test_checks(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.delenv("NO_SUCH", raising=False)
    assert bench.execution.check(job_spec("true")) == []
    found = bench.execution.check(job_spec("true", template=None))
    assert [each.code for each in found] == ["amlt.template"]
    found = bench.execution.check(job_spec("true", env={"A": {"from_env": "NO_SUCH"}}))
    assert [each.code for each in found] == ["amlt.secret"]
