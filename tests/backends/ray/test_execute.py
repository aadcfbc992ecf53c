"""Handing jobs to Ray when its answers are late, lost or wrong, and following them there."""

from __future__ import annotations

import json
import os
import socket
import threading
from typing import TYPE_CHECKING, Any

import pytest

from ajkit.backends.ray import execute, record
from ajkit.backends.ray.execute import RayExecution
from ajkit.shared.job.execution import (
    Handle,
    JobState,
    LogStream,
    OutcomeUnknown,
    Rejected,
    Unavailable,
    UnclearRefusal,
)
from ajkit.shared.job.spec import FromEnv
from tests.backends.ray.pretended import TRACE, Cluster, submission

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

ID = "aj-abcdefghij"


@pytest.fixture
def cluster(monkeypatch: pytest.MonkeyPatch) -> Iterator[Cluster]:
    cluster = Cluster()
    monkeypatch.setenv("RAY_ADDRESS", cluster.address)
    monkeypatch.setattr(execute, "_FRESH_SECONDS", 0.0)
    yield cluster
    cluster.close()


def submit(job: Any) -> str:
    return RayExecution().submit(job, lambda _: None)


def test_a_job_with_its_code(cluster: Cluster, tmp_path: Path) -> None:
    job = submission(
        tmp_path,
        "python train.py",
        setup=["a"],
        nodes=2,
        processes_per_node=2,
        gpus_per_node=4,
        time_limit_seconds=60,
        env={"A": "x,y"},
        options={"runtime_env": {"pip": ["torch"], "py_modules": ["s3://theirs.zip"]}, "cpus_per_node": 8.0},
    )
    assert submit(job) == ID
    body = cluster.jobs[ID]
    code, own, theirs = body["runtime_env"]["py_modules"]
    assert (body["entrypoint"], body["runtime_env"]["pip"], theirs) == (
        "python -m aj_job",
        ["torch"],
        "s3://theirs.zip",
    )
    assert {code, own} == {f"gcs://{each}" for each in cluster.packages}
    assert set(cluster.unpacked("aj_code")) == {"aj_code/__init__.py", "aj_code/code.tar"}
    assert json.loads(cluster.unpacked("aj_job")["aj_job/job.json"]) == {
        "name": job.spec.name,
        "nodes": 2,
        "processes": 2,
        "cpus": 8.0,
        "gpus": 4,
        "time_limit": 60,
        "script": "a\npython train.py\n",
        "env": {"A": "x,y"},
    }
    assert RayExecution().find(job) == ID
    assert not [each for each in os.listdir(job.folder) if each.endswith(".zip")]


def test_code_travels_once(cluster: Cluster, tmp_path: Path) -> None:
    submit(submission(tmp_path))
    cluster.jobs.clear()
    submit(submission(tmp_path))
    assert len([each for each in cluster.asked if each.startswith("PUT") and "aj_code" in each]) == 1


