"""Bad days: a disk that is full or read-only, a clock that is changed, an engine that is down or drops its answers."""

from __future__ import annotations

import os
import resource
import sqlite3
import threading
import time
from collections import Counter
from datetime import UTC, datetime, timedelta
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from ajkit.client.wire import DaemonRefused
from ajkit.daemon import records
from ajkit.daemon.clock import CLOCK, DAY, Clock
from ajkit.daemon.journal import Journal, JournalProblem
from ajkit.shared.contract import SubmitRequest
from ajkit.shared.job.execution import JobState
from tests.daemon.driven import HANGS
from tests.daemons import Host, finish, host, install_package, is_alive, job_spec, wait_running, wait_until

if TYPE_CHECKING:
    from collections.abc import Callable
    from pathlib import Path

__all__ = ["host"]

AWAY_SECONDS = 60.0 if os.environ.get("AJ_SOAK") == "1" else 3.0

# -- disks -------------------------------------------------------------------------------------------------------------


def limit_files(pid: int, size: int) -> None:
    """Let no file of a process grow beyond a size: for SQLite that is what a full disk is."""
    _, hard = resource.prlimit(pid, resource.RLIMIT_FSIZE)
    resource.prlimit(pid, resource.RLIMIT_FSIZE, (size, hard))


def test_a_full_disk_loses_nothing(host: Host) -> None:
    daemon = host.daemon()
    running = host.held("exit 5")
    daemon.submit(running, host.code)
    wait_running(daemon, running)
    limit_files(host.pid, 1)
    refused = job_spec("true")
    for _ in range(3):
        with pytest.raises(DaemonRefused) as refusal:
            daemon.submit(refused, host.code)
        assert refusal.value.code == "disk.unwritable"
    with pytest.raises(DaemonRefused):
        daemon.cancel(running.sid)
    host.let_go(running)
    wait_until(lambda: host.supervisors() == [])
    time.sleep(0.5)
    # It has ended; that cannot be written down yet, and nothing else is claimed.
    assert daemon.job(running.sid).job.state is JobState.RUNNING
    assert [each.id for each in daemon.jobs()] == [running.sid]
    limit_files(host.pid, resource.RLIM_INFINITY)
    assert finish(daemon, running.sid)[:2] == ("failed", 5)
    daemon.submit(refused, host.code)
    assert finish(daemon, refused.sid)[0] == "done"


def test_a_daemon_that_dies_on_a_full_disk_comes_back(host: Host) -> None:
    daemon = host.daemon()
    spec = host.held("exit 4")
    daemon.submit(spec, host.code)
    wait_running(daemon, spec)
    limit_files(host.pid, 1)
    host.let_go(spec)
    wait_until(lambda: host.supervisors() == [])
    time.sleep(0.5)
    host.kill()
    assert finish(host.daemon(), spec.sid)[:2] == ("failed", 4)


def test_a_journal_that_became_read_only(tmp_path: Path) -> None:
    journal = Journal(str(tmp_path / "journal.sqlite3"))
    bodies = [SubmitRequest(spec=job_spec("true"), code_digest="0" * 64) for _ in range(2)]
    accept = [partial(records.accept, request=each, owner="", key=each.spec.sid) for each in bodies]
    journal.write(accept[0], durable=True).result(HANGS)
    journal.write(lambda db: db.execute("PRAGMA query_only = ON").fetchone(), durable=False).result(HANGS)
    with pytest.raises(sqlite3.OperationalError, match="readonly"):
        journal.write(accept[1], durable=True).result(HANGS)
    assert journal.read(records.live_ids) == [bodies[0].spec.sid]
    # SQLite takes the switch back only outside of a transaction, where the writer never is for others.
    journal._writer.execute("PRAGMA query_only = OFF")
    journal.write(accept[1], durable=True).result(HANGS)
    assert len(journal.read(records.live_ids)) == 2
    journal.close()


