"""Submitting a job and following it in a terminal: what it says, what happens to it, and what an interrupt means."""

from __future__ import annotations

import sys
from typing import TYPE_CHECKING

import click
from click import style

from ajkit.cli.terminal import OutputFailed, Progress, ReaderGone, Tagged, pour, say
from ajkit.client.daemon import Daemon, LogLine, StateChange
from ajkit.client.origins import origins_of
from ajkit.client.wire import DaemonRefused
from ajkit.shared.job.code import code_folder
from ajkit.shared.job.execution import JobState

if TYPE_CHECKING:
    from ajkit.cli.invocation import Invocation
    from ajkit.shared.job.execution import JobEvent
    from ajkit.shared.job.plan import Plan

INTERRUPTED = 130


def submit_and_follow(plan: Plan, invocation: Invocation, *, detach: bool) -> int:
    """Submit a planned job and follow it to its end; the exit code of `aj run`.

    Raises:
        Refused: the code folder cannot travel.
        DaemonRefused: the daemon said no.
        DaemonFailed: the daemon cannot be reached.
    """
    spec = plan.require()
    assert plan.materials is not None
    folder = code_folder(plan.resolved, plan.materials.template, plan.request)
    progress = Progress(invocation.environ)
    progress.show("looking for the submission daemon")
    daemon = Daemon.connect(environ=invocation.environ)
    origins = origins_of(plan)
    try:
        job = daemon.submit(spec, folder, home=plan.resolved.home, origins=origins, report=progress.show)
    except KeyboardInterrupt:
        progress.clear()
        return _interrupted_early(daemon, spec.sid)
    finally:
        progress.clear()
    if detach:
        pour(f"{job.id}\n")
        say(f"{job.name} is taken; follow it with: aj jobs logs -f {job.id}")
        return 0
    say(style(f"{job.name} on {job.service}", bold=True))
    several = spec.nodes > 1 or spec.processes_per_node > 1
    return follow(daemon, job.id, progress, several=several)


def follow(daemon: Daemon, job_id: str, progress: Progress, *, several: bool) -> int:
    """Follow a job to its end and answer its exit code; Ctrl-C asks what to do.

    Raises:
        ReaderGone: nobody reads the output any more; the job goes on.
        OutputFailed: it cannot be written; the job goes on.
    """
    following = _Following(daemon, job_id, progress, several=several)
    while True:
        try:
            return following.to_the_end()
        except (ReaderGone, OutputFailed):
            following.say_goes_on()
            raise
        except KeyboardInterrupt:
            code = following.interrupted()
            if code is not None:
                return code


class _Following:
    """One job that is being followed: where in its output we are, and whether it is being cancelled."""

    def __init__(self, daemon: Daemon, job_id: str, progress: Progress, *, several: bool) -> None:
        self._daemon = daemon
        self._job_id = job_id
        self._mark = ""
        self._cancelling = False
        self._lines = Tagged(several=several)
        self._progress = progress

    def to_the_end(self) -> int:
        """Print what comes until the job has ended; its exit code."""
        last: JobEvent | None = None
        try:
            for each in self._daemon.follow(self._job_id, after=self._mark):
                if isinstance(each, LogLine):
                    self._progress.clear()
                    self._lines.add(each.stream, each.text)
                else:
                    last = each.event
                    self._show(each)
                self._mark = each.mark
        finally:
            self._progress.clear()
            self._lines.finish()
        return self._ended(last)

    def _show(self, change: StateChange) -> None:
        event = change.event
        if not event.state.is_terminal:
            self._progress.show(f"{event.state.value}{f': {event.message}' if event.message else ''}")

    def _ended(self, last: JobEvent | None) -> int:
        """The exit code at the end, with words about every end but a good one."""
        if last is None or not last.state.is_terminal:
            job = self._daemon.job(self._job_id).job
            state, code, message = job.state, job.exit_code, job.message
        else:
            state, code, message = last.state, last.exit_code, last.message
        if state is JobState.DONE:
            return code or 0
        of_code = f" with exit code {code}" if code else ""
        say(f"aj: the job {self._job_id} {_ENDS[state]}{of_code}{f': {message}' if message else ''}")
        if self._cancelling and state is JobState.CANCELLED:
            return INTERRUPTED
        return code or 1

    def say_goes_on(self) -> None:
        """Tell how to find the job again that nobody follows any more, unless it has ended."""
        if not self._daemon.job(self._job_id).job.state.is_terminal:
            say(
                f"aj: the job goes on; follow it: aj jobs logs -f {self._job_id}; end it: aj jobs cancel {self._job_id}"
            )

    def interrupted(self) -> int | None:
        """What an interrupt does: cancel, leave (the exit code), or go on (None)."""
        self._progress.clear()
        if self._cancelling:
            say(f"aj: the job is still being cancelled; watch it with: aj jobs show {self._job_id}")
            return INTERRUPTED
        wish = _asked() if sys.stdin is not None and sys.stdin.isatty() and sys.stderr.isatty() else "c"
        if wish == "l":
            self.say_goes_on()
            return INTERRUPTED
        if wish == "c":
            self._cancelling = True
            self._daemon.cancel(self._job_id)
            self._progress.show("cancelling")
        return None


_ENDS = {
    JobState.FAILED: "failed",
    JobState.CANCELLED: "was cancelled",
    JobState.REJECTED: "was refused",
    JobState.LOST: "is lost: its engine knows nothing of it any more",
}


def _asked() -> str:
    """Ask what an interrupt was meant to do: ``c``, ``l`` or ``f``; a second one leaves the job running."""
    try:
        wish: str = click.prompt(
            "\nCancel the job, leave it running, or go on following it?",
            type=click.Choice(["c", "l", "f"], case_sensitive=False),
            default="f",
            err=True,
        )
    except click.Abort:
        say("")
        return "l"
    return wish


def _interrupted_early(daemon: Daemon, job_id: str) -> int:
    """An interrupt while submitting: the job may have been taken, and is then cancelled."""
    try:
        daemon.cancel(job_id)
    except DaemonRefused:
        say("aj: interrupted before the job was taken")
    else:
        say(f"aj: interrupted; the job {job_id} was taken and is being cancelled")
    return INTERRUPTED
