"""Daemons as processes: one for a state, started by whoever comes first, gone when not needed, not missed by jobs."""

from __future__ import annotations

import os
import signal
import socket
import sqlite3
import subprocess
import sys
import threading
import time
from concurrent.futures import ThreadPoolExecutor

import pytest

from ajkit.client.daemon import LogLine, StateChange
from ajkit.client.places import read_note
from ajkit.client.start import DaemonDied, DaemonFailed, start_daemon
from tests.daemons import Host, finish, is_alive, job_spec, make_host, wait_gone, wait_running, wait_until


def daemons_of(host: Host) -> list[int]:
    """The daemon processes of a state folder."""
    found = []
    for name in os.listdir("/proc"):
        if name.isdecimal() and is_alive(int(name)):
            try:
                with open(f"/proc/{name}/cmdline", "rb") as file:
                    words = file.read().split(b"\0")
            except OSError:
                continue
            if b"ajkit.daemon" in words and host.state.encode() in words:
                found.append(int(name))
    return found


def test_many_starters_one_daemon(host: Host) -> None:
    with ThreadPoolExecutor(6) as pool:
        pids = list(pool.map(lambda _: host.daemon().health().pid, range(6)))
    assert len(set(pids)) == 1
    wait_until(lambda: daemons_of(host) == [pids[0]])


def test_it_belongs_to_no_terminal(host: Host) -> None:
    host.daemon()
    pid = host.pid
    assert os.getsid(pid) != os.getsid(0)
    assert os.readlink(f"/proc/{pid}/cwd") == "/"
    assert os.readlink(f"/proc/{pid}/fd/0") == os.devnull
    assert os.readlink(f"/proc/{pid}/fd/1") == os.devnull


def test_everything_it_makes_is_its_owners_alone(host: Host) -> None:
    host.run(job_spec("echo hi"))
    note = read_note(host.state)
    assert note is not None
    seen = [note.socket, os.path.dirname(note.socket), host.state, os.path.dirname(host.state)]
    for folder, folders, names in os.walk(host.state):
        if os.path.basename(folder) not in {"tree", "code"}:
            seen += [os.path.join(folder, name) for name in (*folders, *names)]
    assert len(seen) > 15
    assert [path for path in seen if os.lstat(path).st_mode & 0o077] == []


def test_it_stops_when_nothing_is_to_do_and_not_before() -> None:
    for host in make_host(AJ_IDLE_SECONDS="0.4"):
        daemon = host.daemon()
        spec = host.held("true")
        daemon.submit(spec, host.code)
        pid = host.pid
        time.sleep(1.2)
        assert is_alive(pid)
        host.let_go(spec)
        wait_gone(pid)
        assert read_note(host.state) is None
        assert finish(daemon, spec.sid)[0] == "done"
        assert host.pid != pid


def test_it_stays_while_a_request_is_on_its_way() -> None:
    for host in make_host(AJ_IDLE_SECONDS="0.4"):
        host.daemon()
        note = read_note(host.state)
        assert note is not None
        with socket.socket(socket.AF_UNIX) as sock:
            sock.settimeout(60)
            sock.connect(note.socket)
            sock.sendall(b"POST /v1/jobs HTTP/1.1\r\nHost: localhost\r\nContent-Length: 2\r\n\r\n{")
            time.sleep(1.2)
            assert is_alive(note.pid)
            sock.sendall(b"}")
            assert sock.recv(12).startswith(b"HTTP/1.1 4")
        wait_gone(note.pid)


def test_told_to_stop_it_stops_soon_and_jobs_go_on(host: Host) -> None:
    daemon = host.daemon()
    spec = host.held("echo ended; exit 4", first="echo begun")
    daemon.submit(spec, host.code)
    seen: list[LogLine | StateChange] = []
    follower = threading.Thread(target=lambda: seen.extend(host.daemon().follow(spec.sid)))
    follower.start()
    wait_running(daemon, spec)
    wait_until(lambda: any(isinstance(each, LogLine) for each in seen))
    pid = host.pid
    os.kill(pid, signal.SIGTERM)
    wait_gone(pid)
    host.let_go(spec)
    follower.join(60)
    # The one who followed started another daemon and saw everything once.
    assert "".join(each.text for each in seen if isinstance(each, LogLine)) == "begun\nended\n"
    states = [each.event.state.value for each in seen if isinstance(each, StateChange)]
    assert states == ["accepted", "submitting", "submitted", "running", "failed"]
    assert host.pid != pid


def test_a_job_outlives_a_killed_daemon(host: Host) -> None:
    daemon = host.daemon()
    spec = host.held("exit 4", first="echo begun", nodes=2)
    daemon.submit(spec, host.code)
    wait_running(daemon, spec)
    host.kill()
    assert [is_alive(each) for each in host.supervisors()] == [True]
    host.let_go(spec)
    state, code, texts = finish(daemon, spec.sid)
    assert (state, code) == ("failed", 4)
    assert set(texts) == {"node-0", "node-1"}


