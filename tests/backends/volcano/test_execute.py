"""Volcano jobs on a fake cluster that runs their pods here: from submission to the end, and all that can go wrong."""

from __future__ import annotations

import subprocess
from typing import TYPE_CHECKING

import pytest

from ajkit.backends.volcano.belongings import clear
from ajkit.shared.job.execution import (
    Execution,
    Handle,
    JobState,
    LiveValue,
    LiveValues,
    OutcomeUnknown,
    Rejected,
    Status,
    Unavailable,
)
from tests.backends.volcano.conftest import example, job_spec
from tests.daemons import wait_until

if TYPE_CHECKING:
    from pathlib import Path

    from tests.backends.volcano.conftest import Bench

JOBS = "/apis/batch.volcano.sh/v1alpha1/namespaces/research/jobs"
RANKS = 'echo "$AJ_NODE_RANK $NODE_RANK $RANK/$WORLD_SIZE $LOCAL_RANK/$LOCAL_WORLD_SIZE $MASTER_ADDR:$MASTER_PORT"'


def test_it_is_an_execution(bench: Bench) -> None:
    members = [each for each in vars(Execution) if not each.startswith("_")]
    assert [each for each in members if not hasattr(bench.execution, each)] == []
    assert isinstance(bench.execution, LiveValues)


def test_two_nodes_of_two_processes(bench: Bench) -> None:
    spec = job_spec(RANKS, nodes=2, processes_per_node=2, setup=["cat hello.txt", "export SET_UP=yes"])
    handle = bench.submit(spec)
    assert handle.backend_id == f"research/{spec.name}"
    assert bench.finish(handle) == Status(JobState.DONE, "", 0)
    head = f"{spec.name}-worker-0.{spec.name}:29500"
    lines = {name: sorted(text.splitlines()) for name, text in bench.output(handle).items()}
    assert lines == {
        "node-0": [f"0 0 0/4 0/2 {head}", f"0 0 1/4 1/2 {head}", "hello from the code"],
        "node-1": [f"1 1 2/4 0/2 {head}", f"1 1 3/4 1/2 {head}", "hello from the code"],
    }


def test_unlike_tasks(bench: Bench) -> None:
    task = {"cpus_per_node": "1", "memory": "1Gi", "gpus_per_node": 0, "rdma": False}
    tasks = {
        "master": {**task, "replicas": 1, "processes_per_node": 1, "command": ["echo master"]},
        "actor": {**task, "replicas": 2, "processes_per_node": 2, "env": {"WHO": "me"}},
        "learner": {**task, "replicas": 1, "processes_per_node": 1, "environment": {"setup": ["echo set up"]}},
    }
    command = 'echo "$AJ_TASK_NAME $AJ_TASK_INDEX/$AJ_TASK_REPLICAS $AJ_NODE_RANK $RANK/$WORLD_SIZE $WHO $MASTER_ADDR"'
    spec = job_spec(command, nodes=4, processes_per_node=2, env={"WHO": "all"}, backend_spec={"tasks": tasks})
    handle = bench.submit(spec)
    assert bench.finish(handle).state is JobState.DONE
    head = f"{spec.name}-master-0.{spec.name}"
    assert {name: sorted(text.splitlines()) for name, text in bench.output(handle).items()} == {
        "node-0": ["master"],
        "node-1": [f"actor 0/2 1 1/6 me {head}", f"actor 0/2 1 2/6 me {head}"],
        "node-2": [f"actor 1/2 2 3/6 me {head}", f"actor 1/2 2 4/6 me {head}"],
        "node-3": [f"learner 0/1 3 5/6 all {head}", "set up"],
    }


