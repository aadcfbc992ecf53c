"""The client against a real daemon: submitting, listing, following with marks, going away in between."""

from __future__ import annotations

import os
import socket
import subprocess
import sys
import threading
from typing import TYPE_CHECKING

import pytest

from ajkit.client.address import unix_address
from ajkit.client.daemon import Daemon, LogLine, StateChange
from ajkit.client.places import last_words, read_note, state_folder
from ajkit.client.snapshot import Limits
from ajkit.client.start import DaemonFailed
from ajkit.client.wire import DaemonGone, DaemonRefused, Wire
from ajkit.shared.job.execution import JobState
from ajkit.shared.problem import Refused
from tests.daemons import finish, install_package, job_spec, wait_running, wait_until

if TYPE_CHECKING:
    from pathlib import Path

    from tests.daemons import Host


def test_a_job_from_folder_to_end(shared_host: Host, tmp_path: Path) -> None:
    (tmp_path / "main.py").write_text("print('hello')\n")
    daemon = shared_host.daemon()
    said: list[str] = []
    spec = job_spec(f"{sys.executable} main.py")
    info = daemon.submit(spec, str(tmp_path), report=said.append)
    assert (info.id, info.state) == (spec.sid, JobState.ACCEPTED)
    assert said == ["packing the code", "uploading the code (0.0 MiB)", "submitting"]
    assert finish(daemon, info.id) == ("done", 0, {"node-0": "hello\n"})
    detail = daemon.job(info.id)
    assert (detail.spec, detail.job.state, detail.job.exit_code) == (spec, JobState.DONE, 0)


def test_the_same_code_is_uploaded_once(shared_host: Host, tmp_path: Path) -> None:
    (tmp_path / "data").write_text("something new")
    daemon = shared_host.daemon()
    said: list[str] = []
    for _ in range(2):
        daemon.submit(job_spec("true"), str(tmp_path), report=said.append)
    assert [each.partition(" (")[0] for each in said].count("uploading the code") == 1


def test_the_state_of_the_daemon_does_not_travel_with_the_code_around_it(host: Host) -> None:
    host.daemon()
    state, _, texts = host.run(job_spec("ls; ls -A state"), host.root)
    assert (state, texts["node-0"].split()) == ("done", ["code", "run", "state"])


def test_the_same_key_is_the_same_job(shared_host: Host) -> None:
    daemon = shared_host.daemon()
    spec = job_spec("true")
    first = daemon.submit(spec, shared_host.code, key=f"k-{spec.sid}")
    assert daemon.submit(spec, shared_host.code, key=f"k-{spec.sid}") == first
    with pytest.raises(DaemonRefused) as refused:
        daemon.submit(job_spec("true"), shared_host.code, key=f"k-{spec.sid}")
    assert refused.value.code == "key.reused"


def test_lists(shared_host: Host) -> None:
    daemon = shared_host.daemon()
    ids = []
    for number in range(3):
        spec = job_spec(f"exit {number}", experiment="client")
        daemon.submit(spec, shared_host.code)
        finish(daemon, spec.sid)
        ids.append(spec.sid)
    assert [each.id for each in daemon.jobs(experiment="client")] == ids[::-1]
    assert [each.id for each in daemon.jobs(experiment="client", most=2)] == ids[:0:-1]
    assert [each.id for each in daemon.jobs(experiment="client", states=[JobState.DONE])] == [ids[0]]
    assert list(daemon.jobs(experiment="client", live=True)) == []
    assert list(daemon.jobs(experiment="client", service="slurm")) == []
    assert list(daemon.jobs(template="nobody's")) == []


def test_more_jobs_than_a_page(shared_host: Host) -> None:
    daemon = shared_host.daemon()
    daemon.submit(job_spec("true", experiment="pages"), shared_host.code)
    calls: list[object] = []
    answer = daemon.reach.call

    def one_by_one(*args: object, **given: object) -> bytes:
        calls.append(given["query"])
        given["query"] = {**given["query"], "limit": 1}  # type: ignore[dict-item]
        return answer(*args, **given)  # type: ignore[arg-type]

    daemon.reach.call = one_by_one  # type: ignore[method-assign]
    every = [each.id for each in daemon.jobs()]
    assert len(every) == len(set(every)) == len(calls)


