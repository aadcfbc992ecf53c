"""The journal: what is written stays, what may not change does not, what fails does not take others with it."""

from __future__ import annotations

import os
import sqlite3
from functools import partial
from typing import TYPE_CHECKING, Any

import pytest

from ajkit.daemon import records
from ajkit.daemon.journal import MIGRATIONS, Journal, JournalProblem
from ajkit.daemon.records import Filter
from ajkit.shared.contract import JobInfo, SubmitRequest
from ajkit.shared.job.execution import JobState
from tests.daemon.driven import HANGS
from tests.daemons import job_spec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator
    from pathlib import Path


@pytest.fixture
def journal(tmp_path: Path) -> Iterator[Journal]:
    made = Journal(str(tmp_path / "journal.sqlite3"))
    yield made
    made.close()


def request(**fields: Any) -> SubmitRequest:
    return SubmitRequest(spec=job_spec("true", **fields), code_digest="0" * 64)


def write(journal: Journal, change: Callable[[sqlite3.Connection], Any]) -> Any:
    return journal.write(change, durable=True).result(HANGS)


def accept(journal: Journal, body: SubmitRequest | None = None, key: str = "") -> JobInfo:
    body = body or request()
    info: JobInfo = write(journal, lambda db: records.accept(db, body, "", key or body.spec.sid))[0]
    return info


def step(journal: Journal, job_id: str, state: JobState, **more: Any) -> bool:
    recorded: bool = write(journal, lambda db: records.step(db, job_id, state, **more))
    return recorded


def test_accepted_jobs_are_there_after_opening_again(tmp_path: Path) -> None:
    path = str(tmp_path / "journal.sqlite3")
    journal = Journal(path)
    body = request()
    accept(journal, body)
    journal.close()
    again = Journal(path)
    record = again.read(partial(records.job_record, job_id=body.spec.sid))
    assert record is not None
    assert record.spec == body.spec
    assert record.info.state is JobState.ACCEPTED
    again.close()


def test_same_key_same_outcome(journal: Journal) -> None:
    body = request()
    first = accept(journal, body, "k")
    step(journal, first.id, JobState.REJECTED)
    assert accept(journal, body, "k") == first
    assert len(journal.read(lambda db: records.list_jobs(db, Filter(), 10))[0]) == 1


def test_same_key_other_body(journal: Journal) -> None:
    first = accept(journal, key="k")
    with pytest.raises(records.KeyReused) as reused:
        accept(journal, key="k")
    assert reused.value.job_id == first.id


def test_same_sid_other_key(journal: Journal) -> None:
    body = request()
    accept(journal, body, "k")
    with pytest.raises(records.JobExists):
        accept(journal, body, "other")


STEPS = [JobState.SUBMITTING, JobState.SUBMITTED, JobState.RUNNING, JobState.DONE]


def test_states_go_forward_and_a_terminal_one_stays(journal: Journal) -> None:
    job_id = accept(journal).id
    for each in STEPS:
        assert step(journal, job_id, each)
    for each in JobState:
        assert not step(journal, job_id, each)
    info = journal.read(partial(records.job_info, job_id=job_id))
    assert info is not None
    assert (info.state, info.ended_at) == (JobState.DONE, info.changed_at)
    assert info.started_at is not None
    events = journal.read(lambda db: records.events_after(db, job_id, 0))
    assert [each.state for each in events] == [JobState.ACCEPTED, *STEPS]
    assert [each.seq for each in events] == [1, 2, 3, 4, 5]
    assert journal.read(lambda db: records.events_after(db, job_id, 3)) == events[3:]


def test_a_job_that_runs_is_not_submitted_again(journal: Journal) -> None:
    job_id = accept(journal).id
    for each in STEPS[:3]:
        step(journal, job_id, each)
    assert not step(journal, job_id, JobState.SUBMITTING)
    assert not step(journal, job_id, JobState.ACCEPTED)


def test_events_are_never_changed(journal: Journal) -> None:
    accept(journal)
    with pytest.raises(sqlite3.IntegrityError, match="never changed"):
        write(journal, lambda db: db.execute("UPDATE events SET message = 'x'"))


def test_a_word_is_said_once(journal: Journal) -> None:
    job_id = accept(journal).id
    for _ in range(3):
        write(journal, lambda db: records.note(db, job_id, "the engine is away"))
    events = journal.read(lambda db: records.events_after(db, job_id, 0))
    assert [each.message for each in events] == ["", "the engine is away"]


def test_attempts_are_counted_and_answered(journal: Journal) -> None:
    job_id = accept(journal).id
    assert write(journal, partial(records.intend, job_id=job_id)) == 1
    write(journal, lambda db: records.answer_attempt(db, job_id, "unavailable"))
    assert write(journal, partial(records.intend, job_id=job_id)) == 2
    outcomes = [
        row["outcome"] for row in journal.read(lambda db: db.execute("SELECT outcome FROM attempts").fetchall())
    ]
    assert outcomes == ["unavailable", None]
    info = journal.read(partial(records.job_info, job_id=job_id))
    assert info is not None
    assert (info.state, info.attempts) == (JobState.SUBMITTING, 2)


