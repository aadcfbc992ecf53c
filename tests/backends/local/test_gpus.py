"""GPUs of this machine: found, never more than there are, shared by jobs in the order in which they came."""

from __future__ import annotations

import os
import signal
import time
from typing import TYPE_CHECKING

import pytest

from ajkit.backends.local.gpus import machine_gpus, shares, told_of_few
from tests.daemons import finish, job_spec, make_host, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from ajkit.shared.job.spec import JobSpec
    from tests.daemons import Host

SEEN = "echo gpus=$CUDA_VISIBLE_DEVICES"


@pytest.fixture(scope="module")
def two_gpus() -> Iterator[Host]:
    """A host whose machine has two GPUs."""
    yield from make_host(AJ_LOCAL_GPUS="2")


def gpu_spec(gpus: int, command: str = f"{SEEN}; sleep 600", **fields: int) -> JobSpec:
    """A job that takes some GPUs for as long as it is let."""
    return job_spec(command, gpus_per_node=gpus, selector=gpus, **fields)


def told(host: Host, spec: JobSpec) -> tuple[str, str]:
    job = host.daemon().job(spec.sid).job
    return job.state.value, job.message


def begin(host: Host, *specs: JobSpec) -> None:
    """Submit jobs, each once the one before is where it gets for now."""
    for each in specs:
        host.daemon().submit(each, host.code)
        wait_until(lambda each=each: told(host, each)[0] in {"running", "queued"})  # type: ignore[misc]


def stop(host: Host, *specs: JobSpec) -> None:
    for each in specs:
        host.daemon().cancel(each.sid)
        assert finish(host.daemon(), each.sid)[0] == "cancelled"


def gpus_of(host: Host, spec: JobSpec) -> str:
    daemon = host.daemon()
    wait_until(lambda: "gpus=" in "".join(each.text for each in daemon.logs(spec.sid)))
    return "".join(each.text for each in daemon.logs(spec.sid)).strip().removeprefix("gpus=")


def test_jobs_share_the_gpus_and_wait_for_them(two_gpus: Host) -> None:
    first, second, third = gpu_spec(1), gpu_spec(1), gpu_spec(1)
    begin(two_gpus, first, second, third)
    assert {gpus_of(two_gpus, first), gpus_of(two_gpus, second)} == {"0", "1"}
    assert told(two_gpus, third) == ("queued", "waiting for GPUs: it needs 1, 0 of 2 are free")
    freed = gpus_of(two_gpus, first)
    stop(two_gpus, first)
    assert gpus_of(two_gpus, third) == freed
    stop(two_gpus, second, third)


def test_who_comes_first_is_served_first(two_gpus: Host) -> None:
    small, large, late = gpu_spec(1), gpu_spec(2), gpu_spec(1)
    begin(two_gpus, small, large, late)
    assert told(two_gpus, large) == ("queued", "waiting for GPUs: it needs 2, 1 of 2 is free")
    assert told(two_gpus, late) == ("queued", "waiting for GPUs: 1 job is before it")
    stop(two_gpus, large)
    assert gpus_of(two_gpus, late) != gpus_of(two_gpus, small)
    stop(two_gpus, small, late)


def test_a_daemon_that_dies_leaves_the_queue_as_it_is(two_gpus: Host) -> None:
    first, second = gpu_spec(2), gpu_spec(2, f"{SEEN}; exit 3")
    begin(two_gpus, first, second)
    two_gpus.kill()
    assert told(two_gpus, second)[0] == "queued"
    stop(two_gpus, first)
    assert finish(two_gpus.daemon(), second.sid)[:2] == ("failed", 3)


def test_gpus_of_a_job_that_is_lost_are_free(two_gpus: Host) -> None:
    first, second = gpu_spec(2), gpu_spec(2, SEEN)
    begin(two_gpus, first, second)
    os.kill(int(two_gpus.daemon().job(first.sid).job.backend_id or 0), signal.SIGKILL)
    assert finish(two_gpus.daemon(), second.sid)[2] == {"node-0": "gpus=0,1\n"}
    assert finish(two_gpus.daemon(), first.sid)[0] == "lost"


