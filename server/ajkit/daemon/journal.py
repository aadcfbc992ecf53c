"""The journal: one SQLite file, one thread that writes it in groups, and readers beside it."""

from __future__ import annotations

import os
import queue
import sqlite3
import threading
from concurrent.futures import Future
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, TypeVar

from ajkit.daemon.place import is_shared, read_mounts
from ajkit.shared.problem import AjError

if TYPE_CHECKING:
    from collections.abc import Callable, Sequence

T = TypeVar("T")

_GROUP = 256
_BUSY_SECONDS = 30.0

MIGRATIONS: tuple[str, ...] = (
    """
    CREATE TABLE jobs (
        seq INTEGER PRIMARY KEY AUTOINCREMENT,
        id TEXT NOT NULL UNIQUE,
        owner TEXT,
        name TEXT NOT NULL,
        service TEXT NOT NULL,
        template_name TEXT NOT NULL,
        experiment TEXT,
        nodes INTEGER NOT NULL,
        processes_per_node INTEGER NOT NULL,
        spec TEXT NOT NULL,
        spec_sha256 TEXT NOT NULL,
        code_digest TEXT NOT NULL,
        caller TEXT NOT NULL,
        state TEXT NOT NULL,
        message TEXT NOT NULL DEFAULT '',
        cancel_at TEXT,
        backend_id TEXT,
        exit_code INTEGER,
        accepted_at TEXT NOT NULL,
        changed_at TEXT NOT NULL,
        started_at TEXT,
        ended_at TEXT
    );
    CREATE INDEX jobs_live ON jobs (seq) WHERE ended_at IS NULL;
    CREATE INDEX jobs_state ON jobs (state, seq);
    CREATE INDEX jobs_service ON jobs (service, seq);
    CREATE INDEX jobs_ended ON jobs (ended_at) WHERE ended_at IS NOT NULL;

    CREATE TABLE attempts (
        job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
        number INTEGER NOT NULL,
        intent_at TEXT NOT NULL,
        answered_at TEXT,
        outcome TEXT,
        PRIMARY KEY (job_id, number)
    ) WITHOUT ROWID;

    CREATE TABLE events (
        job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
        seq INTEGER NOT NULL,
        at TEXT NOT NULL,
        state TEXT NOT NULL,
        message TEXT NOT NULL,
        backend_id TEXT,
        exit_code INTEGER,
        PRIMARY KEY (job_id, seq)
    ) WITHOUT ROWID;
    CREATE TRIGGER events_stay BEFORE UPDATE ON events BEGIN SELECT RAISE(ABORT, 'events are never changed'); END;

    CREATE TABLE keys (
        owner TEXT NOT NULL,
        key TEXT NOT NULL,
        body_sha256 TEXT NOT NULL,
        job_id TEXT NOT NULL REFERENCES jobs (id) ON DELETE CASCADE,
        answer TEXT NOT NULL,
        PRIMARY KEY (owner, key)
    ) WITHOUT ROWID;
    CREATE INDEX keys_job ON keys (job_id);
    """,
    """
    UPDATE jobs SET owner = '' WHERE owner IS NULL;
    ALTER TABLE jobs ADD COLUMN origins TEXT NOT NULL DEFAULT '[]';
    """,
)
"""Each entry takes a journal from ``user_version`` = its place to the next; entries are only ever added."""


class JournalProblem(AjError):
    """A journal that cannot be used: of a newer program, damaged, not writable."""


@dataclass(frozen=True, slots=True)
class _Change:
    apply: Callable[[sqlite3.Connection], Any]
    durable: bool
    done: Future[Any]


