"""Volcano jobs on a real API server, where `KUBEBUILDER_ASSETS` names a folder with kube-apiserver and etcd."""

from __future__ import annotations

import contextlib
import os
import threading
import time
from typing import TYPE_CHECKING

import pytest
import yaml

from ajkit.backends.volcano.execute import VolcanoExecution
from ajkit.shared.job.execution import Handle, JobState, OutcomeUnknown, Rejected, Snapshot, Submission, Unavailable
from tests.backends.volcano import realapi
from tests.backends.volcano.conftest import example, job_spec
from tests.backends.volcano.realapi import ADMIN, COMMANDS, CORE, JOBS, RealApi, when_well
from tests.daemons import wait_until

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path

    from ajkit.shared.job.spec import JobSpec

pytestmark = realapi.needs_it

PODS = f"{CORE}/podtemplates"


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealApi]:
    with realapi.real_api(tmp_path_factory.mktemp("kube")) as found:
        yield found


@pytest.fixture
def executions(
    api: RealApi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> Iterator[Callable[[str], VolcanoExecution]]:
    """Makes an execution that asks with a token."""
    monkeypatch.setenv("SIMULATOR_LICENSE", "a license")
    made: list[VolcanoExecution] = []

    def of(token: str) -> VolcanoExecution:
        (tmp_path / "kubeconfig").write_text(api.kubeconfig(token))
        monkeypatch.setenv("KUBECONFIG", str(tmp_path / "kubeconfig"))
        made.append(VolcanoExecution())
        return made[-1]

    yield of
    for each in made:
        each.close()


@pytest.fixture
def execution(executions: Callable[[str], VolcanoExecution]) -> VolcanoExecution:
    return executions(ADMIN)


def submission(spec: JobSpec, folder: Path, content: bytes = b"\0" * 10240) -> Submission:
    (folder / "archive.tar").write_bytes(content)
    code = Snapshot("d" * 64, str(folder), str(folder / "archive.tar"))
    return Submission(f"aj-{spec.sid}", spec, str(folder / "job" / spec.sid), code)


def left(api: RealApi, job: Submission) -> list[str]:
    """What there is of a job."""
    label = {"labelSelector": f"aj/token={job.token}"}
    kinds = (f"{CORE}/configmaps", f"{CORE}/secrets", JOBS)
    return [each["metadata"]["name"] for kind in kinds for each in api.get(kind, **label)["items"]]


@pytest.mark.parametrize("name", ["train", "tasks"])
def test_the_examples_are_taken(execution: VolcanoExecution, tmp_path: Path, name: str) -> None:
    said = execution.dry_run(submission(example(name), tmp_path))
    assert said is not None
    assert said.startswith("the cluster would take the job")


def test_a_job(execution: VolcanoExecution, api: RealApi, tmp_path: Path) -> None:
    spec = job_spec("true", nodes=2, env={"TOKEN": {"from_env": "SIMULATOR_LICENSE"}})
    job = submission(spec, tmp_path)
    assert execution.find(job) is None
    handle = Handle(job, execution.submit(job, lambda _: None))
    assert execution.find(job) == handle.backend_id == execution.submit(job, lambda _: None)
    assert execution.status(handle).state is JobState.QUEUED
    owned = api.get(f"{CORE}/configmaps", labelSelector=f"aj/token={job.token}")
    owned["items"] += api.get(f"{CORE}/secrets", labelSelector=f"aj/token={job.token}")["items"]
    assert len(owned["items"]) == 3
    assert {each["metadata"]["ownerReferences"][0]["kind"] for each in owned["items"]} == {"Job"}
    api.set_phase(spec.name, "Running")
    assert execution.status(handle).state is JobState.RUNNING
    execution.cancel(handle)
    execution.cancel(handle)
    commands = [each for each in api.get(COMMANDS)["items"] if each["target"]["name"] == spec.name]
    assert [each["action"] for each in commands] == ["TerminateJob"]
    api.set_phase(spec.name, "Terminated")
    assert execution.status(handle).state is JobState.CANCELLED
    assert f"{spec.name}-env" not in api.names(f"{CORE}/secrets")
    assert api.client.delete(f"{JOBS}/{spec.name}").status_code == 200
    assert execution.status(handle).state is JobState.LOST


def test_what_only_the_pods_own_checks_find(execution: VolcanoExecution, tmp_path: Path) -> None:
    job = submission(job_spec("true", time_limit_seconds=2**31), tmp_path)
    with pytest.raises(Rejected, match=r"the pods of worker: .*activeDeadlineSeconds: Invalid value"):
        execution.submit(job, lambda _: None)


def test_what_not_even_those_find(execution: VolcanoExecution, api: RealApi, tmp_path: Path) -> None:
    """The template of a pod is taken with these, and its pods are not: the job would wait for ever."""
    metadata = {"name": "x", "labels": {"a": "b"}}
    for image in (" an-image", "an-image\n"):
        pod = {"metadata": metadata, "spec": {"restartPolicy": "Never", "containers": [{"name": "m", "image": image}]}}
        template = {"metadata": metadata, "template": pod}
        answers = [
            api.client.post(f"{CORE}/{kind}", json=body, params={"dryRun": "All"}).status_code
            for kind, body in (("podtemplates", template), ("pods", pod))
        ]
        assert answers == [201, 422]
        assert [each.code for each in execution.check(job_spec("true", image=image))] == ["volcano.image"]
    job = submission(job_spec("true", options={"priority_class": "low"}), tmp_path)
    with pytest.raises(Rejected, match=r"no priority class 'low' .* there are: high, system-cluster-critical"):
        execution.submit(job, lambda _: None)


def test_what_the_cluster_refuses(execution: VolcanoExecution, api: RealApi, tmp_path: Path) -> None:
    jobs = []
    for options, said in (
        ({"queue": "nope"}, r"there is no queue 'nope' \(target.queue\); there are: default, nlp, rl"),
        ({"namespace": "nowhere"}, r"no such namespace \(target.namespace\): namespaces \"nowhere\" not found"),
    ):
        jobs.append(job := submission(job_spec("true", options=options), tmp_path))
        for ask in (execution.dry_run, lambda job: execution.submit(job, lambda _: None)):
            with pytest.raises(Rejected, match=said):
                ask(job)
        assert execution.find(job) is None
    assert [left(api, each) for each in jobs] == [[], []]


def test_a_job_of_somebody_else_has_the_name(execution: VolcanoExecution, api: RealApi, tmp_path: Path) -> None:
    mine = submission(job_spec("true", env={"TOKEN": {"from_env": "SIMULATOR_LICENSE"}}), tmp_path)
    execution.submit(mine, lambda _: None)
    before = api.get(f"{CORE}/configmaps/{mine.spec.name}-aj"), api.get(f"{CORE}/secrets/{mine.spec.name}-env")
    other = Submission("aj-another", mine.spec, mine.folder, mine.code)
    for ask in (execution.dry_run, lambda job: execution.submit(job, lambda _: None)):
        with pytest.raises(Rejected, match="of somebody else"):
            ask(other)
    after = api.get(f"{CORE}/configmaps/{mine.spec.name}-aj"), api.get(f"{CORE}/secrets/{mine.spec.name}-env")
    assert before == after, "what the other job has beside it is not touched"
    assert execution.find(other) is None


def test_the_largest_code(execution: VolcanoExecution, api: RealApi, tmp_path: Path) -> None:
    job = submission(job_spec("true"), tmp_path, os.urandom(9 * 1000 * 1000))
    execution.submit(job, lambda _: None)
    assert len([each for each in left(api, job) if "-code-" in each]) == 10


DAEMON = {
    "batch.volcano.sh/jobs": "get create delete",
    "bus.volcano.sh/commands": "create",
    "/podtemplates": "create",
    "/configmaps": "list create update patch delete",
    "/secrets": "create update patch delete",
    "/pods": "get list",
    "/pods/log": "get",
    "/events": "list",
}
"""The rights that docs/backends/volcano.md asks for."""


def test_the_rights_that_are_asked_for_are_enough(
    executions: Callable[[str], VolcanoExecution], api: RealApi, tmp_path: Path
) -> None:
    api.allow("daemon", DAEMON)
    execution = executions("daemon")
    spec = job_spec("true", env={"TOKEN": {"from_env": "SIMULATOR_LICENSE"}})
    job = submission(spec, tmp_path)
    assert execution.dry_run(job) is not None
    # Twice, as after an answer that was lost: then everything is replaced.
    handle = Handle(job, execution.submit(job, lambda _: None))
    assert execution.submit(job, lambda _: None) == handle.backend_id == execution.find(job)
    secret = api.get(f"{CORE}/secrets/{spec.name}-env")
    assert secret["metadata"]["ownerReferences"][0]["name"] == spec.name
    assert execution.status(handle).state is JobState.QUEUED
    assert execution.streams(handle) == []
    execution.cancel(handle)
    assert f"{spec.name}-stop" in api.names(COMMANDS)
    api.set_phase(spec.name, "Terminated")
    assert execution.status(handle).state is JobState.CANCELLED
    assert f"{spec.name}-env" not in api.names(f"{CORE}/secrets")


@pytest.mark.parametrize("lacking", ["batch.volcano.sh/jobs", "/configmaps", "/secrets"])
def test_a_right_that_is_lacking_is_told_and_nothing_is_left(
    executions: Callable[[str], VolcanoExecution], api: RealApi, tmp_path: Path, lacking: str
) -> None:
    api.allow("poor", {name: verbs for name, verbs in DAEMON.items() if name != lacking})
    job = submission(job_spec("true", env={"TOKEN": {"from_env": "SIMULATOR_LICENSE"}}), tmp_path)
    with pytest.raises(Rejected, match=rf"{lacking.partition('/')[2]}.* is forbidden: User \"poor\" cannot create"):
        when_well(lambda: executions("poor").submit(job, lambda _: None))
    assert left(api, job) == []


def test_rights_of_nobody(executions: Callable[[str], VolcanoExecution], api: RealApi, tmp_path: Path) -> None:
    job = submission(job_spec("true"), tmp_path)
    handle = Handle(job, executions(ADMIN).submit(job, lambda _: None))
    nobody = executions("nobody")
    for ask in (nobody.status, nobody.streams, nobody.cancel):
        with pytest.raises(Unavailable, match="is forbidden"):
            ask(handle)
    with pytest.raises(Rejected, match="is forbidden"):
        when_well(lambda: nobody.dry_run(submission(job_spec("true"), tmp_path)))
    stranger = executions("a-stranger")
    with pytest.raises(Unavailable, match="does not know who asks: Unauthorized"):
        stranger.status(handle)
    with pytest.raises(Unavailable, match="does not know who asks: Unauthorized"):
        stranger.submit(submission(job_spec("true"), tmp_path), lambda _: None)


def test_where_commands_are_not_allowed_the_job_is_deleted(
    executions: Callable[[str], VolcanoExecution], api: RealApi, tmp_path: Path
) -> None:
    api.allow("poor", {name: verbs for name, verbs in DAEMON.items() if not name.startswith("bus")})
    execution = executions("poor")
    job = submission(job_spec("true"), tmp_path)
    handle = Handle(job, execution.submit(job, lambda _: None))
    api.set_phase(job.spec.name, "Running")
    when_well(lambda: execution.cancel(handle))
    assert execution.status(handle).state is JobState.CANCELLED
    assert job.spec.name not in api.names(JOBS)


def test_a_webhook_that_cannot_be_called(execution: VolcanoExecution, api: RealApi, tmp_path: Path) -> None:
    hooks = "/apis/admissionregistration.k8s.io/v1/validatingwebhookconfigurations"
    rule = {"apiGroups": ["batch.volcano.sh"], "apiVersions": ["*"], "operations": ["CREATE"], "resources": ["jobs"]}
    hook = {
        "name": "validatejob.volcano.sh",
        "clientConfig": {"url": "https://127.0.0.1:9/jobs/validate"},
        "rules": [rule],
        "sideEffects": "NoneOnDryRun",
        "admissionReviewVersions": ["v1"],
        "failurePolicy": "Fail",
        "timeoutSeconds": 2,
    }
    api.post(hooks, {"metadata": {"name": "volcano"}, "webhooks": [hook]})
    job = submission(job_spec("true"), tmp_path)
    sent = yaml.safe_load(execution.render(job).files["job.yaml"])
    try:
        wait_until(lambda: api.client.post(JOBS, json=sent, params={"dryRun": "All"}).status_code == 500)
        for ask in (execution.dry_run, lambda job: execution.submit(job, lambda _: None)):
            with pytest.raises(Unavailable, match="failed calling webhook"):
                ask(job)
    finally:
        assert api.client.delete(f"{hooks}/volcano").status_code == 200
    assert left(api, job) == []
    wait_until(lambda: api.client.post(JOBS, json=sent, params={"dryRun": "All"}).status_code == 201)
    assert execution.submit(job, lambda _: None)


def test_a_webhook_that_knows_no_dry_run(execution: VolcanoExecution, api: RealApi, tmp_path: Path) -> None:
    hooks = "/apis/admissionregistration.k8s.io/v1beta1/validatingwebhookconfigurations"
    if api.client.get(hooks).status_code == 404:
        pytest.skip("servers since 1.22 take no such webhook")
    rule = {"apiGroups": [""], "apiVersions": ["*"], "operations": ["CREATE"], "resources": ["podtemplates"]}
    hook = {"name": "old.example.com", "clientConfig": {"url": "https://127.0.0.1:9/"}, "rules": [rule]}
    api.post(hooks, {"metadata": {"name": "old"}, "webhooks": [{**hook, "failurePolicy": "Fail"}]})
    pod = {"restartPolicy": "Always", "containers": [{"name": "m", "image": "i"}]}
    template = {"metadata": {"name": "x"}, "template": {"metadata": {"labels": {"a": "b"}}, "spec": pod}}
    try:
        wait_until(lambda: "dry run" in api.client.post(PODS, json=template, params={"dryRun": "All"}).text)
        assert execution.submit(submission(job_spec("true"), tmp_path), lambda _: None)
    finally:
        assert api.client.delete(f"{hooks}/old").status_code == 200
        wait_until(lambda: "dry run" not in api.client.post(PODS, json=template, params={"dryRun": "All"}).text)


def test_what_the_cluster_warns_of(execution: VolcanoExecution, api: RealApi, tmp_path: Path) -> None:
    job = submission(job_spec("true"), tmp_path)
    handle = Handle(job, execution.submit(job, lambda _: None))
    about = {"kind": "Job", "namespace": "research", "name": job.spec.name}
    old = {"metadata": {"name": f"{job.spec.name}-1"}, "type": "Warning", "message": "old", "involvedObject": about}
    api.post(f"{CORE}/events", {**old, "lastTimestamp": "2026-01-01T00:00:00Z"})
    new = {"metadata": {"name": f"{job.spec.name}-2"}, "type": "Warning", "note": "new", "regarding": about}
    how = {"reason": "R", "action": "a", "reportingController": "v.sh/x", "reportingInstance": "y"}
    events = "/apis/events.k8s.io/v1/namespaces/research/events"
    api.post(events, {**new, **how, "eventTime": "2026-01-02T00:00:00.000000Z"})
    assert execution.status(handle).message == "new"


def test_a_quota(execution: VolcanoExecution, api: RealApi, tmp_path: Path) -> None:
    hard = {"count/jobs.batch.volcano.sh": "0"}
    api.post(f"{CORE}/resourcequotas", {"metadata": {"name": "none"}, "spec": {"hard": hard}})
    api.set_status(f"{CORE}/resourcequotas/none", {"hard": hard, "used": {"count/jobs.batch.volcano.sh": "0"}})
    job = submission(job_spec("true"), tmp_path)
    sent = yaml.safe_load(execution.render(job).files["job.yaml"])
    try:
        wait_until(lambda: "exceeded quota" in api.client.post(JOBS, json=sent, params={"dryRun": "All"}).text)
        with pytest.raises(Rejected, match="exceeded quota: none"):
            when_well(lambda: execution.submit(job, lambda _: None))
    finally:
        assert api.client.delete(f"{CORE}/resourcequotas/none").status_code == 200
        wait_until(lambda: api.client.post(JOBS, json=sent, params={"dryRun": "All"}).status_code == 201)
    assert left(api, job) == []


def test_pods_whose_node_does_not_answer(
    execution: VolcanoExecution, api: RealApi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("ajkit.backends.volcano.execute._LOG_SECONDS", 0.0)
    job = submission(job_spec("true", nodes=3), tmp_path)
    handle = Handle(job, execution.submit(job, lambda _: None))
    api.add_pods(job.spec.name, "silent", "gone", None)
    api.set_phase(job.spec.name, "Running")
    assert [each.name for each in execution.streams(handle)] == ["node-0", "node-1"]
    for state, phase in ((JobState.RUNNING, "Running"), (JobState.FAILED, "Failed")):
        api.set_phase(job.spec.name, phase)
        assert execution.status(handle).state is state
        for each in ("node-0", "node-1", "node-2"):
            assert execution.logs(handle, each, 0, 99).data == b""


def test_while_the_server_is_started_again(
    executions: Callable[[str], VolcanoExecution], api: RealApi, tmp_path: Path
) -> None:
    """An API server that starts denies what there is; no job may be lost or rejected by that."""
    api.allow("daemon", DAEMON)
    execution = executions("daemon")
    job = submission(job_spec("true"), tmp_path)
    handle = Handle(job, execution.submit(job, lambda _: None))
    api.set_phase(job.spec.name, "Running")
    assert execution.status(handle).state is JobState.RUNNING
    api.stop_server()
    with pytest.raises(Unavailable, match="the cluster does not answer"):
        execution.status(handle)
    fresh = submission(job_spec("true"), tmp_path)
    api.launch()
    asked = threading.Event()
    told: list[JobState | str | None] = []

    def ask() -> None:
        while not asked.is_set():
            with contextlib.suppress(Unavailable):
                told.append(execution.status(handle).state)
            with contextlib.suppress(Unavailable):
                told.append(execution.find(job))
            time.sleep(0.01)

    thread = threading.Thread(target=ask)
    thread.start()
    try:
        submitted = ""
        while not submitted:
            try:
                submitted = execution.submit(fresh, lambda _: None)
            except (Unavailable, OutcomeUnknown):
                time.sleep(0.01)
        wait_until(lambda: set(told[-2:]) == {JobState.RUNNING, handle.backend_id})
    finally:
        asked.set()
        thread.join()
    assert set(told) == {JobState.RUNNING, handle.backend_id}, "neither lost nor to be submitted again"
    assert execution.find(fresh) == submitted


def test_the_account_of_a_pod(api: RealApi, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    account = tmp_path / "account"
    account.mkdir()
    (account / "namespace").write_text("research")
    (account / "token").write_text("an-expired-token\n")
    (account / "ca.crt").write_bytes(api.authority.read_bytes())
    monkeypatch.setattr("ajkit.backends.volcano.access.SERVICE_ACCOUNT", str(account))
    monkeypatch.delenv("KUBECONFIG", raising=False)
    monkeypatch.setenv("HOME", str(tmp_path))
    host, _, port = api.url.removeprefix("https://").partition(":")
    monkeypatch.setenv("KUBERNETES_SERVICE_HOST", host)
    monkeypatch.setenv("KUBERNETES_SERVICE_PORT", port)
    execution = VolcanoExecution()
    job = submission(job_spec("true"), tmp_path)
    try:
        with pytest.raises(Unavailable, match="does not know who asks"):
            execution.find(job)
        # The kubelet renews it; the connection that there is takes the new one.
        (account / "token").write_text(f"{ADMIN}\n")
        assert execution.submit(job, lambda _: None) == f"research/{job.spec.name}"
        assert execution.find(job) == f"research/{job.spec.name}"
    finally:
        execution.close()