def test_secrets_are_in_the_package_alone(cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("TOKEN", "hush")
    job = submission(tmp_path, env={"KEY": FromEnv(from_env="TOKEN")})
    submit(job)
    assert json.loads(cluster.unpacked("aj_job")["aj_job/job.json"])["env"] == {"KEY": "hush"}
    assert "hush" not in json.dumps(cluster.jobs)
    shown = RayExecution().render(job).files
    assert json.loads(shown["job.json"])["env"] == {"KEY": "‹from_env TOKEN›"}
    assert "hush" not in "".join(shown.values())
    assert json.loads(shown["submission.json"])["submission_id"] == ID
    monkeypatch.delenv("TOKEN")
    assert [each.code for each in RayExecution().check(job.spec)] == ["ray.secret"]


def test_a_job_that_is_there_already_is_found(cluster: Cluster, tmp_path: Path) -> None:
    job = submission(tmp_path)
    assert (submit(job), submit(job)) == (ID, ID)
    with pytest.raises(Rejected, match="another job of the id aj-abcdefghij"):
        submit(submission(tmp_path, "something else"))
    assert RayExecution().find(submission(tmp_path, "something else")) is None


@pytest.mark.parametrize(("status", "kind"), [(400, Rejected), (500, UnclearRefusal)])
def test_what_ray_refuses(status: int, kind: type[Exception], cluster: Cluster, tmp_path: Path) -> None:
    cluster.say["POST /api/jobs/"] = status, TRACE.format("Invalid runtime_env: conda and pip")
    with pytest.raises(kind, match=r"^RuntimeError: Invalid runtime_env: conda and pip$"):
        submit(submission(tmp_path))


@pytest.mark.parametrize("status", [502, 503, 504])
def test_a_gateway_that_had_no_answer(status: int, cluster: Cluster, tmp_path: Path) -> None:
    cluster.say["POST /api/jobs/"] = status, "upstream went away"
    with pytest.raises(OutcomeUnknown, match="upstream went away"):
        submit(submission(tmp_path))


def test_taken_and_the_answer_lost(cluster: Cluster, tmp_path: Path) -> None:
    job = submission(tmp_path)
    cluster.drop.add("POST /api/jobs/")
    with pytest.raises(OutcomeUnknown, match="did not answer"):
        submit(job)
    assert RayExecution().find(job) == ID


def test_an_error_and_then_nobody_to_ask(cluster: Cluster, tmp_path: Path) -> None:
    cluster.say["POST /api/jobs/"] = 500, TRACE.format("No available agent")
    cluster.say[f"GET /api/jobs/{ID}"] = 503, "restarting"
    with pytest.raises(OutcomeUnknown, match=r"No available agent; then .* answers 503: restarting"):
        submit(submission(tmp_path))


@pytest.mark.parametrize(
    ("path", "message"),
    [("GET /api/packages", "which packages it has: oh"), ("PUT /api/packages", "does not take the code: oh")],
)
def test_packages_that_cannot_be_had(path: str, message: str, cluster: Cluster, tmp_path: Path) -> None:
    name = f"/gcs/_ray_pkg_aj_code_{'d' * 32}.zip"
    cluster.say[f"{path}{name}"] = 500, "trace\noh"
    with pytest.raises(Unavailable, match=message):
        submit(submission(tmp_path))
    cluster.say.clear()
    cluster.drop.add(f"{path}{name}")
    with pytest.raises(Unavailable, match="did not answer"):
        submit(submission(tmp_path))
    assert cluster.jobs == {}


def test_nobody_there(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    with socket.socket() as probe:
        # Held, and nobody listens there: no other server is given it meanwhile.
        probe.bind(("127.0.0.1", 0))
        port = probe.getsockname()[1]
        job = submission(tmp_path, options={"address": f"http://127.0.0.1:{port}"})
        engine, handle = RayExecution(), Handle(job, ID)
        for ask in (lambda: submit(job), lambda: engine.find(job), lambda: engine.status(handle)):
            with pytest.raises(Unavailable, match="cannot be reached"):
                ask()
        with pytest.raises(Unavailable):
            engine.cancel(handle)
        with pytest.raises(Unavailable):
            engine.streams(handle)


@pytest.mark.parametrize("given", ["", "ray://head:10001", "auto"])
def test_an_address_that_is_none(given: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_ADDRESS", given)
    (found,) = RayExecution().check(submission(tmp_path).spec)
    assert found.code == "ray.address"
    assert "RAY_ADDRESS" in found.message
    odd = submission(tmp_path, env={"A=B": "x"}, options={"address": "http://head:8265"})
    assert [each.code for each in RayExecution().check(odd.spec)] == ["ray.env"]


def test_who_asks_is_said(cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("RAY_AUTH_TOKEN", "t")
    monkeypatch.setenv("RAY_JOB_HEADERS", '{"X-Team": "nlp"}')
    RayExecution().find(submission(tmp_path))
    assert (cluster.headers["Authorization"], cluster.headers["X-Team"]) == ("Bearer t", "nlp")


def test_the_way_of_a_job(cluster: Cluster, tmp_path: Path) -> None:
    job = submission(tmp_path, nodes=2)
    submit(job)
    engine, handle = RayExecution(), Handle(job, ID)
    assert (engine.status(handle).state, engine.status(handle).message) == (JobState.QUEUED, "Job has not started yet.")
    cluster.jobs[ID]["status"] = "RUNNING"
    cluster.logs[ID] = "Running entrypoint for job aj-x: y\naj: waiting for 2 nodes\n"
    assert engine.status(handle).message == "Ray looks for nodes that are free for it"
    cluster.logs[ID] += "aj: all nodes have started\nnode-1 | two\nnode-1 + thr"
    assert engine.status(handle).state is JobState.RUNNING
    assert engine.streams(handle) == [LogStream("node-1", 1), LogStream("driver", 0)]
    chunk = engine.logs(handle, "node-1", 1, 2)
    assert (chunk.data, chunk.next_offset, chunk.complete) == (b"wo", 3, False)
    cluster.logs[ID] += "ee\naj: node-1 exited with 7\n"
    cluster.jobs[ID] |= {"status": "FAILED", "message": "Job entrypoint command failed", "driver_exit_code": 7}
    status = engine.status(handle)
    assert (status.state, status.message, status.exit_code) == (JobState.FAILED, "node-1 exited with 7", 7)
    cluster.logs.clear()
    chunk = RayExecution().logs(handle, "node-1", 0, 99)
    assert (chunk.data, chunk.complete) == (b"two\nthree", True)
    with pytest.raises(KeyError):
        engine.logs(handle, "node-7", 0, 9)


def test_what_is_kept_at_the_same_time_is_kept_once(
    cluster: Cluster, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """Who follows the log, and who asks after the job, which is over."""
    job = submission(tmp_path)
    submit(job)
    engine, handle = RayExecution(), Handle(job, ID)
    cluster.logs[ID] = "node-0 | one\n"
    engine.streams(handle)
    cluster.logs[ID] += "node-0 | two\n"
    cluster.jobs[ID] |= {"status": "SUCCEEDED"}
    followed = threading.Thread(target=engine.streams, args=(handle,))

    def opened(*words: Any, **more: Any) -> Any:
        file = plain(*words, **more)
        monkeypatch.setattr(record, "open", plain, raising=False)
        followed.start()
        followed.join(0.3)
        return file

    plain = open
    monkeypatch.setattr(record, "open", opened, raising=False)
    assert engine.status(handle).state is JobState.DONE
    followed.join(60)
    assert engine.logs(handle, "node-0", 0, 99).data == b"one\ntwo\n"


@pytest.mark.parametrize(
    ("status", "message", "state"),
    [
        ("SUCCEEDED", "Job finished successfully.", JobState.DONE),
        ("STOPPED", "Job was intentionally stopped.", JobState.CANCELLED),
        ("FAILED", "runtime_env setup failed: no torch\nmore", JobState.FAILED),
    ],
)
def test_ends(status: str, message: str, state: JobState, cluster: Cluster, tmp_path: Path) -> None:
    job = submission(tmp_path)
    submit(job)
    cluster.jobs[ID] |= {"status": status, "message": message}
    found = RayExecution().status(Handle(job, ID))
    assert found.state is state
    if state is JobState.FAILED:
        assert message.split("\n", maxsplit=1)[0] in found.message


@pytest.mark.parametrize("status", ["BROODING", None])
def test_a_word_that_is_not_known_is_no_end(status: str | None, cluster: Cluster, tmp_path: Path) -> None:
    job = submission(tmp_path)
    submit(job)
    cluster.jobs[ID] |= {"status": status}
    with pytest.raises(Unavailable, match=f"{status!r}"):
        RayExecution().status(Handle(job, ID))


def test_a_head_that_was_started_anew(cluster: Cluster, tmp_path: Path) -> None:
    status = RayExecution().status(Handle(submission(tmp_path), ID))
    assert status.state is JobState.LOST
    assert "its head was started anew" in status.message


def test_stop(cluster: Cluster, tmp_path: Path) -> None:
    job = submission(tmp_path)
    submit(job)
    engine, handle = RayExecution(), Handle(job, ID)
    engine.cancel(handle)
    assert engine.status(handle).state is JobState.QUEUED, "that Ray says yes means nothing"
    cluster.say[f"POST /api/jobs/{ID}/stop"] = 404, ""
    engine.cancel(handle)
    cluster.say[f"POST /api/jobs/{ID}/stop"] = 500, "oh"
    with pytest.raises(Unavailable, match="oh"):
        engine.cancel(handle)


def test_an_answer_that_is_no_json(cluster: Cluster, tmp_path: Path) -> None:
    cluster.say[f"GET /api/jobs/{ID}"] = 200, "<html>proxy</html>"
    with pytest.raises(Unavailable, match="proxy"):
        RayExecution().find(submission(tmp_path))
    assert RayExecution().dry_run(submission(tmp_path)) is None