def test_waiting_takes_no_time_of_the_limit(two_gpus: Host) -> None:
    first, second = gpu_spec(2), gpu_spec(2, SEEN, time_limit_seconds=3)
    begin(two_gpus, first, second)
    time.sleep(3.5)
    stop(two_gpus, first)
    assert finish(two_gpus.daemon(), second.sid)[0] == "done"


def test_who_has_waited_meets_at_a_port_that_is_free_now(two_gpus: Host) -> None:
    first, second = gpu_spec(2), gpu_spec(2, "echo $MASTER_PORT", nodes=1, processes_per_node=2)
    begin(two_gpus, first, second)
    stop(two_gpus, first)
    texts = finish(two_gpus.daemon(), second.sid)[2]
    assert len(set(texts.values())) == 1
    assert int(texts["node-0.0"]) > 1023


def test_never_more_than_the_machine_has(two_gpus: Host) -> None:
    spec = gpu_spec(8, SEEN, nodes=2)
    texts = two_gpus.run(spec)[2]
    assert texts == {"node-0": "gpus=0\n", "node-1": "gpus=1\n"}
    said = [each.message for each in two_gpus.daemon().events(spec.sid)]
    assert "this machine has 2 GPUs, the job asks for 16 (2 nodes × 8): it sees those there are" in said


def test_a_job_that_asks_for_none_sees_none(two_gpus: Host) -> None:
    command = "echo ${CUDA_VISIBLE_DEVICES-unset}"
    assert two_gpus.run(job_spec(command))[2] == {"node-0": "\n"}
    assert two_gpus.run(job_spec(command, env={"CUDA_VISIBLE_DEVICES": "1"}))[2] == {"node-0": "1\n"}


def test_what_is_handed_over_is_shown(two_gpus: Host) -> None:
    text = two_gpus.daemon().render(gpu_spec(1)).files["processes.json"]
    assert '"CUDA_VISIBLE_DEVICES": "‹1 of 0,1›"' in text


def test_a_machine_without_gpus_runs_the_job_and_says_so(host: Host) -> None:
    host.environ["AJ_LOCAL_GPUS"] = "0"
    spec = gpu_spec(1, "echo ${CUDA_VISIBLE_DEVICES-unset}")
    assert host.run(spec)[2] == {"node-0": "unset\n"}
    said = [each.message for each in host.daemon().events(spec.sid)]
    assert "this machine has no GPUs, the job asks for 1: it sees those there are" in said


def test_gpus_are_found(tmp_path: Path) -> None:
    program = tmp_path / "nvidia-smi"
    program.write_text("#!/bin/sh\necho 'GPU 0: A (UUID: GPU-1)'\necho '  MIG 1g'\necho 'GPU 1: A (UUID: GPU-2)'\n")
    program.chmod(0o755)
    devices = tmp_path / "dev"
    devices.mkdir()
    there, nowhere = {"PATH": str(tmp_path)}, {"PATH": ""}
    assert machine_gpus(nowhere, str(devices)) == []
    assert machine_gpus(there, str(devices)) == ["0", "1"]
    program.write_text("#!/bin/sh\nexit 9\n")
    assert machine_gpus(there, str(devices)) == []
    for name in ("nvidia0", "nvidia1", "nvidia2", "nvidiactl", "nvidia-uvm"):
        (devices / name).touch()
    assert machine_gpus(nowhere, str(devices)) == ["0", "1", "2"]
    assert machine_gpus({"AJ_LOCAL_GPUS": "4"}, str(devices)) == ["0", "1", "2", "3"]
    assert machine_gpus({"AJ_LOCAL_GPUS": "2, GPU-1,"}, str(devices)) == ["2", "GPU-1"]


def test_shares() -> None:
    spec = gpu_spec(4, nodes=2)
    assert [shares(spec, count) for count in (8, 5, 1, 0)] == [[4, 4], [3, 2], [1, 0], [0, 0]]
    assert told_of_few(spec, [str(each) for each in range(8)]) is None
