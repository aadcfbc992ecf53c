"""Answers of an API server that mean something else than they seem to, on a fake cluster."""

from __future__ import annotations

import itertools
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from ajkit.shared.job.execution import Handle, JobState, OutcomeUnknown, Rejected, Submission, Unavailable
from tests.backends.volcano.conftest import job_spec
from tests.daemons import wait_until

if TYPE_CHECKING:
    from tests.backends.volcano.conftest import Bench

JOBS = "/apis/batch.volcano.sh/v1alpha1/namespaces/research/jobs"


@pytest.mark.parametrize("requests", range(1, 12))
def test_a_server_that_starts_denies_what_there_is(bench: Bench, requests: int) -> None:
    """Whenever it is asked, nothing is rejected or lost by that, and nothing is done twice."""
    bench.cluster.starting = requests
    job = bench.submission(job_spec("true"))
    handle = Handle(job, bench.execution.submit(job, lambda _: None))
    assert list(bench.cluster.named("jobs")) == [job.spec.name]
    assert bench.finish(handle).state is JobState.DONE


def test_a_machine_that_stands_still_does_not_take_a_server_that_starts_for_ready(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    """An hour goes by between any two looks at it."""
    hours = itertools.count(0.0, 3600.0)
    still = SimpleNamespace(monotonic=lambda: next(hours), sleep=lambda _: None)
    monkeypatch.setattr("ajkit.backends.volcano.cluster.time", still)
    bench.cluster.starting = 9
    assert bench.finish(bench.submit(job_spec("true"))).state is JobState.DONE


def test_a_server_that_never_says_whether_it_is_ready(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    waits: list[float] = []
    monkeypatch.setattr("ajkit.backends.volcano.cluster.time", SimpleNamespace(sleep=waits.append))
    bench.cluster.forbidden |= {"jobs", "/readyz"}
    with pytest.raises(Rejected, match="jobs is forbidden"):
        bench.submit(job_spec("true"))
    assert sum(waits) == 5, "seconds in which an API server comes to know who may do what"


def test_what_is_denied_while_a_job_runs(bench: Bench) -> None:
    handle = bench.submit(job_spec("sleep 600"))
    for ask in (bench.execution.status, bench.execution.streams, bench.execution.cancel):
        bench.cluster.starting = 1
        with pytest.raises(Unavailable, match="is forbidden"):
            ask(handle)
    bench.cluster.lacking = {"jobs", "pods"}
    for ask in (bench.execution.status, bench.execution.streams, bench.execution.cancel):
        with pytest.raises(Unavailable, match="has nothing there: 404 page not found"):
            ask(handle)
    with pytest.raises(Unavailable, match="has nothing there: 404 page not found"):
        bench.execution.find(handle.job)
    bench.cluster.lacking.clear()
    bench.execution.cancel(handle)
    assert bench.finish(handle).state is JobState.CANCELLED


def test_a_cancel_while_the_server_starts_does_not_delete_the_job(
    bench: Bench, monkeypatch: pytest.MonkeyPatch
) -> None:
    handle = bench.submit(job_spec("sleep 600"))
    denied = bench.cluster.answer

    def answer(method: str, path: str, *rest: Any) -> tuple[int, Any]:
        bench.cluster.starting = int((method, path.endswith("/commands")) == ("POST", True) and not answered)
        answered.extend(["commands"] * bench.cluster.starting)
        return denied(method, path, *rest)

    answered: list[str] = []
    monkeypatch.setattr(bench.cluster, "answer", answer)
    bench.execution.cancel(handle)
    assert answered == ["commands"]
    assert bench.finish(handle).state is JobState.CANCELLED
    assert list(bench.cluster.named("jobs")) == [handle.job.spec.name], "stopped by Volcano, and not deleted"


@pytest.mark.parametrize("lacking", ["jobs", "queues"])
def test_a_cluster_without_volcano(bench: Bench, lacking: str) -> None:
    bench.cluster.lacking.add(lacking)
    for ask in (bench.execution.dry_run, lambda job: bench.execution.submit(job, lambda _: None)):
        with pytest.raises(Rejected, match="is Volcano installed there"):
            ask(bench.submission(job_spec("true")))


def test_a_webhook_that_knows_no_dry_run(bench: Bench) -> None:
    bench.cluster.undry = {"jobs", "podtemplates"}
    assert bench.finish(bench.submit(job_spec("true"))).state is JobState.DONE


def test_a_priority_class(bench: Bench) -> None:
    with pytest.raises(Rejected, match=r"no priority class 'low' \(target.priority_class\); there are: high"):
        bench.submit(job_spec("true", options={"priority_class": "low"}))
    assert bench.finish(bench.submit(job_spec("true", options={"priority_class": "high"}))).state is JobState.DONE
    bench.cluster.forbidden.add("priorityclasses")
    assert bench.finish(bench.submit(job_spec("true", options={"priority_class": "low"}))).state is JobState.DONE


@pytest.mark.parametrize("fault", ["proxy", "bare"])
def test_an_answer_that_is_not_kubernetes_own(bench: Bench, fault: str) -> None:
    bench.nodes.full = True
    job = bench.submission(job_spec("true"))
    bench.cluster.faults.append(("jobs", fault))
    with pytest.raises(OutcomeUnknown, match=r'the cluster answered 502: \{"error": "no route"\}'):
        bench.execution.submit(job, lambda _: None)
    assert bench.execution.find(job) == f"research/{job.spec.name}"


def test_a_conflict_is_no_object_of_that_name(bench: Bench) -> None:
    job = bench.submission(job_spec("true"))
    for resource in ("configmaps", "jobs"):
        bench.cluster.faults.append((resource, "conflict"))
        with pytest.raises(Unavailable, match="the object has been modified"):
            bench.execution.submit(job, lambda _: None)
        assert bench.cluster.named("configmaps") == {}
    assert bench.finish(Handle(job, bench.execution.submit(job, lambda _: None))).state is JobState.DONE


def spoil_giving(bench: Bench, fault: str | int) -> None:
    """Play a fault on what is first done with a ConfigMap when a job is there."""

    def see(what: str, plural: str, _body: dict[str, Any]) -> None:
        if (what, plural) == ("CREATE", "jobs"):
            bench.cluster.faults.append(("configmaps", fault))

    bench.cluster.watchers.append(see)


@pytest.mark.parametrize("fault", ["lost", "refused", 503])
def test_what_could_not_be_given_to_a_job_is_given_later(bench: Bench, fault: str | int) -> None:
    bench.nodes.full = True
    spoil_giving(bench, fault)
    handle = bench.submit(job_spec("true"))
    assert not all("ownerReferences" in each["metadata"] for each in bench.cluster.named("configmaps").values())
    bench.execution.status(handle)
    assert all("ownerReferences" in each["metadata"] for each in bench.cluster.named("configmaps").values())
    asked = len(bench.cluster.requests)
    bench.execution.status(handle)
    assert [each for each in bench.cluster.requests[asked:] if "configmaps" in each or "PATCH" in each] == []


def test_what_a_lost_job_left_is_taken_away(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ajkit.backends.volcano.execute._GONE_SECONDS", 0.0)
    bench.nodes.full = True
    spoil_giving(bench, "refused")
    handle = bench.submit(job_spec("true"))
    bench.cluster.answer("DELETE", f"{JOBS}/{handle.job.spec.name}", {}, None)
    assert bench.execution.status(handle).state is JobState.LOST
    assert bench.cluster.named("configmaps") == {}


def test_secrets_that_may_not_be_listed(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_TOKEN", "s3cret")
    bench.cluster.forbidden.add("GET secrets")
    spec = job_spec("true", env={"TOKEN": {"from_env": "A_TOKEN"}})
    job = bench.submission(spec)
    bench.cluster.faults.append(("jobs", 429))
    with pytest.raises(Unavailable):
        bench.execution.submit(job, lambda _: None)
    assert bench.cluster.named("secrets") == bench.cluster.named("configmaps") == {}, "nothing stays behind"
    bench.nodes.full = True
    handle = Handle(job, bench.execution.submit(job, lambda _: None))
    made = {**bench.cluster.named("secrets"), **bench.cluster.named("configmaps")}
    assert len(made) == 3
    assert {each["metadata"]["ownerReferences"][0]["name"] for each in made.values()} == {spec.name}
    bench.nodes.full = False
    assert bench.finish(handle).state is JobState.DONE
    assert bench.cluster.named("secrets") == {}


def test_secrets_that_may_not_be_made(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_TOKEN", "s3cret")
    bench.cluster.forbidden.add("secrets")
    with pytest.raises(Rejected, match="secrets is forbidden"):
        bench.submit(job_spec("true", env={"TOKEN": {"from_env": "A_TOKEN"}}))
    assert bench.cluster.named("configmaps") == {}


def test_what_a_job_of_somebody_else_has_stays(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("A_TOKEN", "s3cret")
    bench.nodes.full = True
    mine = bench.submit(job_spec("true", env={"TOKEN": {"from_env": "A_TOKEN"}})).job
    before = {**bench.cluster.named("configmaps"), **bench.cluster.named("secrets")}
    other = Submission("aj-another", mine.spec, mine.folder, mine.code)
    for ask in (bench.execution.dry_run, lambda job: bench.execution.submit(job, lambda _: None)):
        with pytest.raises(Rejected, match="of somebody else"):
            ask(other)
    assert {**bench.cluster.named("configmaps"), **bench.cluster.named("secrets")} == before


def test_a_node_that_does_not_answer(bench: Bench) -> None:
    bench.nodes.full = True
    handle = bench.submit(job_spec("true", nodes=2))
    name = handle.job.spec.name
    wait_until(lambda: len(bench.cluster.named("pods")) == 2)
    for index, phase in enumerate(("Running", "Succeeded")):
        labels = {"aj/token": handle.job.token}
        pod = {"metadata": {"name": f"{name}-worker-{index}", "labels": labels}, "status": {"phase": phase}}
        bench.cluster.put("pods", "research", pod)
    bench.cluster.log = lambda _, pod: None if pod.endswith("-0") else b"2026-01-01T00:00:00Z said\n"
    bench.cluster.silent = {f"{name}-worker-0"}
    bench.cluster.named("jobs")[name]["status"] = {"state": {"phase": "Failed"}}
    assert bench.execution.status(handle).state is JobState.FAILED
    assert [each.name for each in bench.execution.streams(handle)] == ["node-0", "node-1"]
    silent = bench.execution.logs(handle, "node-0", 0, 99)
    assert (silent.data, silent.complete) == (b"", False), "it may be asked once more when the node is back"
    assert bench.execution.logs(handle, "node-1", 0, 99).data == b"said\n"