def test_following_goes_on_where_it_was_left(shared_host: Host) -> None:
    daemon = shared_host.daemon()
    gates = [shared_host.held(f"echo {number}") for number in (1, 2, 3)]
    spec = job_spec("\n".join(each.command for each in gates))
    daemon.submit(spec, shared_host.code)
    text, mark = "", ""
    for gate in gates:
        shared_host.let_go(gate)
        follower = daemon.follow(spec.sid, after=mark)
        for each in follower:
            mark = each.mark
            if isinstance(each, LogLine):
                text += each.text
                break
        follower.close()
    rest = list(daemon.follow(spec.sid, after=mark))
    text += "".join(each.text for each in rest if isinstance(each, LogLine))
    assert text == "1\n2\n3\n"
    assert isinstance(rest[-1], StateChange)
    assert rest[-1].event.state is JobState.DONE


def test_following_across_a_daemon_that_is_killed(host: Host) -> None:
    daemon = host.daemon()
    spec = host.held("for i in $(seq 40); do echo line $i; sleep 0.05; done")
    daemon.submit(spec, host.code)
    seen: list[str] = []
    states: list[str] = []

    def follow() -> None:
        for each in daemon.follow(spec.sid):
            if isinstance(each, LogLine):
                seen.append(each.text)
            else:
                states.append(each.event.state.value)

    follower = threading.Thread(target=follow)
    follower.start()
    wait_until(lambda: "running" in states)
    host.let_go(spec)
    wait_until(lambda: len("".join(seen).split()) > 6)
    host.kill()
    follower.join(60)
    assert "".join(seen) == "".join(f"line {each}\n" for each in range(1, 41))
    assert states == ["accepted", "submitting", "submitted", "running", "done"]


def test_events(shared_host: Host) -> None:
    daemon = shared_host.daemon()
    spec = shared_host.held("true")
    daemon.submit(spec, shared_host.code)
    wait_running(daemon, spec)
    shared_host.let_go(spec)
    every = list(daemon.events(spec.sid))
    assert [each.seq for each in every] == [1, 2, 3, 4, 5]
    assert list(daemon.events(spec.sid, after=3)) == every[3:]


def test_logs_as_they_are_now(shared_host: Host) -> None:
    daemon = shared_host.daemon()
    spec = job_spec("echo $RANK; printf 'é%.0s' $(seq 3)", nodes=2)
    daemon.submit(spec, shared_host.code)
    finish(daemon, spec.sid)
    assert [(each.node, each.text) for each in daemon.logs(spec.sid)] == [
        (0, "0\néÉé".replace("É", "é")),
        (1, "1\nééé"),
    ]
    assert [each.stream for each in daemon.logs(spec.sid, stream="node-1")] == ["node-1"]
    with pytest.raises(DaemonRefused, match=r"log\.missing"):
        list(daemon.logs(spec.sid, stream="node-7"))


def test_a_job_that_is_not_there(shared_host: Host) -> None:
    daemon = shared_host.daemon()
    for ask in (
        daemon.job,
        daemon.cancel,
        lambda each: list(daemon.follow(each)),
        lambda each: list(daemon.events(each)),
    ):
        with pytest.raises(DaemonRefused) as refused:
            ask("zzzzzzzzzz")
        assert refused.value.code == "job.missing"


def test_services_and_render(shared_host: Host) -> None:
    daemon = shared_host.daemon()
    assert "local" in [each.name for each in daemon.services() if each.runs]
    assert daemon.render(job_spec("echo hi")).files["script.sh"] == "echo hi\n"


def test_code_that_is_too_large_is_told_here_or_there(host: Host, tmp_path: Path) -> None:
    (tmp_path / "big.bin").write_bytes(os.urandom(2 * 2**20))
    host.environ["AJ_CODE_MAX_MIB"] = "1"
    daemon = host.daemon()
    with pytest.raises(Refused, match=r"(?s)code\.too-large.*big\.bin"):
        daemon.submit(job_spec("true"), str(tmp_path), limits=Limits(size=2**20))
    with pytest.raises(DaemonRefused) as refused:
        daemon.submit(job_spec("true"), str(tmp_path))
    assert refused.value.code in {"code.too-large", "code.unsafe"}
    assert list(daemon.jobs()) == []


def test_stop(host: Host) -> None:
    daemon = host.daemon()
    daemon.reach.stop()
    assert read_note(host.state) is None
    daemon.reach.stop()
    assert daemon.health().live_jobs == 0


QUEUES = '''"""An engine with two queues."""

from ajkit.shared.job.execution import LiveValue, Unavailable


class Cluster:
    name = "cluster"

    def values(self, kind):
        if kind == "images":
            raise Unavailable("the registry is away")
        return {"queues": [LiveValue("gpu", "3 nodes are free"), LiveValue("cpu")]}[kind]


cluster = Cluster()
'''


