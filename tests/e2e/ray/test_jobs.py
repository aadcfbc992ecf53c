"""Jobs on a real Ray cluster of two nodes, through a real daemon."""

from __future__ import annotations

import http.client
import shutil
import subprocess
import sys
from typing import TYPE_CHECKING, Any

import pytest

from tests.daemons import finish, is_alive, job_spec, wait_until
from tests.e2e.meeting import MEET
from tests.e2e.ray.cluster import PATIENCE
from tests.repository import ROOT

if TYPE_CHECKING:
    from pathlib import Path

    from ajkit.shared.job.spec import JobSpec
    from tests.daemons import Host
    from tests.e2e.ray.cluster import Cluster

SAY = "echo $AJ_NODE_RANK $NODE_RANK $RANK $LOCAL_RANK $LOCAL_WORLD_SIZE $WORLD_SIZE"

pytestmark = pytest.mark.timeout(1500)


def ray_spec(command: str, **fields: Any) -> JobSpec:
    """A job of the service `ray` that takes little."""
    options = {"cpus_per_node": 0.5, **fields.pop("options", {})}
    return job_spec(command, service="ray", backend_spec=options, **fields)


def told(host: Host, job_id: str) -> tuple[str, str]:
    """The state and the message of a job."""
    job = host.daemon().job(job_id).job
    return job.state.value, job.message


def test_two_nodes_meet(ray_host: Host, tmp_path: Path) -> None:
    (tmp_path / "run.sh").write_text("#!/bin/sh\necho code $ODD\n")
    (tmp_path / "run.sh").chmod(0o755)
    (tmp_path / "meet.py").write_text(MEET)
    command = f"{SAY}; ./run.sh; python3 meet.py; echo gpus=$CUDA_VISIBLE_DEVICES"
    spec = ray_spec(command, nodes=2, processes_per_node=2, gpus_per_node=4, selector=4, env={"ODD": "a,b 'c\""})
    state, code, texts = ray_host.run(spec, str(tmp_path))
    assert (state, code) == ("done", 0), texts
    assert texts == {
        "node-0.0": "0 0 0 0 2 4\ncode a,b 'c\"\nmet [1, 2, 3]\ngpus=0,1,2,3\n",
        "node-0.1": "0 0 1 1 2 4\ncode a,b 'c\"\nmet 0\ngpus=0,1,2,3\n",
        "node-1.0": "1 1 2 0 2 4\ncode a,b 'c\"\nmet 0\ngpus=0,1,2,3\n",
        "node-1.1": "1 1 3 1 2 4\ncode a,b 'c\"\nmet 0\ngpus=0,1,2,3\n",
    }


def test_the_first_process_that_fails_ends_the_job(ray_host: Host) -> None:
    spec = ray_spec("[ $RANK = 1 ] && exit 7; sleep 3000", nodes=2)
    state, code, texts = ray_host.run(spec)
    assert (state, code) == ("failed", 7), texts
    assert told(ray_host, spec.sid)[1] == "node-1 exited with 7"


def said(host: Host, job_id: str) -> str:
    """What the processes of a job have said."""
    return "".join(each.text for each in host.daemon().logs(job_id) if each.stream != "driver")


def test_a_job_that_waits_is_stopped_and_one_that_runs_leaves_nothing(ray_host: Host) -> None:
    daemon = ray_host.daemon()
    large, waiting = (
        ray_spec("echo $$; (sleep 3000 &); sleep 3001", options={"cpus_per_node": 16}, nodes=2) for _ in "ab"
    )
    daemon.submit(large, ray_host.code)
    wait_until(lambda: said(ray_host, large.sid).count("\n") == 2, PATIENCE)
    pids = [int(each) for each in said(ray_host, large.sid).split()]
    daemon.submit(waiting, ray_host.code)
    looking = ("queued", "Ray looks for nodes that are free for it")
    wait_until(lambda: told(ray_host, waiting.sid) == looking, PATIENCE)
    for each in (waiting, large):
        daemon.cancel(each.sid)
    for each in (waiting, large):
        assert finish(daemon, each.sid)[0] == "cancelled"
    wait_until(lambda: not any(is_alive(each) for each in pids), PATIENCE)


def test_the_example_is_run_and_what_ray_shows_holds_no_secret(
    ray_host: Host, cluster: Cluster, tmp_path: Path
) -> None:
    """The example template of `ray`, but for its address and the packages that it would install."""
    shutil.copy(ROOT / "server/ajkit/backends/ray/examples/train.yaml", tmp_path)
    (tmp_path / "train.py").write_text("import os, sys\nprint(sys.argv[1:], len(os.environ['WANDB_API_KEY']))\n")
    laid = ["--set", f"_extra.ray.address={cluster.address}", "--set", "_extra.ray.runtime_env=null"]
    done = subprocess.run(
        [sys.executable, "-m", "ajkit.cli", "run", "-t", "./train.yaml", *laid],
        cwd=tmp_path,
        env=ray_host.environ,
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr
    assert sorted(done.stdout.splitlines()) == [
        f"[node-{at}] ['--config', 'configs/finetune.yaml'] 4" for at in range(2)
    ]
    connection = http.client.HTTPConnection("127.0.0.1", cluster.dashboard, timeout=90)
    connection.request("GET", "/api/jobs/")
    shown = connection.getresponse().read()
    connection.close()
    assert b"finetune-" in shown
    assert b"hush" not in shown


def test_a_head_that_is_started_anew_has_lost_the_job(ray_host: Host, cluster: Cluster) -> None:
    daemon = ray_host.daemon()
    spec = ray_spec("echo on; sleep 3000")
    daemon.submit(spec, ray_host.code)
    wait_until(lambda: said(ray_host, spec.sid) == "on\n" and told(ray_host, spec.sid)[0] == "running", PATIENCE)
    cluster.kill()
    wait_until(lambda: "cannot be reached" in told(ray_host, spec.sid)[1], PATIENCE)
    assert told(ray_host, spec.sid)[0] == "running"
    cluster.start_head()
    state, _, texts = finish(daemon, spec.sid)
    assert (state, texts["node-0"]) == ("lost", "on\n")
