"""What the journal is told and asked about jobs: each function is one change or one question on a connection."""

from __future__ import annotations

import hashlib
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import TYPE_CHECKING

from pydantic import TypeAdapter

from ajkit.shared.contract import Caller, FieldOrigins, JobInfo, SubmitRequest
from ajkit.shared.job.execution import JobEvent, JobState
from ajkit.shared.job.spec import JobSpec, spec_digest

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Container, Sequence

_ORIGINS = TypeAdapter(list[FieldOrigins])

_INFO = """seq, id, owner, name, service, template_name, experiment, nodes, processes_per_node, state, message,
    cancel_at, backend_id, exit_code, spec_sha256, code_digest, accepted_at, changed_at, started_at, ended_at,
    (SELECT count(*) FROM attempts WHERE attempts.job_id = jobs.id) AS attempts"""


_COPIED = tuple(name for name in JobInfo.model_fields if name not in {"state", "cancel_requested"})


class KeyReused(Exception):
    """The idempotency key belongs to another body; `job_id` is the job it made."""

    def __init__(self, job_id: str) -> None:
        self.job_id = job_id
        super().__init__(job_id)


class JobExists(Exception):
    """A job of this id is in the journal."""


@dataclass(frozen=True, slots=True)
class JobRecord:
    """All that is needed to go on with a job."""

    info: JobInfo
    spec: JobSpec
    caller: Caller


@dataclass(frozen=True, slots=True)
class Filter:
    """Which jobs a list holds: all that is given must be true. `before` is the cursor of the page before."""

    states: tuple[JobState, ...] = ()
    live: bool | None = None
    service: str | None = None
    template: str | None = None
    experiment: str | None = None
    owner: str | None = None
    before: int | None = None