def test_a_change_that_fails_leaves_the_others_of_its_group(journal: Journal) -> None:
    def broken(db: sqlite3.Connection) -> None:
        db.execute("DELETE FROM jobs")
        raise RuntimeError("broken")

    bodies = [request() for _ in range(20)]
    waiting = [
        (
            journal.write(partial(records.accept, request=body, owner="", key=body.spec.sid), durable=True),
            journal.write(broken, durable=True),
        )
        for body in bodies
    ]
    for accepted, failing in waiting:
        accepted.result(HANGS)
        assert isinstance(failing.exception(HANGS), RuntimeError)
    assert len(journal.read(records.live_ids)) == 20


def fill(journal: Journal) -> None:
    for _ in range(200):
        accept(journal, request(description="x" * 5000))


def test_a_disk_that_is_full_refuses_and_goes_on_later(journal: Journal) -> None:
    accept(journal)
    pages = journal.read(lambda db: db.execute("PRAGMA page_count").fetchone()[0])
    write(journal, lambda db: db.execute(f"PRAGMA max_page_count = {pages}").fetchone())
    with pytest.raises(sqlite3.OperationalError, match="full"):
        fill(journal)
    before = len(journal.read(records.live_ids))
    write(journal, lambda db: db.execute("PRAGMA max_page_count = 100000").fetchone())
    accept(journal)
    assert len(journal.read(records.live_ids)) == before + 1


def test_lists_are_filtered_and_come_in_pages(journal: Journal) -> None:
    ids = [accept(journal, request(template_name=f"t{number % 2}")).id for number in range(7)]
    step(journal, ids[0], JobState.REJECTED)
    newest = ids[::-1]

    def listed(limit: int = 10, **asked: Any) -> tuple[list[str], int | None]:
        jobs, following = journal.read(lambda db: records.list_jobs(db, Filter(**asked), limit))
        return [each.id for each in jobs], following

    assert listed() == (newest, None)
    first, cursor = listed(3)
    second, cursor = listed(3, before=cursor)
    third, last = listed(3, before=cursor)
    assert (first + second + third, last) == (newest, None)
    assert listed(7)[1] is None
    assert listed(live=True)[0] == newest[:-1]
    assert listed(live=False)[0] == [ids[0]]
    assert listed(states=(JobState.REJECTED, JobState.DONE))[0] == [ids[0]]
    assert listed(template="t1")[0] == [each for each in newest if ids.index(each) % 2]
    assert listed(service="slurm")[0] == []
    assert listed(service="local", experiment=None, live=True, template="t0")[0] == [ids[6], ids[4], ids[2]]


def ids_in(db: sqlite3.Connection, sql: str) -> set[str]:
    return {row[0] for row in db.execute(sql)}


def test_forgetting_takes_everything_of_a_job(journal: Journal) -> None:
    old, young, live = accept(journal).id, accept(journal).id, accept(journal).id
    step(journal, old, JobState.REJECTED)
    step(journal, young, JobState.REJECTED)
    write(journal, lambda db: db.execute("UPDATE jobs SET ended_at = '2000-01-01' WHERE id = ?", (old,)))
    assert write(journal, partial(records.forget_ended, before="2001-01-01")) == [old]
    for table in ("jobs", "events", "keys"):
        column = "id" if table == "jobs" else "job_id"
        found = journal.read(partial(ids_in, sql=f"SELECT DISTINCT {column} FROM {table}"))
        assert found == {young, live}


def test_the_file_is_its_owners_alone(journal: Journal) -> None:
    accept(journal)
    for suffix in ("", "-wal", "-shm"):
        assert os.stat(journal.path + suffix).st_mode & 0o077 == 0


def test_a_journal_of_a_newer_program_is_refused(tmp_path: Path) -> None:
    path = str(tmp_path / "journal.sqlite3")
    Journal(path).close()
    with sqlite3.connect(path) as db:
        db.execute(f"PRAGMA user_version = {len(MIGRATIONS) + 1}")
    db.close()
    with pytest.raises(JournalProblem, match="newer aj"):
        Journal(path)


def test_what_is_no_journal_is_refused(tmp_path: Path) -> None:
    path = tmp_path / "journal.sqlite3"
    path.write_bytes(b"something else entirely, and long enough to be read as a header" * 20)
    with pytest.raises(JournalProblem, match=r"cannot be used.*move it away to begin a new one"):
        Journal(str(path))


def test_without_wal_where_hosts_share_the_file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr("ajkit.daemon.journal.is_shared", lambda *_: True)
    journal = Journal(str(tmp_path / "journal.sqlite3"))
    accept(journal)
    assert len(journal.read(records.live_ids)) == 1
    assert journal.read(lambda db: db.execute("PRAGMA journal_mode").fetchone()[0]) != "wal"
    journal.close()
