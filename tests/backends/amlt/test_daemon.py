"""Jobs through `amlt` from `aj run --amlt` to their end, through a real daemon that may be killed at any time."""

from __future__ import annotations

import asyncio
import json
from typing import TYPE_CHECKING

import pytest

from ajkit.backends.amlt.commands import Amlt
from ajkit.daemon import drive
from ajkit.shared.job.execution import JobState
from tests.backends.amlt.conftest import job_spec, put_on_path
from tests.backends.driving import Driver
from tests.daemon.driven import world
from tests.daemons import finish, host, wait_until

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.backends.amlt.conftest import Bench
    from tests.daemon.driven import World
    from tests.daemons import Host

__all__ = ["host", "world"]

PROJECT = """
--- .azure_jobs/template/train.yaml
config:
  target: {service: sing, name: research-vc}
  environment: {image: "pytorch:2"}
  code: {local_dir: src}
  jobs:
    - {name: train, sku: "{nodes}xG{processes}", instance_count: 1, command: ["./show.sh $((20 + 1))"]}
    - {name: second, sku: G1, command: ["echo the second"], submit_args: {env: {}}}
--- src/show.sh
echo "$1 from $AJ_NAME"
"""


@pytest.fixture
def driver(host: Host, tmp_path: Path) -> Iterator[Driver]:
    home = tmp_path / "amlt"
    home.mkdir()
    host.environ |= {"FAKE_AMLT": str(home), "PATH": f"{put_on_path(tmp_path)}:{host.environ['PATH']}"}
    found = Driver(host, tmp_path / "p")
    found.draw(PROJECT)
    (tmp_path / "p/src/show.sh").chmod(0o755)
    yield found
    host.stop()


def runs(tmp_path: Path) -> int:
    lines = (tmp_path / "amlt/calls.jsonl").read_text().splitlines()
    return len([each for each in lines if json.loads(each)["argv"][0] == "run"])


def test_run(driver: Driver) -> None:
    done = driver.aj("run", "--amlt", "-p", "8", "--sid", "a" * 10)
    assert done.returncode == 0, done.stderr
    assert done.stdout.splitlines()[-1].endswith(f"21 from train-{'a' * 10}")


def test_all_jobs(driver: Driver) -> None:
    done = driver.aj("run", "--amlt", "--all-jobs", "-p", "8", "--sid", "b" * 10)
    assert done.returncode == 0, done.stderr
    assert "the second" in done.stdout


def test_a_lost_answer_and_a_killed_daemon_make_one_job(driver: Driver, tmp_path: Path) -> None:
    (tmp_path / "amlt/mode").write_text("lost")
    assert driver.aj("run", "--amlt", "-p", "8", "--sid", "c" * 10, "--detach").returncode == 0
    wait_until((tmp_path / "amlt/experiments").exists)
    assert driver.survive("c" * 10) == "done"
    assert runs(tmp_path) == 1


@pytest.mark.parametrize("mode", ["lost", "refuse"])
def test_a_failure_of_amlt_is_a_refusal_once_it_goes_on_to_have_no_such_job(
    world: World, bench: Bench, mode: str, monkeypatch: pytest.MonkeyPatch
) -> None:
    """What amlt lists may be behind what it has submitted: it is looked for again before the job is called rejected."""
    looks = 0
    plain = Amlt.states

    def behind(amlt: Amlt, experiment: str) -> dict[str, str] | None:
        nonlocal looks
        looks += 1
        if looks > 3:
            bench.mode("")
        return None if looks < 3 else plain(amlt, experiment)

    monkeypatch.setattr(Amlt, "states", behind)
    monkeypatch.setattr(drive, "_DOUBTS", 10_000 if mode == "lost" else 20)
    monkeypatch.setattr(bench.execution, "poll_seconds", 0.05)
    bench.mode(mode)
    info, states = asyncio.run(world.driven_spec(bench.execution, job_spec("true")))
    assert (states[:3], info.attempts) == (["accepted", "submitting", "unknown"], 1)
    assert states[-1] == ("done" if mode == "lost" else "rejected")
    assert mode == "lost" or info.message == "amlt run: ERROR: Target not found: vc"


def test_a_submission_that_outlives_the_daemon_is_waited_for(driver: Driver, host: Host, tmp_path: Path) -> None:
    """`amlt run` takes minutes and goes on when the daemon is killed: until its end nothing is known of the job."""
    mode = tmp_path / "amlt/mode"
    mode.write_text("slow")
    sid = "d" * 10
    assert driver.aj("run", "--amlt", "-p", "8", "--sid", sid, "--detach").returncode == 0
    wait_until(lambda: (tmp_path / "amlt/calls.jsonl").exists() and runs(tmp_path) == 1)
    host.kill()
    daemon = host.daemon()
    wait_until(lambda: "still under way" in daemon.job(sid).job.message)
    assert daemon.job(sid).job.state is JobState.UNKNOWN
    mode.write_text("")
    assert finish(daemon, sid)[0] == "done"
    assert runs(tmp_path) == 1
