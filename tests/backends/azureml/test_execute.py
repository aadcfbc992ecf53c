"""Azure ML jobs on a loopback Azure that runs them here: from submission to the end, and all that can go wrong."""

from __future__ import annotations

import time
from datetime import UTC, datetime, timedelta
from email.utils import format_datetime
from types import SimpleNamespace
from typing import TYPE_CHECKING, Any

import pytest

from ajkit.shared.job.execution import (
    Execution,
    Handle,
    JobState,
    LiveValue,
    LiveValues,
    LogChunk,
    OutcomeUnknown,
    Rejected,
    Status,
    Unavailable,
)
from tests.backends.azureml.conftest import example, job_spec
from tests.backends.azureml.fakearm import WORKSPACE
from tests.daemons import wait_until

if TYPE_CHECKING:
    from pathlib import Path

    from tests.backends.azureml.conftest import Bench

RANKS = 'echo "$AJ_NODE_RANK $NODE_RANK $RANK/$WORLD_SIZE $LOCAL_RANK/$LOCAL_WORLD_SIZE $MASTER_ADDR:$MASTER_PORT"'


def test_both_are_executions(bench: Bench) -> None:
    members = [each for each in vars(Execution) if not each.startswith("_")]
    for execution in (bench.aml, bench.sing):
        assert [each for each in members if not hasattr(execution, each)] == []
        assert isinstance(execution, LiveValues)


def test_one_node(bench: Bench, caplog: pytest.LogCaptureFixture) -> None:
    caplog.set_level("DEBUG")
    handle = bench.submit(job_spec(f"{RANKS}; cat hello.txt"))
    assert handle.backend_id == f"{WORKSPACE}/jobs/{handle.job.spec.name}"
    assert bench.finish(handle) == Status(JobState.DONE, "", 0)
    assert bench.output(handle) == {"node-0": "0 0 0/1 0/1 127.0.0.1:29500\nhello from the code\n"}
    assert "sig=" not in caplog.text


def test_two_nodes_of_two_processes(bench: Bench) -> None:
    spec = job_spec(RANKS, nodes=2, processes_per_node=2, setup=["echo set up"], env={"MASTER_PORT": "1"})
    handle = bench.submit(spec)
    assert bench.finish(handle).state is JobState.DONE
    assert {name: sorted(text.splitlines()) for name, text in bench.output(handle).items()} == {
        "node-0": ["0 0 0/4 0/2 10.0.0.4:1", "0 0 1/4 1/2 10.0.0.4:1", "set up"],
        "node-1": ["1 1 2/4 0/2 10.0.0.4:1", "1 1 3/4 1/2 10.0.0.4:1", "set up"],
    }


def test_failure_has_its_code_and_reason(bench: Bench) -> None:
    status = bench.finish(bench.submit(job_spec("exit 3")))
    message = "Execution failed. User process 'bash' exited with status code 3. Please check the log."
    assert status == Status(JobState.FAILED, message, 3)


def test_cancel(bench: Bench) -> None:
    handle = bench.submit(job_spec("echo on; sleep 600"))
    wait_until(lambda: bench.aml.status(handle).state is JobState.RUNNING)
    wait_until(lambda: bench.aml.logs(handle, "node-0", 0, 99).data == b"on\n")
    assert not bench.aml.logs(handle, "node-0", 3, 99).complete
    for _ in range(2):
        bench.aml.cancel(handle)
    assert bench.finish(handle).state is JobState.CANCELLED
    bench.aml.cancel(handle)