def test_a_failing_node_ends_the_job(bench: Bench, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ajkit.shared.job.nodeprogram.GRACE_SECONDS", 60)
    ready, let_go = tmp_path / "ready", tmp_path / "let-go"
    command = f"""
until_there() {{ until [ -e "$1" ]; do sleep 0.05; done; }}
if [ $RANK = 1 ]; then until_there {ready}; echo broken; exit 3; fi
trap 'until_there {let_go}' TERM
echo fine
sleep 600 & wait"""
    spec = job_spec(command, nodes=2)
    handle = bench.submit(spec)
    wait_until(lambda: b"fine\n" in (bench.cluster.log("research", f"{spec.name}-worker-0") or b""))
    ready.touch()
    job = bench.cluster.named("jobs")[spec.name]
    wait_until(lambda: job["status"]["state"]["phase"] == "Aborting")
    assert bench.execution.status(handle).state is JobState.RUNNING
    let_go.touch()
    assert bench.finish(handle) == Status(JobState.FAILED, f"{spec.name}-worker-1 exited with 3", 3)
    assert bench.output(handle)["node-1"] == "broken\n"
    assert f"{spec.name}-worker-0" not in bench.cluster.named("pods")
    assert bench.output(handle)["node-0"] == "fine\n", "kept although its pod was taken away"


def test_values_arrive_as_they_are(bench: Bench) -> None:
    value = "$(HOME) $$ $HOME `date` \"q\" 'r' \\ ü\nline"
    handle = bench.submit(job_spec('printf "%s|" "$VALUE"', env={"VALUE": value}))
    bench.finish(handle)
    assert bench.output(handle)["node-0"] == f"{value}|"


def test_secrets(bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("A_TOKEN", "s3cret-1")
    (tmp_path / "key").write_text("s3cret-2\n")
    env = {"TOKEN": {"from_env": "A_TOKEN"}, "KEY": {"from_file": str(tmp_path / "key")}}
    spec = job_spec('echo "${#TOKEN} ${#KEY}"', env=env)
    rendered = bench.execution.render(bench.submission(spec)).files
    assert 'stringData:\n  worker.TOKEN: "‹from_env A_TOKEN›"' in rendered["secret.yaml"]
    bench.nodes.full = True
    handle = bench.submit(spec)
    assert "s3cret" not in "".join(rendered.values())
    assert "s3cret" not in str(bench.cluster.named("jobs")) + str(bench.cluster.named("configmaps"))
    stored = bench.cluster.named("secrets")[f"{spec.name}-env"]
    assert stored["metadata"]["ownerReferences"][0]["name"] == spec.name
    bench.nodes.full = False
    assert bench.finish(handle).state is JobState.DONE
    assert bench.output(handle)["node-0"] == "8 8\n"
    assert bench.cluster.named("secrets") == {}, "taken away when the job is over"


def test_waiting_says_why(bench: Bench) -> None:
    bench.nodes.full = True
    spec = job_spec("true")
    handle = bench.submit(spec)
    wait_until(lambda: bool(bench.cluster.named("pods")))
    status = bench.execution.status(handle)
    message = f"{spec.name}-worker-0: 0/2 nodes are available: 2 Insufficient nvidia.com/gpu."
    assert status == Status(JobState.QUEUED, message)
    assert bench.execution.streams(handle) == []
    bench.execution.cancel(handle)
    assert bench.finish(handle).state is JobState.CANCELLED


def test_events_of_the_cluster_are_told(bench: Bench) -> None:
    bench.cluster.watchers.clear()
    spec = job_spec("true")
    handle = bench.submit(spec)
    assert bench.execution.status(handle) == Status(JobState.QUEUED, "Volcano has not looked at it yet")
    for name, at, text in (("x", "3", "other"), (spec.name, "2", "queue is overused"), (f"{spec.name}-u", "1", "old")):
        event = {"type": "Warning", "involvedObject": {"name": name}, "lastTimestamp": at, "message": text}
        bench.cluster.put("events", "research", {**event, "metadata": {"name": f"e-{at}"}})
    assert bench.execution.status(handle).message == "queue is overused"


def test_cancel_is_confirmed_by_the_engine(bench: Bench) -> None:
    handle = bench.submit(job_spec("echo on; sleep 600", nodes=2))
    wait_until(
        lambda: bench.execution.status(handle).state is JobState.RUNNING and len(bench.execution.streams(handle)) == 2
    )
    wait_until(lambda: bench.execution.logs(handle, "node-0", 0, 99).data == b"on\n")
    bench.execution.cancel(handle)
    bench.execution.cancel(handle)
    assert bench.finish(handle).state is JobState.CANCELLED
    assert bench.output(handle)["node-0"].startswith("on\n")
    bench.execution.cancel(handle)


def test_cancel_where_commands_are_not_allowed(bench: Bench) -> None:
    bench.cluster.forbidden.add("commands")
    handle = bench.submit(job_spec("echo on; sleep 600"))
    wait_until(lambda: bench.execution.status(handle).state is JobState.RUNNING)
    bench.execution.cancel(handle)
    assert bench.finish(handle) == Status(JobState.CANCELLED, "cancelled: the job was deleted")


def test_a_job_that_somebody_deleted_is_lost(bench: Bench) -> None:
    bench.nodes.full = True
    handle = bench.submit(job_spec("true"))
    wait_until(lambda: bool(bench.cluster.named("pods")))
    bench.cluster.answer("DELETE", f"{JOBS}/{handle.job.spec.name}", {}, None)
    assert bench.execution.status(handle).state is JobState.LOST


def test_what_a_job_has_is_not_taken_away_at_one_word(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    bench.nodes.full = True
    handle = bench.submit(job_spec("true", env={"KEY": {"from_env": "PATH"}}))
    wait_until(lambda: bool(bench.cluster.named("pods")))
    key = next(each for each in bench.cluster.objects if each[0] == "jobs")
    there, beside = bench.cluster.objects.pop(key), {"configmaps", "secrets"}
    assert bench.execution.status(handle).state is JobState.LOST
    bench.cluster.objects[key] = there
    assert bench.execution.status(handle).state is JobState.QUEUED
    assert {each for each, *_ in bench.cluster.objects} >= beside
    del bench.cluster.objects[key]
    monkeypatch.setattr("ajkit.backends.volcano.execute._GONE_SECONDS", 0.0)
    assert bench.execution.status(handle).state is JobState.LOST
    assert not {each for each, *_ in bench.cluster.objects} & beside
    # For the nodes, which go on until it is deleted.
    bench.cluster.objects[key] = there
    bench.cluster.answer("DELETE", f"{JOBS}/{handle.job.spec.name}", {}, None)


def test_a_refusal_leaves_what_a_job_has_that_came_meanwhile(bench: Bench) -> None:
    """The answer of an earlier call was lost, and it arrived while the one that was refused was under way."""
    bench.nodes.full = True
    handle = bench.submit(job_spec("true"))
    cluster = bench.execution._cluster(None)
    clear(cluster, handle.job, "research")
    assert f"{handle.job.spec.name}-aj" in bench.cluster.named("configmaps")


@pytest.mark.parametrize("lost", ["lost", 500, 504])
def test_a_lost_answer_is_found_by_its_token_and_never_doubled(bench: Bench, lost: str | int) -> None:
    bench.nodes.full = True
    spec = job_spec("true")
    job = bench.submission(spec)
    assert bench.execution.find(job) is None
    bench.cluster.faults.append(("jobs", lost))
    with pytest.raises(OutcomeUnknown):
        bench.execution.submit(job, lambda _: None)
    there = bench.execution.find(job)
    assert (there is not None) == (lost == "lost")
    assert bench.execution.submit(job, lambda _: None) == f"research/{spec.name}"
    assert bench.execution.find(job) == f"research/{spec.name}"
    assert list(bench.cluster.named("jobs")) == [spec.name]


@pytest.mark.parametrize("fault", [("jobs", "refused"), ("jobs", 429), ("configmaps", "lost"), ("configmaps", 503)])
def test_what_was_certainly_not_accepted(bench: Bench, fault: tuple[str, str | int]) -> None:
    job = bench.submission(job_spec("echo once"))
    bench.cluster.faults.append(fault)
    # A connection that was cut before anything was read cannot be told from one that was cut after.
    kind = OutcomeUnknown if fault == ("jobs", "refused") else Unavailable
    with pytest.raises(kind):
        bench.execution.submit(job, lambda _: None)
    if kind is Unavailable:
        assert bench.cluster.named("configmaps") == {}, "nothing stays behind"
    assert bench.execution.find(job) is None
    handle = Handle(job, bench.execution.submit(job, lambda _: None))
    assert bench.finish(handle).state is JobState.DONE
    assert bench.output(handle)["node-0"] == "once\n"


def test_a_job_of_somebody_else_has_the_name(bench: Bench) -> None:
    spec = job_spec("true")
    bench.cluster.put("jobs", "research", {"metadata": {"name": spec.name, "labels": {}}})
    job = bench.submission(spec)
    assert bench.execution.find(job) is None
    with pytest.raises(Rejected, match="of somebody else"):
        bench.execution.submit(job, lambda _: None)
    assert bench.cluster.named("configmaps") == {}


def test_what_the_cluster_refuses(bench: Bench) -> None:
    for options, said in (
        ({"queue": "nope"}, r"there is no queue 'nope' \(target.queue\); there are: default, nlp, rl"),
        ({"namespace": "nowhere"}, "no such namespace"),
    ):
        with pytest.raises(Rejected, match=said):
            bench.submit(job_spec("true", options=options))
    with pytest.raises(Rejected, match="the pods of worker: image: Invalid value"):
        bench.submit(job_spec("true", image="broken image"))
    bench.cluster.objects["queues", "", "rl"]["status"]["state"] = "Closed"
    with pytest.raises(Rejected, match=r"the queue 'rl' \(target.queue\) is closed"):
        bench.submit(job_spec("true", options={"queue": "rl"}))
    with pytest.raises(Unavailable, match="the kubeconfig has no context 'moon'; there are: gpu-cluster, kind"):
        bench.submit(job_spec("true", options={"context": "moon"}))
    bench.cluster.forbidden.add("jobs")
    with pytest.raises(Rejected, match="jobs is forbidden"):
        bench.submit(job_spec("true"))
    assert {each for each, *_ in bench.cluster.objects} == {"queues", "priorityclasses"}, "nothing was left behind"


def test_fields_that_the_cluster_drops_are_told(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("tests.backends.volcano.fakeapi.without_unknown", lambda value, _: _without_ttl(value))
    with pytest.raises(Rejected, match=r"would drop: Job: spec.ttlSecondsAfterFinished"):
        bench.execution.dry_run(bench.submission(job_spec("true")))


def _without_ttl(body: dict[str, dict[str, object]]) -> dict[str, object]:
    return {**body, "spec": {key: value for key, value in body["spec"].items() if key != "ttlSecondsAfterFinished"}}


def test_dry_run(bench: Bench) -> None:
    bench.cluster.objects["queues", "", "nlp"]["status"]["state"] = "Open"
    said = bench.execution.dry_run(bench.submission(example("train")))
    assert said == "the cluster would take the job and its 2 pods in research, queue nlp"
    assert [each for each in bench.cluster.requests if not each.startswith("GET") and "?dry" not in each] == []


def test_code_through_a_claim(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AJ_VOLCANO_CODE", "claim:code")
    said: list[str] = []
    for expected in ("sending 0.0 MiB of code", "the code is there already"):
        said.clear()
        job = bench.submission(job_spec("cat hello.txt"))
        handle = Handle(job, bench.execution.submit(job, said.append))
        assert said == ["starting a pod that writes into code", expected]
        assert bench.finish(handle).state is JobState.DONE
        assert bench.output(handle)["node-0"] == "hello from the code\n"
    assert [each for each in bench.cluster.named("pods") if each.endswith("-upload")] == []


def test_code_that_is_too_large_for_config_maps(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ajkit.backends.volcano.delivery.PART_BYTES", 40)
    handle = bench.submit(job_spec("cat hello.txt"))
    assert bench.finish(handle).state is JobState.DONE
    assert bench.output(handle)["node-0"] == "hello from the code\n"
    assert len([each for each in bench.cluster.named("configmaps") if "-code-" in each]) > 2
    monkeypatch.setattr("ajkit.backends.volcano.delivery.PART_BYTES", 4)
    with pytest.raises(Rejected, match=r"leave more out with code\.ignore, or let the daemon put it elsewhere"):
        bench.submit(job_spec("true"))


def test_no_cluster(bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    job = bench.submission(job_spec("true"))
    monkeypatch.setenv("KUBECONFIG", str(tmp_path / "nothing"))
    with pytest.raises(Unavailable, match="no Kubernetes cluster can be asked from here: there is no kubeconfig /"):
        bench.execution.submit(job, lambda _: None)
    assert "namespace" not in bench.execution.render(job).files["job.yaml"], "rendering needs no cluster"
    dead = tmp_path / "dead"
    dead.write_text(bench.cluster.kubeconfig().replace(bench.cluster.url, "http://127.0.0.1:9"))
    monkeypatch.setenv("KUBECONFIG", str(dead))
    for ask in (bench.execution.find, bench.execution.dry_run):
        with pytest.raises(Unavailable, match="the cluster does not answer"):
            ask(job)


def test_live_values(bench: Bench) -> None:
    assert bench.execution.values("queues")[0] == LiveValue("default", "Open, 1 running")
    with pytest.raises(KeyError):
        bench.execution.values("computes")
    bench.cluster.forbidden.add("queues")
    with pytest.raises(Unavailable, match="queues is forbidden"):
        bench.execution.values("queues")


def test_what_is_left_when_a_job_is_deleted_belongs_to_it(bench: Bench) -> None:
    bench.nodes.full = True
    handle = bench.submit(job_spec("true"))
    maps = bench.cluster.named("configmaps")
    assert sorted(maps) == [f"{handle.job.spec.name}-aj", f"{handle.job.spec.name}-code-0"]
    uid = bench.cluster.named("jobs")[handle.job.spec.name]["metadata"]["uid"]
    assert {each["metadata"]["ownerReferences"][0]["uid"] for each in maps.values()} == {uid}


def test_the_programs_are_good_bash(bench: Bench) -> None:
    import yaml

    for name in ("train", "tasks"):
        data = yaml.safe_load(bench.execution.render(bench.submission(example(name))).files["configmap.yaml"])["data"]
        for key, text in data.items():
            if key.endswith(".sh"):
                subprocess.run(["bash", "-n"], input=text, text=True, check=True)


def test_rights_that_are_taken_away_do_not_end_a_job(bench: Bench) -> None:
    bench.nodes.full = True
    handle = bench.submit(job_spec("true"))
    bench.cluster.forbidden |= {"jobs", "pods"}
    for ask in (bench.execution.status, bench.execution.streams, bench.execution.cancel):
        with pytest.raises(Unavailable, match="is forbidden"):
            ask(handle)
    with pytest.raises(Unavailable, match="jobs is forbidden"):
        bench.execution.find(handle.job)
    bench.cluster.forbidden = {"events", "podtemplates", "queues"}
    bench.nodes.full = False
    assert bench.finish(handle).state is JobState.DONE
    assert bench.finish(bench.submit(job_spec("true"))).state is JobState.DONE, "only what is needed is asked for"


def test_the_first_kubeconfig_that_there_is(bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("KUBECONFIG", f"{tmp_path}/none:{tmp_path}/kubeconfig:{tmp_path}/other")
    assert bench.finish(bench.submit(job_spec("true", options={"context": "gpu-cluster"}))).state is JobState.DONE


def test_a_claim_that_cannot_be_written(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AJ_VOLCANO_CODE", "claim:code")
    bench.cluster.forbidden.add("exec")
    with pytest.raises(Rejected, match=r"no command can be run in a pod here \(pods/exec: 403\)"):
        bench.submit(job_spec("true"))
    bench.cluster.forbidden.clear()
    bench.cluster.subprotocol = "v4.channel.k8s.io"
    with pytest.raises(Rejected, match=r"v5\.channel\.k8s\.io"):
        bench.submit(job_spec("true"))
    assert bench.cluster.named("pods") == {}