def test_a_job_that_ends_while_no_daemon_is_there(host: Host) -> None:
    daemon = host.daemon()
    spec = host.held("exit 6")
    daemon.submit(spec, host.code)
    wait_running(daemon, spec)
    host.kill()
    host.let_go(spec)
    wait_until(lambda: not host.supervisors())
    assert finish(daemon, spec.sid)[:2] == ("failed", 6)


def test_a_job_can_be_cancelled_by_the_next_daemon(host: Host) -> None:
    daemon = host.daemon()
    spec = job_spec("sleep 1006")
    daemon.submit(spec, host.code)
    wait_running(daemon, spec)
    host.kill()
    daemon.cancel(spec.sid)
    assert finish(daemon, spec.sid)[0] == "cancelled"
    wait_until(lambda: host.supervisors() == [])  # it ends just after it has said how the job ended


@pytest.mark.parametrize("link", [False, True])
def test_a_second_daemon_on_the_same_journal_is_refused(host: Host, *, link: bool) -> None:
    host.daemon()
    state = host.state
    if link:
        state = os.path.join(host.root, "link")
        os.symlink(host.state, state)
    command = [sys.executable, "-m", "ajkit.daemon", "--state", state]
    second = subprocess.run(command, env=host.environ, capture_output=True, text=True, timeout=60, check=False)
    assert (second.returncode, second.stdout) == (1, "")
    assert f"a daemon runs on {os.path.realpath(host.state)} already" in second.stderr
    detached = subprocess.run([*command, "--detach"], env=host.environ, capture_output=True, text=True, check=True)
    assert detached.stdout == "running\n"
    assert host.daemon().health().pid == host.pid


def test_without_leave_to_start_nothing_is_started(host: Host) -> None:
    with pytest.raises(DaemonFailed, match="no daemon runs"):
        host.daemon(start=False)
    assert daemons_of(host) == []


def test_a_daemon_that_cannot_start_says_why(host: Host) -> None:
    os.makedirs(host.state, mode=0o700)
    with open(os.path.join(host.state, "journal.sqlite3"), "wb") as file:
        file.write(b"not a journal, but long enough to be taken for one" * 20)
    with pytest.raises(DaemonFailed, match=r"(?s)did not start.*journal.*cannot be used"):
        host.daemon()


def test_a_state_folder_that_cannot_be_made(host: Host) -> None:
    blocked = os.path.join(host.root, "file")
    with open(blocked, "w", encoding="utf-8"):
        pass
    host.environ["XDG_STATE_HOME"] = blocked
    with pytest.raises(DaemonFailed, match="set XDG_STATE_HOME"):
        host.daemon()


def test_a_setting_that_is_no_number(host: Host) -> None:
    host.environ["AJ_KEEP_DAYS"] = "soon"
    with pytest.raises(DaemonFailed, match="AJ_KEEP_DAYS='soon' is not a number"):
        host.daemon()


def test_an_older_daemon_is_replaced(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    host.daemon()
    old = host.pid
    monkeypatch.setattr("ajkit.client.reach.__version__", "0.1.1")
    host.patient().reach._found()
    wait_gone(old)
    monkeypatch.undo()
    assert host.daemon().health().pid != old


def test_a_daemon_of_another_wire_is_told_apart(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    host.daemon()
    monkeypatch.setattr("ajkit.client.reach.WIRE_VERSION", 2)
    with pytest.raises(DaemonFailed, match="do not understand each other"):
        host.daemon()


def test_what_ended_long_ago_is_forgotten_at_the_next_start(host: Host) -> None:
    old, young = job_spec("true"), job_spec("true")
    for spec in (old, young):
        host.run(spec)
    host.stop()
    with sqlite3.connect(os.path.join(host.state, "journal.sqlite3")) as db:
        db.execute("UPDATE jobs SET ended_at = '2001-01-01T00:00:00.000Z' WHERE id = ?", (old.sid,))
    db.close()
    host.sure_of(time.time())
    daemon = host.daemon()
    wait_until(lambda: [each.id for each in daemon.jobs()] == [young.sid])
    wait_until(lambda: os.listdir(os.path.join(host.state, "jobs")) == [young.sid])


def test_a_daemon_that_dies_while_it_starts_is_started_again(host: Host, monkeypatch: pytest.MonkeyPatch) -> None:
    deaths = iter([True, True, False])
    start = start_daemon

    def dying(state: str, environ: dict[str, str]) -> None:
        if next(deaths):
            raise DaemonDied("killed")
        start(state, environ)

    monkeypatch.setattr("ajkit.client.reach.start_daemon", dying)
    assert host.daemon().health().pid == host.pid


def test_a_daemon_that_is_broken_is_not_started_for_ever(host: Host) -> None:
    site = os.path.join(host.root, "site")
    os.makedirs(site)
    with open(os.path.join(site, "uvicorn.py"), "w", encoding="utf-8") as file:
        file.write("raise RuntimeError('a broken installation')\n")
    host.environ["PYTHONPATH"] = site
    with pytest.raises(DaemonDied, match=r"(?s)did not start.*a broken installation"):
        host.daemon()