def test_storage_and_secrets(bench: Bench, monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    monkeypatch.setenv("A_TOKEN", "s3cret")
    mount = tmp_path / "mnt" / "data"
    storage = {"data": {"storage_account_name": "acc", "container_name": "c-1", "mount_dir": str(mount)}}
    spec = job_spec(f'echo "${{#TOKEN}}"; touch {mount}/made', storage=storage, env={"TOKEN": {"from_env": "A_TOKEN"}})
    rendered = bench.aml.render(bench.submission(spec)).files
    assert "s3cret" not in "".join(rendered.values())
    assert '"TOKEN": "‹from_env A_TOKEN›"' in rendered["job.json"]
    handle = bench.submit(spec)
    assert bench.finish(handle).state is JobState.DONE
    assert bench.output(handle)["node-0"] == "6\n"
    assert (mount / "made").exists()
    assert f"{WORKSPACE}/datastores/aj_acc_c_1" in bench.azure.resources


def test_assets_are_made_once(bench: Bench) -> None:
    first = bench.submit(job_spec("true"))
    bench.finish(first)
    bench.azure.requests.clear()
    bench.finish(bench.submit(job_spec("true")))
    puts = [each.partition(WORKSPACE)[2].split("/")[1] for each in bench.azure.requests if each.startswith("PUT")]
    assert puts == ["jobs"]
    assert not any("startPendingUpload" in each for each in bench.azure.requests)


def test_singularity(bench: Bench) -> None:
    spec = example("sing").model_copy(
        update={"sku": "4xND96amsr_A100_v4", "storage": {}, "setup": [], "command": RANKS}
    )
    handle = bench.submit(spec)
    about = bench.azure.resources[handle.backend_id]["properties"]
    assert about["queueSettings"] == {"jobTier": "Premium"}
    inner = about["resources"]["properties"]["AISuperComputer"]
    assert (inner["instanceType"], inner["slaTier"], inner["priority"]) == (
        "Singularity.ND96amsr_A100_v4",
        "Premium",
        "High",
    )
    assert (inner["instanceCount"], inner["imageVersion"]) == (4, "acpt-2.4-py3.10-cuda12.4")
    assert bench.finish(handle).state is JobState.DONE
    assert sorted(bench.output(handle)) == ["node-0", "node-1", "node-2", "node-3"]


def test_a_lost_answer_is_found_by_its_token_and_never_doubled(bench: Bench) -> None:
    bench.azure.hold = True
    for fault, there in (("lost", True), (500, False), (504, False)):
        job = bench.submission(job_spec("true"))
        assert bench.aml.find(job) is None
        bench.azure.faults.append((f"PUT {WORKSPACE}/jobs", fault))
        with pytest.raises(OutcomeUnknown):
            bench.aml.submit(job, lambda _: None)
        assert (bench.aml.find(job) is not None) == there
        assert bench.aml.submit(job, lambda _: None) == bench.aml.find(job)
        assert bench.azure.jobs().count(job.spec.name) == 1


def test_a_job_of_somebody_else_has_the_name(bench: Bench) -> None:
    job = bench.submission(job_spec("true"))
    bench.azure.resources[f"{WORKSPACE}/jobs/{job.spec.name}"] = {"properties": {"tags": None, "status": "Running"}}
    assert bench.aml.find(job) is None
    with pytest.raises(Rejected, match="of somebody else"):
        bench.aml.submit(job, lambda _: None)


def test_throttling_is_waited_for(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    now = datetime.now(UTC).replace(microsecond=0)
    still = SimpleNamespace(time=now.timestamp, monotonic=time.monotonic)
    monkeypatch.setattr("ajkit.backends.azureml.execute.time", still)
    later = format_datetime(now + timedelta(seconds=20), usegmt=True)
    bench.azure.faults += [
        ("GET /subscriptions", (429, "7")),
        ("PUT", (429, later)),
        (f"PUT {WORKSPACE}/jobs", (429, "1")),
    ]
    bench.finish(bench.submit(job_spec("true")))
    assert bench.waits == [7, 20, 1]


@pytest.mark.parametrize(
    ("fault", "said"),
    [
        (("GET /subscriptions", (429, "600")), "Azure asks to be left alone for 600 seconds"),
        (("PUT", "lost"), "the answer of Azure was lost"),
        (("startPendingUpload", 503), "Azure answered 503: played"),
    ],
)
def test_what_was_certainly_not_accepted(bench: Bench, fault: tuple[str, Any], said: str) -> None:
    job = bench.submission(job_spec("true"))
    bench.azure.faults.append(fault)
    with pytest.raises(Unavailable, match=said):
        bench.aml.submit(job, lambda _: None)
    assert bench.azure.jobs() == []
    assert bench.finish(Handle(job, bench.aml.submit(job, lambda _: None))).state is JobState.DONE


def test_passing_trouble_is_tried_again(bench: Bench) -> None:
    bench.azure.faults += [("GET /subscriptions", 503), ("GET /subscriptions", "lost"), ("PUT /blob", 503)]
    assert bench.finish(bench.submit(job_spec("true"))).state is JobState.DONE
    assert len(bench.waits) == 3


def test_trouble_that_does_not_pass(bench: Bench) -> None:
    job = bench.submission(job_spec("true"))
    bench.azure.faults += [("GET /subscriptions", 503)] * 4
    with pytest.raises(Unavailable, match="Azure answered 503: played"):
        bench.aml.find(job)
    bench.azure.faults += [("PUT /blob", 403)]
    with pytest.raises(Rejected, match="the storage does not take the code: 403"):
        bench.aml.submit(job, lambda _: None)


def test_tokens_expire(bench: Bench) -> None:
    bench.azure.hold = True
    handle = bench.submit(job_spec("true"))
    assert len(bench.azure.tokens) == 1
    bench.azure.revoked.add("token-0")
    bench.azure.revoked.add("token-1")
    # The library that gets tokens keeps one for as long as it was promised to hold.
    with pytest.raises(Unavailable, match=r"Azure does not accept who asks: The access token expiry"):
        bench.aml.status(handle)
    bench.azure.revoked.clear()
    assert bench.aml.status(handle).state is JobState.QUEUED


def test_nobody_is_signed_in(bench: Bench) -> None:
    bench.azure.faults += [("/msi/token", 400)] * 9
    with pytest.raises(Unavailable, match=r"nobody is signed in to Azure here: .* \(az login\)"):
        bench.aml.find(bench.submission(job_spec("true")))


def test_azure_is_not_there(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setenv("AJ_AML_ENDPOINT", "http://127.0.0.1:9")
    with pytest.raises(Unavailable, match="Azure does not answer"):
        bench.aml.find(bench.submission(job_spec("true")))


@pytest.mark.parametrize(
    ("options", "said"),
    [
        ({"compute": "gone"}, r"has no compute 'gone' \(target.name\); it has: a100-cluster, cpu"),
        ({"workspace_name": "other"}, "there is no workspace 'other' in the resource group 'research-rg'"),
    ],
)
def test_what_is_not_there_is_refused_before_anything_is_uploaded(
    bench: Bench, options: dict[str, str], said: str
) -> None:
    with pytest.raises(Rejected, match=said):
        bench.submit(job_spec("true", options=options))
    assert [each for each in bench.azure.requests if not each.startswith("GET")] == []


def test_a_virtual_cluster_that_is_not_there(bench: Bench) -> None:
    spec = example("sing")
    spec = spec.model_copy(update={"backend_spec": {**spec.backend_spec, "virtual_cluster": "gone"}})
    with pytest.raises(Rejected, match="there is no virtual cluster 'gone' there"):
        bench.submit(spec)


def test_what_azure_refuses_is_told(bench: Bench) -> None:
    bench.azure.faults.append((f"PUT {WORKSPACE}/jobs", 400))
    with pytest.raises(Rejected, match="Azure answered 400: played"):
        bench.submit(job_spec("true"))


def test_a_job_that_is_gone_is_lost(bench: Bench) -> None:
    bench.azure.hold = True
    handle = bench.submit(job_spec("true"))
    del bench.azure.resources[handle.backend_id]
    assert bench.aml.status(handle).state is JobState.LOST
    assert bench.aml.streams(handle) == []


def test_logs_of_nodes_that_are_not_there(bench: Bench) -> None:
    bench.azure.hold = True
    handle = bench.submit(job_spec("true"))
    assert bench.aml.logs(handle, "node-0", 0, 9).data == b""
    for name in ("node-1", "node-x", "other"):
        with pytest.raises(KeyError):
            bench.aml.logs(handle, name, 0, 9)


def test_a_log_that_came_after_it_was_looked_for(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    """What is known of the logs of a job that is over is from before it has said anything."""
    monkeypatch.setattr("ajkit.backends.azureml.execute._DETAILS_SECONDS", 3600.0)
    bench.azure.hold = True
    handle = bench.submit(job_spec("echo on"))
    assert bench.aml.logs(handle, "node-0", 0, 99).data == b""
    bench.azure.hold = False
    assert bench.finish(handle).state is JobState.DONE
    assert bench.aml.logs(handle, "node-0", 0, 99) == LogChunk(b"on\n", 3, complete=True)


def test_an_address_of_a_log_that_has_expired_is_asked_for_again(bench: Bench) -> None:
    handle = bench.submit(job_spec("echo on"))
    bench.finish(handle)
    bench.azure.faults.append(("GET /blob/logs", 403))
    assert bench.aml.logs(handle, "node-0", 0, 99).data == b"on\n"


def test_dry_run(bench: Bench) -> None:
    said = bench.aml.dry_run(bench.submission(job_spec("true")))
    assert said == "the workspace research-ws and the compute a100-cluster are there; Azure ML has no dry run of a job"
    assert bench.sing.dry_run(bench.submission(example("sing"))) is not None
    assert {each.split()[0] for each in bench.azure.requests if "/msi/" not in each} == {"GET"}


def test_live_values(bench: Bench, monkeypatch: pytest.MonkeyPatch) -> None:
    found = bench.aml.values("computes")
    assert found == [LiveValue("a100-cluster", "Standard_ND96amsr_A100_v4"), LiveValue("cpu", "Standard_D4s_v3")]
    assert bench.sing.values("computes") == [LiveValue("research-vc", "clusters-rg")]
    for name, version in (("mine", "3"), ("aj-0123", "1")):
        about = {"latestVersion": version, "description": "for tests"}
        bench.azure.resources[f"{WORKSPACE}/environments/{name}"] = {"name": name, "properties": about}
    assert bench.aml.values("images") == [LiveValue("azureml:mine:3", "for tests")]
    with pytest.raises(KeyError):
        bench.aml.values("queues")
    bench.azure.faults.append(("/computes", 404))
    with pytest.raises(Unavailable, match="played"):
        bench.aml.values("computes")
    monkeypatch.delenv("AJ_AML_WORKSPACE")
    with pytest.raises(Unavailable, match=r"target\.workspace_name is not set"):
        bench.aml.values("computes")


def test_a_cancellation_that_is_refused_is_told(bench: Bench) -> None:
    bench.azure.hold = True
    handle = bench.submit(job_spec("true"))
    bench.azure.faults.append(("/cancel", 403))
    with pytest.raises(Unavailable, match="Azure answered 403: played"):
        bench.aml.cancel(handle)
    bench.aml.cancel(handle)
    assert bench.finish(handle).state is JobState.CANCELLED