def utc_now() -> str:
    """The time as ISO 8601 in UTC, to the millisecond."""
    return datetime.now(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def seconds_of(at: str) -> float:
    """A time of the journal in seconds since 1970."""
    return datetime.fromisoformat(at).timestamp()


def body_digest(request: SubmitRequest) -> str:
    """What two submissions must share to be the same one, in the words of clients of any age."""
    newer = None if request.origins else {"origins"}
    return hashlib.sha256(request.model_dump_json(exclude=newer).encode()).hexdigest()


def outcome_of_key(db: sqlite3.Connection, owner: str, key: str, body: str) -> JobInfo | None:
    """The answer that a key was given before; None for a new key.

    Raises:
        KeyReused: the key came with another body.
    """
    row = db.execute(
        "SELECT body_sha256, job_id, answer FROM keys WHERE owner = ? AND key = ?", (owner, key)
    ).fetchone()
    if row is None:
        return None
    if row["body_sha256"] != body:
        raise KeyReused(row["job_id"])
    return JobInfo.model_validate_json(row["answer"])


def accept(db: sqlite3.Connection, request: SubmitRequest, owner: str, key: str) -> tuple[JobInfo, bool]:
    """Take a job in, or answer what the same submission was answered before; whether it is new.

    Raises:
        KeyReused: the key came with another body.
        JobExists: the sid is another job's.
    """
    body = body_digest(request)
    known = outcome_of_key(db, owner, key, body)
    if known is not None:
        return known, False
    spec = request.spec
    if db.execute("SELECT 1 FROM jobs WHERE id = ?", (spec.sid,)).fetchone():
        raise JobExists(spec.sid)
    now = utc_now()
    db.execute(
        """INSERT INTO jobs (id, owner, name, service, template_name, experiment, nodes, processes_per_node, spec,
               spec_sha256, code_digest, caller, origins, state, accepted_at, changed_at)
           VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?)""",
        (
            spec.sid,
            owner,
            spec.name,
            spec.service,
            spec.template_name,
            spec.experiment,
            spec.nodes,
            spec.processes_per_node,
            spec.model_dump_json(),
            spec_digest(spec),
            request.code_digest,
            request.caller.model_dump_json(),
            _ORIGINS.dump_json(request.origins).decode(),
            JobState.ACCEPTED,
            now,
            now,
        ),
    )
    _append(db, spec.sid, JobEvent(seq=1, at=now, state=JobState.ACCEPTED))
    info = _must(job_info(db, spec.sid))
    db.execute("INSERT INTO keys VALUES (?, ?, ?, ?, ?)", (owner, key, body, spec.sid, info.model_dump_json()))
    return info, True


def intend(db: sqlite3.Connection, job_id: str) -> int | None:
    """Write down that the engine is about to be called; the number of the attempt, None for a job that has ended."""
    if db.execute("SELECT 1 FROM jobs WHERE id = ? AND ended_at IS NULL", (job_id,)).fetchone() is None:
        return None
    row = db.execute("SELECT coalesce(max(number), 0) + 1 AS next FROM attempts WHERE job_id = ?", (job_id,)).fetchone()
    number = int(row["next"])
    db.execute("INSERT INTO attempts (job_id, number, intent_at) VALUES (?, ?, ?)", (job_id, number, utc_now()))
    step(db, job_id, JobState.SUBMITTING)
    return number


def answer_attempt(db: sqlite3.Connection, job_id: str, outcome: str) -> None:
    """Write down what became of the last attempt: the engine's id, or a word on why there is none."""
    db.execute(
        """UPDATE attempts SET answered_at = ?, outcome = ? WHERE job_id = ?
           AND number = (SELECT max(number) FROM attempts WHERE job_id = ?)""",
        (utc_now(), outcome, job_id, job_id),
    )


def step(
    db: sqlite3.Connection,
    job_id: str,
    state: JobState,
    *,
    message: str = "",
    backend_id: str | None = None,
    exit_code: int | None = None,
) -> bool:
    """Record that a job is in a state now, where the states allow it; whether anything was recorded."""
    row = db.execute("SELECT state, started_at, changed_at FROM jobs WHERE id = ?", (job_id,)).fetchone()
    if row is None or not JobState(row["state"]).may_become(state):
        return False
    now = _not_before(row["changed_at"])
    started = row["started_at"] or (now if state is JobState.RUNNING else None)
    db.execute(
        """UPDATE jobs SET state = ?, message = ?, changed_at = ?, started_at = ?, ended_at = ?,
               backend_id = coalesce(?, backend_id), exit_code = coalesce(?, exit_code) WHERE id = ?""",
        (state, message, now, started, now if state.is_terminal else None, backend_id, exit_code, job_id),
    )
    event = JobEvent(
        seq=_next_event(db, job_id), at=now, state=state, message=message, backend_id=backend_id, exit_code=exit_code
    )
    _append(db, job_id, event)
    return True


def note(db: sqlite3.Connection, job_id: str, message: str) -> bool:
    """Record a word about a job that stays in its state; a word said last is not said again."""
    row = db.execute("SELECT state, message, changed_at FROM jobs WHERE id = ?", (job_id,)).fetchone()
    if row is None or row["message"] == message or JobState(row["state"]).is_terminal:
        return False
    now = _not_before(row["changed_at"])
    db.execute("UPDATE jobs SET message = ?, changed_at = ? WHERE id = ?", (message, now, job_id))
    _append(db, job_id, JobEvent(seq=_next_event(db, job_id), at=now, state=JobState(row["state"]), message=message))
    return True


def ask_cancel(db: sqlite3.Connection, job_id: str) -> JobInfo | None:
    """Record that a job shall be cancelled, unless it has ended; the job, None where there is none."""
    db.execute(
        "UPDATE jobs SET cancel_at = ? WHERE id = ? AND cancel_at IS NULL AND ended_at IS NULL", (utc_now(), job_id)
    )
    return job_info(db, job_id)


def job_info(db: sqlite3.Connection, job_id: str) -> JobInfo | None:
    """A job, None where there is none."""
    row = db.execute(f"SELECT {_INFO} FROM jobs WHERE id = ?", (job_id,)).fetchone()  # noqa: S608 - fixed words
    return None if row is None else _info(row)


def job_record(db: sqlite3.Connection, job_id: str) -> JobRecord | None:
    """A job with its description, None where there is none."""
    row = db.execute(f"SELECT {_INFO}, spec, caller FROM jobs WHERE id = ?", (job_id,)).fetchone()  # noqa: S608 - fixed words
    if row is None:
        return None
    spec = JobSpec.model_validate_json(row["spec"])
    return JobRecord(_info(row), spec, Caller.model_validate_json(row["caller"]))


def job_origins(db: sqlite3.Connection, job_id: str) -> list[FieldOrigins]:
    """Where the fields of a job's description came from, as its client told."""
    row = db.execute("SELECT origins FROM jobs WHERE id = ?", (job_id,)).fetchone()
    return [] if row is None else _ORIGINS.validate_json(row["origins"])


def counts_by_state(db: sqlite3.Connection) -> list[tuple[str, int]]:
    """How many jobs are in each state that some are in."""
    return [
        (row["state"], row["jobs"]) for row in db.execute("SELECT state, count(*) AS jobs FROM jobs GROUP BY state")
    ]


def list_jobs(db: sqlite3.Connection, asked: Filter, limit: int) -> tuple[list[JobInfo], int | None]:
    """Jobs, newest first, and the cursor for what follows."""
    where, values = ["1"], list[object]()
    if asked.states:
        where.append(f"state IN ({', '.join('?' * len(asked.states))})")
        values.extend(asked.states)
    if asked.live is not None:
        where.append(f"ended_at IS {'' if asked.live else 'NOT '}NULL")
    for column, value in (
        ("service", asked.service),
        ("template_name", asked.template),
        ("experiment", asked.experiment),
        ("owner", asked.owner),
    ):
        if value is not None:
            where.append(f"{column} = ?")
            values.append(value)
    if asked.before is not None:
        where.append("seq < ?")
        values.append(asked.before)
    sql = f"SELECT {_INFO} FROM jobs WHERE {' AND '.join(where)} ORDER BY seq DESC LIMIT ?"  # noqa: S608 - fixed words
    rows = db.execute(sql, (*values, limit + 1)).fetchall()
    return [_info(row) for row in rows[:limit]], int(rows[limit - 1]["seq"]) if len(rows) > limit else None


def events_after(db: sqlite3.Connection, job_id: str, seq: int) -> list[JobEvent]:
    """What happened to a job after an event."""
    rows = db.execute(
        "SELECT seq, at, state, message, backend_id, exit_code FROM events WHERE job_id = ? AND seq > ? ORDER BY seq",
        (job_id, seq),
    )
    return [JobEvent(**{**dict(row), "state": JobState(row["state"])}) for row in rows]


def live_ids(db: sqlite3.Connection) -> list[str]:
    """The jobs that have not ended, oldest first."""
    return [row["id"] for row in db.execute("SELECT id FROM jobs WHERE ended_at IS NULL ORDER BY seq")]


def used_code(db: sqlite3.Connection) -> set[str]:
    """The code digests that jobs in the journal refer to."""
    return {row["code_digest"] for row in db.execute("SELECT DISTINCT code_digest FROM jobs")}


def forget_ended(db: sqlite3.Connection, before: str, but: Container[str] = ()) -> Sequence[str]:
    """Take out the jobs that ended before a time, but for some, with their events and keys; their ids."""
    ids = [each for each in ended_ids(db, before) if each not in but]
    db.executemany("DELETE FROM jobs WHERE id = ?", [(each,) for each in ids])
    return ids


def ended_ids(db: sqlite3.Connection, before: str) -> list[str]:
    """The jobs that ended before a time."""
    return [row["id"] for row in db.execute("SELECT id FROM jobs WHERE ended_at < ?", (before,))]


def _not_before(last: str) -> str:
    """The time; what was written last where the clock of the machine was put back: a job's past stays in order."""
    return max(utc_now(), last)


def _append(db: sqlite3.Connection, job_id: str, event: JobEvent) -> None:
    db.execute(
        "INSERT INTO events (job_id, seq, at, state, message, backend_id, exit_code) VALUES (?, ?, ?, ?, ?, ?, ?)",
        (job_id, event.seq, event.at, event.state, event.message, event.backend_id, event.exit_code),
    )


def _next_event(db: sqlite3.Connection, job_id: str) -> int:
    row = db.execute("SELECT coalesce(max(seq), 0) + 1 AS next FROM events WHERE job_id = ?", (job_id,)).fetchone()
    return int(row["next"])


def _info(row: sqlite3.Row) -> JobInfo:
    values = {name: row[name] for name in _COPIED}
    # What the journal holds was checked when it came in; a list of many is not to pay for that again.
    return JobInfo.model_construct(
        **values, state=JobState(row["state"]), cancel_requested=row["cancel_at"] is not None
    )


def _must(info: JobInfo | None) -> JobInfo:
    if info is None:
        raise LookupError("the job just written is not there")
    return info