def test_a_journal_that_is_read_only_from_the_start(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    path = str(tmp_path / "journal.sqlite3")
    Journal(path).close()
    plain: Callable[..., sqlite3.Connection] = sqlite3.connect

    def read_only(name: str, **options: Any) -> sqlite3.Connection:
        return plain(f"file:{name}?mode=ro", uri=True, **options)

    with sqlite3.connect(path) as db:
        db.execute("PRAGMA user_version = 1")
    db.close()
    monkeypatch.setattr(sqlite3, "connect", read_only)
    with pytest.raises(JournalProblem, match=r"cannot be used: attempt to write a readonly database"):
        Journal(path)


# -- clocks ------------------------------------------------------------------------------------------------------------


def test_a_clock_that_is_put_back_leaves_the_past_in_order(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    journal = Journal(str(tmp_path / "journal.sqlite3"))
    body = SubmitRequest(spec=job_spec("true"), code_digest="0" * 64)
    sid = body.spec.sid
    journal.write(partial(records.accept, request=body, owner="", key="k"), durable=True).result(HANGS)
    for at, state in (
        ("2040-01-01T00:00:00.000Z", JobState.SUBMITTING),
        ("2001-01-01T00:00:00.000Z", JobState.SUBMITTED),
        ("2001-01-01T00:00:01.000Z", JobState.RUNNING),
        ("2041-01-01T00:00:00.000Z", JobState.DONE),
    ):
        monkeypatch.setattr(records, "utc_now", lambda at=at: at)
        assert journal.write(partial(records.step, job_id=sid, state=state), durable=True).result(HANGS)
    events = journal.read(lambda db: records.events_after(db, sid, 0))
    assert [each.at for each in events] == sorted(each.at for each in events)
    info = journal.read(partial(records.job_info, job_id=sid))
    assert info is not None
    assert info.started_at is not None
    assert info.ended_at is not None
    assert info.accepted_at <= info.started_at <= info.ended_at
    journal.close()


def test_a_time_is_sure_once_the_clock_has_borne_it_out(tmp_path: Path) -> None:
    now = 1000.0 * DAY

    def sure() -> float:
        # Each time as by a daemon just started.
        return Clock(str(tmp_path / CLOCK), lambda: now).sure() / DAY

    assert sure() == 0
    now += DAY - 1
    assert sure() == 0
    now += 1
    assert sure() == 1000
    now += 2 * DAY
    assert sure() == 1001
    (tmp_path / CLOCK).write_text("{")
    assert sure() == 0


def test_a_clock_that_was_far_ahead_makes_no_time_sure(tmp_path: Path) -> None:
    now = 1000.0 * DAY

    def sure(at: float) -> float:
        nonlocal now
        now = at * DAY
        return Clock(str(tmp_path / CLOCK), lambda: now).sure() / DAY

    assert [sure(1000), sure(1001)] == [0, 1000]
    assert [sure(9000), sure(9000.9)] == [1001, 1001]
    assert [sure(1002), sure(1003)] == [1001, 1002]
    assert [sure(9), sure(1004), sure(1005)] == [9, 9, 1004]


def test_a_daemon_whose_clock_is_far_ahead_forgets_nothing(host: Host) -> None:
    """Also when it was so from its start, and when it is the second such."""
    host.environ |= {"AJ_KEEP_DAYS": "2"}
    spec = job_spec("echo kept")
    host.run(spec)
    host.stop()
    # For the daemons the job ended long ago, as it would for a clock that is a year ahead.
    past = (datetime.now(UTC) - timedelta(days=365)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    with sqlite3.connect(os.path.join(host.state, "journal.sqlite3")) as db:
        db.execute("UPDATE jobs SET ended_at = ? WHERE id = ?", (past, spec.sid))
    db.close()
    host.sure_of(time.time() - 365 * DAY)
    for _ in range(2):
        before = written(host)
        daemon = host.daemon()
        wait_until(partial(is_written_after, host, before))
        assert finish(daemon, spec.sid)[2] == {"node-0": "kept\n"}
        host.stop()


def written(host: Host) -> int:
    return os.stat(os.path.join(host.state, CLOCK)).st_mtime_ns


def is_written_after(host: Host, before: int) -> bool:
    return written(host) != before


def test_logs_go_before_the_job_does(host: Host) -> None:
    host.environ |= {"AJ_KEEP_DAYS": "30", "AJ_KEEP_LOG_DAYS": "2"}
    specs = [job_spec("echo kept"), job_spec("echo gone")]
    for each in specs:
        host.run(each)
    host.stop()
    past = (datetime.now(UTC) - timedelta(days=3)).isoformat(timespec="milliseconds").replace("+00:00", "Z")
    with sqlite3.connect(os.path.join(host.state, "journal.sqlite3")) as db:
        db.execute("UPDATE jobs SET ended_at = ? WHERE id = ?", (past, specs[1].sid))
    db.close()
    host.sure_of(time.time())
    daemon = host.daemon()
    wait_until(lambda: not os.path.exists(os.path.join(host.state, "jobs", specs[1].sid)))
    assert [finish(daemon, each.sid)[2] for each in specs] == [{"node-0": "kept\n"}, {}]
    assert list(daemon.logs(specs[1].sid)) == []
    assert daemon.job(specs[1].sid).job.state is JobState.DONE


# -- engines -----------------------------------------------------------------------------------------------------------

MOODY = '''"""An engine in a folder: a file for each job it has; `down` and `drops` in the folder say how it feels."""

import os
from ajkit.shared.job.execution import JobState, OutcomeUnknown, Status, Unavailable

PLACE = os.environ["MOODY"]


def is_so(mood):
    return os.path.exists(os.path.join(PLACE, mood))


class Moody:
    name = "moody"
    poll_seconds = 0.05

    def check(self, spec):
        return []

    def _ask(self):
        if is_so("down"):
            raise Unavailable("the engine is down")

    def submit(self, job, report):
        self._ask()
        with open(os.path.join(PLACE, job.token), "a") as file:
            file.write("x")
        if is_so("drops"):
            raise OutcomeUnknown("the connection broke before the answer came")
        return job.token

    def find(self, job):
        self._ask()
        return job.token if is_so(job.token) else None

    def status(self, handle):
        self._ask()
        return Status(JobState.DONE, exit_code=0) if is_so("over") else Status(JobState.RUNNING)

    def streams(self, handle):
        return []

    def cancel(self, handle):
        self._ask()


moody = Moody()
'''


class Engine:
    """The engine of a host, and its mood."""

    def __init__(self, host: Host) -> None:
        self.place = os.path.join(host.root, "engine")
        os.makedirs(self.place)
        install_package(host, "moody", MOODY)
        host.environ["MOODY"] = self.place

    def feels(self, mood: str, *, so: bool) -> None:
        path = os.path.join(self.place, mood)
        if so:
            with open(path, "w", encoding="utf-8"):
                pass
        else:
            os.unlink(path)

    def jobs(self) -> Counter[str]:
        """How often each job was submitted to it."""
        found: Counter[str] = Counter()
        for name in os.listdir(self.place):
            if name.startswith("aj-"):
                with open(os.path.join(self.place, name), encoding="utf-8") as file:
                    found[name.removeprefix("aj-")] = len(file.read())
        return found


def test_an_engine_that_is_down_for_a_while_and_then_drops_its_answers(host: Host) -> None:
    engine = Engine(host)
    engine.feels("down", so=True)
    daemon = host.daemon()
    specs = [job_spec("true", service="moody") for _ in range(12)]
    for each in specs[:6]:
        daemon.submit(each, host.code)
    time.sleep(AWAY_SECONDS / 2)
    host.kill()
    daemon = host.daemon()
    time.sleep(AWAY_SECONDS / 2)
    states = {each.state for each in daemon.jobs()}
    assert states <= {JobState.SUBMITTING, JobState.UNKNOWN}
    assert engine.jobs() == Counter()
    assert "the engine is down" in daemon.job(specs[0].sid).job.message
    engine.feels("drops", so=True)
    engine.feels("down", so=False)
    for each in specs[6:]:
        daemon.submit(each, host.code)
    wait_until(lambda: all(each.state is JobState.RUNNING for each in daemon.jobs()), AWAY_SECONDS + 60)
    engine.feels("down", so=True)
    time.sleep(1)
    assert {each.state for each in daemon.jobs()} == {JobState.RUNNING}
    engine.feels("over", so=True)
    engine.feels("down", so=False)
    threads = [threading.Thread(target=finish, args=(daemon, each.sid)) for each in specs]
    for thread in threads:
        thread.start()
    for thread in threads:
        thread.join(60)
    assert {each.id: each.state for each in daemon.jobs()} == {each.sid: JobState.DONE for each in specs}
    assert engine.jobs() == Counter({each.sid: 1 for each in specs})
    assert is_alive(host.pid)
