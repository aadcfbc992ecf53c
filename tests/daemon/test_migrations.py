"""Journals of earlier versions: brought up to date as a whole or not at all, and nothing of them is lost."""

from __future__ import annotations

import sqlite3
from functools import partial
from typing import TYPE_CHECKING

import pytest

from ajkit.daemon import journal as journals
from ajkit.daemon import records
from ajkit.daemon.journal import MIGRATIONS, Journal, JournalProblem
from ajkit.daemon.records import Filter
from ajkit.shared.contract import Caller, SubmitRequest
from ajkit.shared.job.execution import JobState
from tests.daemon.driven import HANGS
from tests.daemons import job_spec
from tests.repository import ROOT

if TYPE_CHECKING:
    from pathlib import Path

OLD = sorted((ROOT / "tests/data").glob("journal-*.sql"))


@pytest.fixture
def path(tmp_path: Path, request: pytest.FixtureRequest) -> str:
    """A journal as an earlier version left it."""
    where = tmp_path / "journal.sqlite3"
    with sqlite3.connect(where) as db:
        db.executescript(request.param.read_text("utf-8"))
    db.close()
    return str(where)


def version(path: str) -> int:
    with sqlite3.connect(path) as db:
        found: int = db.execute("PRAGMA user_version").fetchone()[0]
    db.close()
    return found


def test_there_is_a_journal_of_every_version_before() -> None:
    assert [int(each.stem.partition("-")[2]) for each in OLD] == list(range(1, len(MIGRATIONS)))


@pytest.mark.parametrize("path", OLD, indirect=True, ids=lambda path: path.stem)
def test_everything_is_still_there(path: str) -> None:
    journal = Journal(path)
    jobs, _ = journal.read(lambda db: records.list_jobs(db, Filter(), 10))
    assert [(each.id, each.state.value, each.owner, each.backend_id, each.exit_code) for each in jobs] == [
        ("cccccccccc", "accepted", "", None, None),
        ("bbbbbbbbbb", "running", "", "4712", None),
        ("aaaaaaaaaa", "done", "", "4711", 0),
    ]
    record = journal.read(partial(records.job_record, job_id="bbbbbbbbbb"))
    assert record is not None
    assert (record.spec.command, record.caller, record.info.attempts) == ("echo train", Caller(path="/usr/bin"), 1)
    assert journal.read(partial(records.job_origins, job_id="bbbbbbbbbb")) == []
    events = journal.read(lambda db: records.events_after(db, "aaaaaaaaaa", 0))
    assert [each.state.value for each in events] == ["accepted", "submitting", "submitted", "running", "done"]
    journal.close()
    assert version(path) == len(MIGRATIONS)


@pytest.mark.parametrize("path", OLD, indirect=True, ids=lambda path: path.stem)
def test_jobs_go_on_and_new_ones_come(path: str) -> None:
    journal = Journal(path)
    step = partial(records.step, job_id="bbbbbbbbbb", state=JobState.FAILED, exit_code=7)
    assert journal.write(step, durable=True).result(HANGS)
    body = SubmitRequest(spec=job_spec("true"), code_digest="0" * 64)
    info, new = journal.write(lambda db: records.accept(db, body, "ana", "k"), durable=True).result(HANGS)
    assert (new, info.owner) == (True, "ana")
    journal.close()


@pytest.mark.parametrize("path", OLD, indirect=True, ids=lambda path: path.stem)
def test_a_client_that_tries_again_after_the_upgrade_is_known(path: str) -> None:
    journal = Journal(path)
    record = journal.read(partial(records.job_record, job_id="cccccccccc"))
    assert record is not None
    body = SubmitRequest(spec=record.spec, code_digest="0" * 64, caller=record.caller)
    known, new = journal.write(lambda db: records.accept(db, body, "", "key-cccccccccc"), durable=True).result(HANGS)
    assert (known.id, new) == ("cccccccccc", False)
    journal.close()


@pytest.mark.parametrize("path", OLD, indirect=True, ids=lambda path: path.stem)
def test_a_migration_that_fails_leaves_the_journal_as_it_was(path: str, monkeypatch: pytest.MonkeyPatch) -> None:
    before = version(path)
    monkeypatch.setattr(journals, "MIGRATIONS", (*MIGRATIONS[:before], "DELETE FROM jobs; SELECT nonsense"))
    with pytest.raises(JournalProblem, match="cannot be used"):
        Journal(path)
    monkeypatch.undo()
    assert version(path) == before
    journal = Journal(path)
    assert len(journal.read(records.live_ids)) == 2
    journal.close()
