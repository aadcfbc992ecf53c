"""`aj run` through a daemon against a real API server: answers that get lost, daemons and servers that are killed."""

from __future__ import annotations

from concurrent.futures import ThreadPoolExecutor
from functools import partial
from typing import TYPE_CHECKING

import pytest

from tests.backends.volcano import realapi
from tests.backends.volcano.gate import Gate
from tests.backends.volcano.realapi import COMMANDS, CORE, JOBS, RealApi
from tests.backends.volcano.test_daemon import driver
from tests.daemons import finish, host, wait_until
from tests.repository import ROOT

if TYPE_CHECKING:
    from collections.abc import Iterator
    from pathlib import Path

    from tests.backends.driving import Driver
    from tests.daemons import Host

__all__ = ["driver", "host"]

pytestmark = realapi.needs_it


@pytest.fixture(scope="module")
def api(tmp_path_factory: pytest.TempPathFactory) -> Iterator[RealApi]:
    with realapi.real_api(tmp_path_factory.mktemp("kube")) as found:
        yield found


@pytest.fixture
def gate(api: RealApi) -> Iterator[Gate]:
    found = Gate(api.url)
    yield found
    found.close()


@pytest.fixture
def kubeconfig(api: RealApi, gate: Gate) -> str:
    return api.kubeconfig(server=gate.url)


def is_in(host: Host, sid: str, state: str) -> bool:
    return state_of(host, sid) == state


def state_of(host: Host, sid: str) -> str:
    return str(host.ask("GET", f"/v1/jobs/{sid}").json["job"]["state"])


def test_from_submission_to_the_end(driver: Driver, api: RealApi, host: Host) -> None:
    done = driver.aj("run", "--sid", "a" * 10, "--detach")
    assert done.returncode == 0, done.stderr
    name = f"train-{'a' * 10}"
    wait_until(lambda: state_of(host, "a" * 10) == "queued")
    assert name in api.names(JOBS)
    phases = {"Running": "running", "Restarting": "queued", "Pending": "queued", "Completing": "running"}
    for phase, state in [*phases.items(), ("Completed", "done")]:
        api.set_phase(name, phase)
        wait_until(partial(is_in, host, "a" * 10, state))
    wait_until(lambda: f"{name}-env" not in api.names(f"{CORE}/secrets"))


@pytest.mark.parametrize("name", ["train", "tasks"])
def test_the_examples(driver: Driver, api: RealApi, host: Host, name: str) -> None:
    text = (ROOT / f"server/ajkit/backends/volcano/examples/{name}.yaml").read_text("utf-8")
    driver.draw(f"--- .aj/template/{name}.yaml\n{text}")
    host.environ["SIMULATOR_LICENSE"] = "a license"
    sid = f"example{name}"[:10]
    done = driver.aj("run", "-t", name, "--sid", sid, "--detach")
    assert done.returncode == 0, done.stderr
    wait_until(partial(is_in, host, sid, "queued"))
    assert [each for each in api.names(JOBS) if each.endswith(sid)]


def test_cancel(driver: Driver, api: RealApi, host: Host) -> None:
    assert driver.aj("run", "--sid", "b" * 10, "--detach").returncode == 0
    name = f"train-{'b' * 10}"
    wait_until(lambda: state_of(host, "b" * 10) == "queued")
    with ThreadPoolExecutor() as threads:
        cancelled = threads.submit(driver.aj, "jobs", "cancel", "b" * 10)
        wait_until(lambda: f"{name}-stop" in api.names(COMMANDS))
        assert state_of(host, "b" * 10) == "cancelling"
        api.set_phase(name, "Terminated")
        assert cancelled.result().returncode == 0, cancelled.result().stderr
    assert state_of(host, "b" * 10) == "cancelled"


