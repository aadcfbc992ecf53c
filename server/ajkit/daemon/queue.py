"""The live jobs, one task each: all that had not ended when the last daemon did, and every one accepted since."""

from __future__ import annotations

import asyncio
import contextlib
import logging
import os
import shutil
from functools import partial
from typing import TYPE_CHECKING

from ajkit.daemon import records
from ajkit.daemon.drive import Drive, Pause
from ajkit.shared.job.execution import ExecutionError, Leftovers, Submission
from ajkit.submit.registry import CannotRun

if TYPE_CHECKING:
    from collections.abc import Iterator

    from ajkit.daemon.engines import Engines
    from ajkit.daemon.hub import Hub
    from ajkit.daemon.ledger import Ledger
    from ajkit.daemon.records import JobRecord
    from ajkit.daemon.store import CodeStore
    from ajkit.shared.contract import Caller
    from ajkit.shared.job.spec import JobSpec
    from ajkit.submit.registry import Executions

log = logging.getLogger(__name__)

_BURST_SECONDS = 0.25


class Queue:
    """Drives jobs. Everything that matters is in the journal before it is done, so that it may end at any point."""

    def __init__(
        self, folder: str, ledger: Ledger, engines: Engines, executions: Executions, store: CodeStore, hub: Hub
    ) -> None:
        """`folder` holds one folder for each job."""
        self._folder = folder
        self._ledger = ledger
        self._engines = engines
        self._executions = executions
        self._store = store
        self._hub = hub
        self._tasks: dict[str, asyncio.Task[None]] = {}
        self._stopping: set[str] = set()
        self._accepting = 0
        self._calm = asyncio.Event()
        self._calm.set()
        os.makedirs(folder, mode=0o700, exist_ok=True)

    async def start(self) -> None:
        """Go on with every job that has not ended."""
        for job_id in await self._ledger.ask(records.live_ids):
            self.take(job_id)

    async def stop(self) -> None:
        """Let go of the jobs: they run on, and the next daemon finds them."""
        tasks = list(self._tasks.values())
        for each in tasks:
            each.cancel()
        await asyncio.gather(*tasks, return_exceptions=True)

    @property
    def live(self) -> int:
        """How many jobs are being driven."""
        return len(self._tasks)

    @contextlib.contextmanager
    def accepting(self) -> Iterator[None]:
        """A job is being taken in: those that were are not begun for a moment, so that a burst is answered quickly."""
        self._accepting += 1
        self._calm.clear()
        try:
            yield
        finally:
            self._accepting -= 1
            if not self._accepting:
                self._calm.set()

    def take(self, job_id: str, record: JobRecord | None = None) -> None:
        """Drive a job that is in the journal; `record` saves reading it there where nothing has happened to it yet."""
        if job_id not in self._tasks:
            task = asyncio.create_task(self._drive(job_id, record), name=f"job {job_id}")
            self._tasks[job_id] = task
            task.add_done_callback(lambda _: self._leave(job_id))

    def cancel(self, job_id: str) -> None:
        """Stop a job whose cancellation is in the journal."""
        if job_id in self._tasks:
            self._stopping.add(job_id)
            self._hub.tell(job_id)

    def _leave(self, job_id: str) -> None:
        self._tasks.pop(job_id, None)
        self._stopping.discard(job_id)

    def submission(self, spec: JobSpec, caller: Caller) -> Submission:
        """A job as its engine gets it, without its code."""
        variables = {"PATH": caller.path, "VIRTUAL_ENV": caller.virtual_env}
        return Submission(
            token=f"aj-{spec.sid}",
            spec=spec,
            folder=os.path.join(self._folder, spec.sid),
            caller={name: value for name, value in variables.items() if value is not None},
        )

    async def forget(self, job_id: str, away: set[str]) -> bool:
        """Remove what is left of a job that ended long ago: what its engine has, then its folder. Whether all went.

        `away` are the services whose engines could not be asked: they are left alone, and others are added.
        """
        folder = os.path.join(self._folder, job_id)
        record = None
        if await asyncio.to_thread(os.path.isdir, folder):
            record = await self._ledger.ask(partial(records.job_record, job_id=job_id))
        if record is None:
            return True
        service = record.spec.service
        if service in away:
            return False
        try:
            execution = self._executions.find(service)
            if isinstance(execution, Leftovers):
                await self._engines.call(execution.forget, self.submission(record.spec, record.caller))
        except CannotRun:
            log.warning("job %s: nothing here can remove what %s may have of it", job_id, service)
        except ExecutionError as error:
            log.warning("job %s cannot be removed now: %s", job_id, error)
            away.add(service)
            return False
        await self.drop(job_id)
        return True

    async def drop(self, job_id: str) -> None:
        """Remove the folder of a job, whatever its engine has of it."""
        folder = os.path.join(self._folder, job_id)
        await asyncio.to_thread(shutil.rmtree, folder, ignore_errors=True)

    async def _drive(self, job_id: str, record: JobRecord | None) -> None:
        """Drive a job, again from the start when something unforeseen happens: it must not be left alone."""
        pause = Pause()
        with contextlib.suppress(TimeoutError):
            async with asyncio.timeout(_BURST_SECONDS):
                await self._calm.wait()
        while True:
            try:
                record = record or await self._ledger.ask(partial(records.job_record, job_id=job_id))
                if record is not None:
                    await self._driver(record).run(record.info)
            except Exception:
                log.exception("job %s: something unforeseen, trying again", job_id)
                record = None
                await asyncio.sleep(pause.take())
            else:
                return

    def _driver(self, record: JobRecord) -> Drive:
        if record.info.cancel_requested:
            self._stopping.add(record.info.id)
        return Drive(
            self.submission(record.spec, record.caller),
            ledger=self._ledger,
            engines=self._engines,
            executions=self._executions,
            store=self._store,
            hub=self._hub,
            stopping=self._stopping,
        )