def test_what_an_engine_has_now(host: Host) -> None:
    install_package(host, "cluster", QUEUES)
    daemon = host.daemon()
    found = daemon.values("cluster", "queues")
    assert [(each.value, each.detail) for each in found.values] == [("gpu", "3 nodes are free"), ("cpu", "")]
    for service, kind, code in (
        ("cluster", "images", "engine.unavailable"),
        ("cluster", "computes", "values.missing"),
        ("local", "queues", "values.missing"),
        ("nobody", "queues", "service.unknown"),
        ("cluster", "QUEUES", "request.invalid"),
    ):
        with pytest.raises(DaemonRefused) as refusal:
            daemon.values(service, kind)
        assert refusal.value.code == code


def test_the_socket_of_a_daemon_can_be_named(host: Host) -> None:
    host.daemon()
    note = read_note(host.state)
    assert note is not None
    daemon = Daemon.connect(environ={"AJ_SERVER": f"unix:{note.socket}", "PATH": os.environ["PATH"]})
    spec = job_spec("echo here")
    daemon.submit(spec, host.code)
    assert finish(daemon, spec.sid)[2] == {"node-0": "here\n"}
    host.stop()
    with pytest.raises(DaemonFailed, match="cannot be reached"):
        Daemon.connect(environ={"AJ_SERVER": f"unix:{note.socket}"})
    assert read_note(host.state) is None


def test_a_long_upload_says_how_far_it_is(host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ajkit.client.daemon._TOLD_SECONDS", 0.001)
    (tmp_path / "big").write_bytes(os.urandom(24 * 2**20))
    said: list[str] = []
    spec = job_spec("true")
    host.daemon().submit(spec, str(tmp_path), report=said.append)
    steps = [each for each in said if " of 24.0 MiB)" in each]
    assert steps
    assert steps == sorted(steps, key=lambda each: float(each.partition("(")[2].split()[0]))
    assert finish(host.daemon(), spec.sid)[0] == "done"


def test_an_upload_that_nobody_wants_any_more(host: Host, tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    class Stopped(Exception):
        pass

    def stop(words: str) -> None:
        if " of " in words:
            raise Stopped

    monkeypatch.setattr("ajkit.client.daemon._TOLD_SECONDS", 0.001)
    (tmp_path / "big").write_bytes(os.urandom(24 * 2**20))
    daemon = host.daemon()
    with pytest.raises(Stopped):
        daemon.submit(job_spec("true"), str(tmp_path), report=stop)
    assert list(daemon.jobs()) == []


def test_somebody_else_at_the_socket(tmp_path: Path) -> None:
    path = str(tmp_path / "s")
    with socket.socket(socket.AF_UNIX) as listener:
        listener.bind(path)
        listener.listen()

        def answer() -> None:
            with listener.accept()[0] as peer:
                peer.recv(65536)
                peer.sendall(b"HTTP/1.1 404 Not Found\r\nContent-Length: 2\r\n\r\nno")

        thread = threading.Thread(target=answer)
        thread.start()
        with pytest.raises(DaemonGone, match="not the daemon of aj: 404"):
            Wire(unix_address(path)).call("GET", "/v1/health")
        thread.join()


def test_nobody_at_the_socket(tmp_path: Path) -> None:
    with pytest.raises(DaemonGone, match=r"cannot be reached: No such file or directory$"):
        Wire(unix_address(str(tmp_path / "nobody"))).call("GET", "/v1/health")


def test_state_is_kept_for_each_host() -> None:
    assert state_folder({"XDG_STATE_HOME": "/s"}, "node-1.cluster") == "/s/aj/node-1.cluster"
    assert state_folder({"XDG_STATE_HOME": "/s"}, "a/../b") == "/s/aj/a_.._b"
    default = os.path.join(os.path.realpath(os.path.expanduser("~/.local/state")), "aj", "h")
    assert [state_folder(each, "h") for each in ({}, {"XDG_STATE_HOME": "relative"})] == [default, default]
    assert state_folder({"XDG_STATE_HOME": "/s"}) == os.path.join("/s/aj", socket.gethostname())


def test_notes_that_are_none(tmp_path: Path) -> None:
    assert read_note(str(tmp_path / "nowhere")) is None
    (tmp_path / "endpoint.json").write_text('{"socket": 1')
    assert read_note(str(tmp_path)) is None
    assert last_words(str(tmp_path)) == ""


def test_importing_the_client_costs_little() -> None:
    code = "import sys, ajkit.client.daemon; print(*sorted(sys.modules))"
    said = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=True).stdout.split()
    heavy = {"asyncio", "httpx", "starlette", "uvicorn", "sqlite3", "fastapi", "click"}
    assert heavy.isdisjoint(said)
