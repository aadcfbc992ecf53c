"""Where Slurm's commands are: on this machine, or on a login node over ssh. Either way bash runs a program there."""

from __future__ import annotations

import contextlib
import os
import shlex
import signal
import subprocess
from dataclasses import dataclass
from typing import IO, TYPE_CHECKING

from ajkit.shared.job.execution import Unavailable

if TYPE_CHECKING:
    from collections.abc import Mapping

_MARK = "@aj@"
"""Printed before a program's own output: what a login profile has to say comes before."""
_SSH = ("ssh", "-o", "BatchMode=yes", "-o", "ConnectTimeout=10", "-o", "ServerAliveInterval=10")
_SSH_FAILED = 255


@dataclass(frozen=True, slots=True)
class Output:
    """What a program said, and the code it ended with."""

    code: int
    text: str
    errors: str


class Silent(Unavailable):
    """A program that was sent off and did not end in time, or whose connection broke: it may have done its work."""


@dataclass(frozen=True, slots=True)
class Site:
    """A place to run bash programs: here with `environ`, or where `host` is a login node, there."""

    environ: Mapping[str, str]
    host: str | None = None

    def run(self, program: str, seconds: float, *, feed: IO[bytes] | None = None) -> Output:
        """Run a bash program (lines that end in ``return CODE`` are fine) and wait for its end.

        The program travels on standard input, where nobody but its owner can see it, unless `feed` is to be its
        standard input: then it is an argument. Bash has read all of it before any of it runs.

        Raises:
            Silent: it was sent and said nothing within `seconds`, or ssh lost it on the way.
            Unavailable: it was certainly not run.
        """
        code, data, errors = self._run(program, seconds, feed)
        return Output(code, data.decode("utf-8", "replace"), errors)

    def read(self, path: str, offset: int, limit: int, seconds: float) -> bytes:
        """At most `limit` bytes of a file from `offset`; none where there is no file.

        Raises:
            Unavailable: the site cannot be asked.
        """
        program = f"tail -c +{offset + 1} -- {shlex.quote(path)} 2>/dev/null | head -c {limit}"
        return self._run(program, seconds, None)[1]

    def _run(self, program: str, seconds: float, feed: IO[bytes] | None) -> tuple[int, bytes, str]:
        """The code of a program, the bytes it printed, and what it said of errors."""
        whole = f"aj() {{\necho {_MARK}\n{program}\n}}\naj"
        argv = ["bash", "-c", whole] if feed else ["bash", "-s"]
        if self.host is not None:
            # What a cluster puts on the PATH is put there for logins.
            argv = [*_SSH, self.host, shlex.join([argv[0], "-l", *argv[1:]])]
        try:
            running = subprocess.Popen(
                argv,
                stdin=feed or subprocess.PIPE,
                stdout=subprocess.PIPE,
                stderr=subprocess.PIPE,
                env=dict(self.environ),
                cwd="/",
                start_new_session=True,
            )
        except OSError as error:
            raise Unavailable(f"{argv[0]} cannot be started: {error.strerror}") from None
        with running:
            try:
                data, errors = running.communicate(None if feed else whole.encode(), timeout=seconds)
            except subprocess.TimeoutExpired:
                with contextlib.suppress(ProcessLookupError):
                    os.killpg(running.pid, signal.SIGKILL)
                raise Silent(f"{self} did not answer within {seconds:g} seconds") from None
        said = errors.decode("utf-8", "replace").strip()
        if self.host is not None and running.returncode == _SSH_FAILED:
            raise Silent(f"{self}: {said.splitlines()[-1] if said else 'the connection was lost'}")
        _, found, own = data.partition(f"{_MARK}\n".encode())
        if not found:
            raise Unavailable(f"{self}: no bash program can be run there: {said}")
        return running.returncode, own, said

    def __str__(self) -> str:
        return "Slurm" if self.host is None else f"Slurm at {self.host}"