class Journal:
    """An open journal. `write` and `read` may be called from any thread."""

    def __init__(self, path: str) -> None:
        """Open or create the journal at a path and bring it up to date.

        Raises:
            JournalProblem: it cannot be used; the message says why.
        """
        self.path = path
        self._changes: queue.SimpleQueue[_Change | None] = queue.SimpleQueue()
        self._local = threading.local()
        self._readers: list[sqlite3.Connection] = []
        self._guard = threading.Lock()
        # WAL needs memory shared between processes, which file systems shared between hosts do not have.
        self.mode = "TRUNCATE" if is_shared(os.path.dirname(path), read_mounts()) else "WAL"
        try:
            self._writer = self._connect()
        except sqlite3.Error as error:
            raise JournalProblem(f"the journal {path} cannot be opened: {error}") from None
        try:
            self._prepare()
        except (sqlite3.Error, JournalProblem) as error:
            self._writer.close()
            if isinstance(error, JournalProblem):
                raise
            # What sqlite says of damage is of no narrower kind; a lock or a full disk is.
            damaged = type(error) is sqlite3.DatabaseError
            advice = "; move it away to begin a new one, which knows none of its jobs" if damaged else ""
            raise JournalProblem(f"the journal {path} cannot be used: {error}{advice}") from None
        self._thread = threading.Thread(target=self._work, name="journal", daemon=True)
        self._thread.start()

    def write(self, apply: Callable[[sqlite3.Connection], T], *, durable: bool) -> Future[T]:
        """Run a change inside a transaction, together with others that wait; the future answers after the commit.

        A `durable` change is on the disk by then; another survives the end of the program, not of the machine.
        """
        done: Future[T] = Future()
        self._changes.put(_Change(apply, durable, done))
        return done

    def read(self, ask: Callable[[sqlite3.Connection], T]) -> T:
        """The answer to a question about what is committed."""
        connection: sqlite3.Connection | None = getattr(self._local, "connection", None)
        if connection is None:
            connection = self._connect()
            connection.execute("PRAGMA query_only = ON")
            self._local.connection = connection
            with self._guard:
                self._readers.append(connection)
        return ask(connection)

    def close(self) -> None:
        """Write what waits and let go. No other call may follow or be under way."""
        self._changes.put(None)
        self._thread.join()
        for each in (*self._readers, self._writer):
            each.close()

    def _connect(self) -> sqlite3.Connection:
        connection = sqlite3.connect(self.path, timeout=_BUSY_SECONDS, isolation_level=None, check_same_thread=False)
        connection.row_factory = sqlite3.Row
        connection.execute("PRAGMA foreign_keys = ON")
        return connection

    def _prepare(self) -> None:
        got = self._writer.execute(f"PRAGMA journal_mode = {self.mode}").fetchone()[0]
        if got.upper() != self.mode:
            self.mode = self._writer.execute("PRAGMA journal_mode = TRUNCATE").fetchone()[0].upper()
        os.chmod(self.path, 0o600)
        version = self._writer.execute("PRAGMA user_version").fetchone()[0]
        if version > len(MIGRATIONS):
            raise JournalProblem(
                f"the journal {self.path} was written by a newer aj (its version is {version}, this program knows "
                f"{len(MIGRATIONS)}): upgrade aj, or set XDG_STATE_HOME to another folder"
            )
        for number in range(version, len(MIGRATIONS)):
            self._writer.executescript(
                f"BEGIN IMMEDIATE; {MIGRATIONS[number]}; PRAGMA user_version = {number + 1}; COMMIT;"
            )

    def _work(self) -> None:
        """Commit what waits, in one transaction each time, so that a burst pays for one write to the disk."""
        synchronous = ""
        going = True
        while going:
            group: Sequence[_Change]
            group, going = self._next_group()
            wanted = "FULL" if any(each.durable for each in group) else "NORMAL"
            if not group:
                continue
            try:
                if wanted != synchronous:
                    self._writer.execute(f"PRAGMA synchronous = {wanted}")
                    synchronous = wanted
                self._writer.execute("BEGIN IMMEDIATE")
                answers = [self._apply(each) for each in group]
                self._writer.execute("COMMIT")
            except sqlite3.Error as error:
                self._undo()
                for each in group:
                    each.done.set_exception(sqlite3.OperationalError(str(error)))
                continue
            for each, (answer, fault) in zip(group, answers, strict=True):
                if fault is None:
                    each.done.set_result(answer)
                else:
                    each.done.set_exception(fault)

    def _next_group(self) -> tuple[list[_Change], bool]:
        group = []
        change = self._changes.get()
        while change is not None:
            if change.done.set_running_or_notify_cancel():
                group.append(change)
            if len(group) >= _GROUP:
                return group, True
            try:
                change = self._changes.get_nowait()
            except queue.Empty:
                return group, True
        return group, False

    def _apply(self, change: _Change) -> tuple[Any, Exception | None]:
        """One change of a group; one that fails leaves the others standing.

        Raises:
            sqlite3.OperationalError: the disk or the file, not the change.
        """
        self._writer.execute("SAVEPOINT one")
        try:
            answer = change.apply(self._writer)
        except sqlite3.OperationalError:
            raise
        except Exception as error:  # noqa: BLE001 - whatever it is, it belongs to who asked
            self._writer.execute("ROLLBACK TO one")
            self._writer.execute("RELEASE one")
            return None, error
        self._writer.execute("RELEASE one")
        return answer, None

    def _undo(self) -> None:
        try:
            self._writer.execute("ROLLBACK")
        except sqlite3.Error:
            # SQLite has rolled back by itself (a full disk does that).
            return
