"""Jobs on a real Slurm cluster, through a real daemon: every way in which they can go and end."""

from __future__ import annotations

import time
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

from ajkit.client.wire import DaemonRefused
from ajkit.shared.job.spec import FromEnv, JobSpec
from tests.daemons import finish, job_spec, wait_until
from tests.e2e.meeting import MEET
from tests.e2e.slurm.cluster import PATIENCE

if TYPE_CHECKING:
    from ajkit.client.daemon import Daemon
    from tests.daemons import Host
    from tests.e2e.slurm.cluster import Cluster

OPTIONS: dict[str, Any] = {"gres": "gpu", "modules": []}


def slurm_spec(command: str, **fields: Any) -> JobSpec:
    """A job of the service `slurm`."""
    options = OPTIONS | fields.pop("options", {})
    return job_spec(command, service="slurm", backend_spec=options, **fields)


def told(host: Host, job_id: str) -> tuple[str, str]:
    """The state and the message of a job."""
    job = host.daemon().job(job_id).job
    return job.state.value, job.message


def wait_told(host: Host, job_id: str, state: str, words: str = "") -> str:
    """Wait until a job is in a state and the message that goes with it has some words; the message."""
    until = time.monotonic() + PATIENCE
    while True:
        now, message = told(host, job_id)
        if now == state and words in message:
            return message
        assert time.monotonic() < until, f"not {state} ({words!r}) in {PATIENCE:.0f} s, but {now}: {message!r}"
        time.sleep(0.05)


def submit(host: Host, spec: JobSpec, folder: str | None = None) -> Daemon:
    """Submit a job."""
    daemon = host.daemon()
    daemon.submit(spec, folder or host.code)
    return daemon


PLACES = "AJ_NODE_RANK NODE_RANK RANK LOCAL_RANK LOCAL_WORLD_SIZE WORLD_SIZE"
SAY = "echo " + " ".join(f"${each}" for each in PLACES.split())