def test_a_token_that_may_nothing(driver: Driver, api: RealApi, gate: Gate, tmp_path: Path) -> None:
    (tmp_path / "kubeconfig").write_text(api.kubeconfig("nobody", server=gate.url))
    refused = driver.aj("run", "--sid", "g" * 10)
    assert refused.returncode == 1
    assert 'is forbidden: User "nobody" cannot create resource "jobs"' in refused.stderr
    assert f"train-{'g' * 10}" not in api.names(JOBS)


def test_a_token_that_is_known_later(driver: Driver, api: RealApi, gate: Gate, host: Host, tmp_path: Path) -> None:
    (tmp_path / "kubeconfig").write_text(api.kubeconfig("a-stranger", server=gate.url))
    assert driver.aj("run", "--sid", "h" * 10, "--detach").returncode == 0
    wait_until(lambda: "does not know who asks" in driver.aj("jobs", "show", "h" * 10).stdout)
    (tmp_path / "kubeconfig").write_text(api.kubeconfig(server=gate.url))
    wait_until(partial(is_in, host, "h" * 10, "queued"))


def test_the_end_is_told_though_a_node_is_silent(driver: Driver, api: RealApi, host: Host) -> None:
    sid = "i" * 10
    name = f"train-{sid}"
    with ThreadPoolExecutor() as threads:
        done = threads.submit(driver.aj, "run", "--sid", sid)
        wait_until(lambda: name in api.names(JOBS))
        api.add_pods(name, "silent", "gone")
        api.set_phase(name, "Running")
        wait_until(partial(is_in, host, sid, "running"))
        api.set_phase(name, "Failed")
        assert done.result().returncode == 1, done.result().stderr
    assert is_in(host, sid, "failed")


def test_a_daemon_that_is_killed_before_it_hears_the_answer(driver: Driver, api: RealApi, gate: Gate) -> None:
    gate.holds = lambda asked: asked.startswith(f"POST {JOBS}?") and "dryRun" not in asked
    assert driver.aj("run", "--sid", "c" * 10, "--detach").returncode == 0
    assert gate.held.wait(60), "the job is made, and the daemon does not know"
    name = f"train-{'c' * 10}"
    uid = api.get(f"{JOBS}/{name}")["metadata"]["uid"]
    gate.holds = lambda _: False
    driver.host.kill()
    daemon = driver.host.daemon()
    wait_until(lambda: state_of(driver.host, "c" * 10) == "queued")
    found = api.get(f"{JOBS}/{name}")
    assert found["metadata"]["uid"] == uid
    made = [each["metadata"] for each in api.get(f"{CORE}/configmaps")["items"]]
    owners = [each.get("ownerReferences") for each in made if each["name"].startswith(name)]
    assert len(owners) > 1
    assert all(owners), "what it has beside it was given to it by the daemon that found it"
    api.set_phase(name, "Completed")
    assert finish(daemon, "c" * 10)[0] == "done"
    posts = [each for each in gate.requests if each.startswith(f"POST {JOBS}") and "dryRun" not in each]
    assert len(posts) == 1


def test_a_server_that_is_started_again_under_running_jobs(driver: Driver, api: RealApi, host: Host) -> None:
    assert driver.aj("run", "--sid", "d" * 10, "--detach").returncode == 0
    name = f"train-{'d' * 10}"
    wait_until(lambda: state_of(host, "d" * 10) == "queued")
    api.set_phase(name, "Running")
    wait_until(lambda: state_of(host, "d" * 10) == "running")
    api.stop_server()
    # Handed over while nobody is there, and while the server starts.
    assert driver.aj("run", "--sid", "e" * 10, "--detach").returncode == 0
    api.start()
    wait_until(lambda: state_of(host, "e" * 10) == "queued", 60)
    assert state_of(host, "d" * 10) == "running"
    for sid in ("d" * 10, "e" * 10):
        api.set_phase(f"train-{sid}", "Completed")
    wait_until(lambda: state_of(host, "d" * 10) == state_of(host, "e" * 10) == "done", 60)