def test_one_node(slurm_host: Host, tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_text("echo code $X")
    spec = slurm_spec(f"{SAY}; bash run.sh; pwd", setup=["X=1", "export X"], env={"COMMAS": "a,b=c d\n\"e'$x"})
    state, code, texts = slurm_host.run(spec, str(tmp_path))
    assert (state, code) == ("done", 0), texts
    assert texts["node-0"].splitlines()[:2] == ["0 0 0 0 1 1", "code 1"]
    assert texts["node-0"].splitlines()[2].endswith("/code")


def test_values_arrive_as_they_are(slurm_host: Host) -> None:
    value = "a,b=c d\n\"e' $x \\ é ` ;"
    texts = slurm_host.run(slurm_spec('printf %s "$ODD"', env={"ODD": value}))[2]
    assert texts["node-0"] == value


def test_two_nodes_of_eight_gpus_meet(slurm_host: Host, tmp_path: Path) -> None:
    (tmp_path / "meet.py").write_text(MEET)
    spec = slurm_spec(f"{SAY}; python3 meet.py; echo $CUDA_VISIBLE_DEVICES", nodes=2, gpus_per_node=8, selector=8)
    state, code, texts = slurm_host.run(spec, str(tmp_path))
    assert (state, code) == ("done", 0), texts
    gpus = "0,1,2,3,4,5,6,7"
    assert texts == {"node-0": f"0 0 0 0 1 2\nmet [1]\n{gpus}\n", "node-1": f"1 1 1 0 1 2\nmet 0\n{gpus}\n"}


def test_every_process_knows_its_place(slurm_host: Host) -> None:
    state, _, texts = slurm_host.run(slurm_spec(SAY, nodes=2, processes_per_node=2))
    assert state == "done"
    assert texts == {
        "node-0.0": "0 0 0 0 2 4\n",
        "node-0.1": "0 0 1 1 2 4\n",
        "node-1.0": "1 1 2 0 2 4\n",
        "node-1.1": "1 1 3 1 2 4\n",
    }


def test_the_template_wins_over_the_rendezvous_but_not_over_the_rank_of_the_node(slurm_host: Host) -> None:
    env = {"MASTER_ADDR": "box", "MASTER_PORT": "1", "RANK": "7", "AJ_NODE_RANK": "9", "NODE_RANK": "8"}
    spec = slurm_spec("echo $MASTER_ADDR $MASTER_PORT $RANK $NODE_RANK $AJ_NODE_RANK", env=env)
    assert slurm_host.run(spec)[2] == {"node-0": "box 1 7 8 0\n"}


def test_unlike_nodes_are_one_heterogeneous_job(slurm_host: Host, cluster: Cluster, tmp_path: Path) -> None:
    (tmp_path / "meet.py").write_text(MEET)
    tasks = {
        "server": {"replicas": 1, "gpus_per_node": 0, "processes_per_node": 1, "command": [SAY, "python3 meet.py"]},
        "worker": {"replicas": 1, "gpus_per_node": 4, "processes_per_node": 2},
    }
    spec = slurm_spec(
        f"{SAY}; python3 meet.py; echo $CUDA_VISIBLE_DEVICES",
        nodes=2,
        processes_per_node=2,
        gpus_per_node=4,
        options={"tasks": tasks},
        time_limit_seconds=600,
    )
    state, code, texts = slurm_host.run(spec, str(tmp_path))
    assert (state, code) == ("done", 0), texts
    assert texts == {
        "node-0": "0 0 0 0 1 3\nmet [1, 2]\n",
        "node-1.0": "1 1 1 0 2 3\nmet 0\n0,1,2,3\n",
        "node-1.1": "1 1 2 1 2 3\nmet 0\n0,1,2,3\n",
    }
    assert cluster.jobs().count(f"aj-{spec.sid}") == 2


def test_the_first_process_that_fails_ends_the_job(slurm_host: Host) -> None:
    spec = slurm_spec("[ $RANK = 1 ] && exit 7; sleep 3000", nodes=2)
    state, code, texts = slurm_host.run(spec)
    assert (state, code) == ("failed", 7), texts
    assert told(slurm_host, spec.sid)[1] == "node-1 exited with 7"
    assert "task 1: Exited with exit code 7" in texts["batch"]


def test_a_signal_is_told_as_shells_do(slurm_host: Host) -> None:
    spec = slurm_spec("kill -9 $$")
    assert slurm_host.run(spec)[:2] == ("failed", 137)
    assert told(slurm_host, spec.sid)[1] == "node-0 was ended by SIGKILL"


def test_a_time_limit_is_kept_to_the_second(slurm_host: Host) -> None:
    # Not less: in that time the process has to begin.
    spec = slurm_spec("echo on; sleep 3000", time_limit_seconds=10)
    state, code, texts = slurm_host.run(spec)
    assert (state, code) == ("failed", 124)
    assert told(slurm_host, spec.sid)[1] == "stopped at its time limit of 10 seconds"
    assert texts["node-0"] == "on\n"


def test_cancelled_by_us_and_by_others(slurm_host: Host, cluster: Cluster) -> None:
    ours, theirs = slurm_spec("sleep 3000"), slurm_spec("sleep 3000")
    for each in (ours, theirs):
        submit(slurm_host, each)
        wait_told(slurm_host, each.sid, "running")
    slurm_host.daemon().cancel(ours.sid)
    cluster.ask("scancel", f"--name=aj-{theirs.sid}")
    assert wait_told(slurm_host, ours.sid, "cancelled") == "cancelled"
    assert wait_told(slurm_host, theirs.sid, "cancelled").startswith("cancelled from outside of aj")


def test_a_job_waits_and_is_put_back(slurm_host: Host, cluster: Cluster) -> None:
    first = slurm_spec("echo on; sleep 3000", nodes=2, options={"cpus_per_node": 64})
    second = slurm_spec("true", nodes=2, options={"cpus_per_node": 64})
    daemon = submit(slurm_host, first)
    wait_told(slurm_host, first.sid, "running")
    submit(slurm_host, second)
    wait_told(slurm_host, second.sid, "queued", "waiting for free nodes")
    number = daemon.job(first.sid).job.backend_id
    assert number is not None
    cluster.ask("scontrol", "requeue", number)
    wait_told(slurm_host, first.sid, "queued", "put back into the queue by Slurm")
    wait_told(slurm_host, second.sid, "done")
    cluster.ask("scontrol", "update", f"jobid={number}", "starttime=now")
    wait_told(slurm_host, first.sid, "running", "started again by Slurm (restart 1)")
    daemon.cancel(first.sid)
    assert finish(daemon, first.sid)[0] == "cancelled"


def test_a_node_that_fails(slurm_host: Host, cluster: Cluster) -> None:
    again, never = slurm_spec("sleep 3000", nodes=2), slurm_spec("sleep 3000", nodes=2)
    for each in (again, never):
        submit(slurm_host, each)
        wait_told(slurm_host, each.sid, "running")
    daemon = slurm_host.daemon()
    cluster.ask("scontrol", "update", f"jobid={daemon.job(never.sid).job.backend_id}", "requeue=0")
    cluster.ask("scontrol", "update", "nodename=n2", "state=down", "reason=smoke")
    try:
        assert wait_told(slurm_host, never.sid, "failed") == "a node failed (n[1-2])"
        wait_told(slurm_host, again.sid, "queued", "put back into the queue by Slurm")
        daemon.cancel(again.sid)
        wait_told(slurm_host, again.sid, "cancelled")
    finally:
        cluster.ask("scontrol", "update", "nodename=n2", "state=resume")
        wait_until(cluster.idle, PATIENCE)


def test_a_controller_that_is_away_for_a_while(slurm_host: Host, cluster: Cluster) -> None:
    running, waiting = slurm_spec("sleep 3000"), slurm_spec("echo on")
    submit(slurm_host, running)
    wait_told(slurm_host, running.sid, "running")
    cluster.stop("slurmctld")
    submit(slurm_host, waiting)
    for each in (running, waiting):
        wait_until(lambda each=each: "controller does not answer" in told(slurm_host, each.sid)[1], PATIENCE)  # type: ignore[misc]
    assert told(slurm_host, running.sid)[0] == "running"
    assert told(slurm_host, waiting.sid)[0] in {"accepted", "submitting"}
    cluster.start_controller()
    assert finish(slurm_host.daemon(), waiting.sid) == ("done", 0, {"node-0": "on\n"})
    # An engine that was away for long is asked again every half minute.
    wait_until(lambda: told(slurm_host, running.sid) == ("running", ""), PATIENCE)
    slurm_host.daemon().cancel(running.sid)
    assert finish(slurm_host.daemon(), running.sid)[0] == "cancelled"
    assert cluster.jobs().count(f"aj-{waiting.sid}") == 1


def test_sbatch_says_no(slurm_host: Host) -> None:
    spec = slurm_spec("true", options={"partition": "nope"})
    assert slurm_host.run(spec)[0] == "rejected"
    assert "invalid partition specified: nope" in told(slurm_host, spec.sid)[1]


def test_the_opinion_of_slurm(slurm_host: Host) -> None:
    daemon = slurm_host.daemon()
    answer = daemon.render(slurm_spec("true", nodes=2, gpus_per_node=8), dry_run=True)
    assert "n[1-2] in partition main" in (answer.opinion or "")
    with pytest.raises(DaemonRefused, match="Requested node configuration is not available"):
        daemon.render(slurm_spec("true", nodes=2, gpus_per_node=9), dry_run=True)


def test_partitions(slurm_host: Host) -> None:
    found = slurm_host.daemon().values("slurm", "queues").values
    assert [each.value for each in found] == ["main", "gpu", "cpu"]
    assert found[0].detail.endswith(" idle, at most 1:00:00, gpu:a100:8")
    assert slurm_host.daemon().values("slurm", "accounts").values == []


def test_a_secret_is_in_no_file_and_no_argument(slurm_host: Host) -> None:
    command = "echo ${#KEY}; cat /proc/[0-9]*/cmdline | tr '\\0' ' ' | grep -c hu[s]h"
    spec = slurm_spec(command, env={"KEY": FromEnv(from_env="WANDB_API_KEY")})
    assert slurm_host.run(spec)[2]["node-0"] == "4\n0\n"
    folder = Path(slurm_host.state, "jobs", spec.sid)
    texts = [path.read_bytes() for path in folder.rglob("*") if path.is_file()]
    assert len(texts) > 5
    assert not [each for each in texts if b"hush" in each]
