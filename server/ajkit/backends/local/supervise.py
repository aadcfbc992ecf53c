"""The supervisor of one job on this machine: a program by itself, which outlives the daemon that started it.

It gets a plan as JSON on standard input and the lock of the job's folder by inheritance, and holds that lock while it
lives. It writes ``claim.json`` before it starts anything and ``result.json`` when nothing of the job runs any more.
Nothing but the standard library is loaded for it.
"""

from __future__ import annotations

import contextlib
import ctypes
import errno
import json
import os
import select
import signal
import sys
import time
from typing import Any

from ajkit.backends.local.leftovers import note_started
from ajkit.backends.local.share import Share

CLAIM, RESULT, WAITING = "claim.json", "result.json", "waiting.json"
CANCEL = signal.SIGTERM
TIMED_OUT = 124
_IGNORED_BY_PYTHON = (signal.SIGPIPE, signal.SIGXFSZ)
NO_COMMAND = 127
_LOOK_SECONDS = 0.2
"""How often a job that waits for GPUs looks whether they are free."""
_NO_ROOM = (errno.ENOSPC, errno.EDQUOT)
_ROOM_SECONDS = 1.0
"""How often a full disk is tried again."""


def main() -> int:
    """Run the job of the plan on standard input; without a whole plan, nothing at all.

    The last argument is the descriptor of the lock; the working directory is the job's.
    """
    # The job's processes must not hold the lock: they may outlive this program.
    os.set_inheritable(int(sys.argv[-1]), False)  # noqa: FBT003
    try:
        plan = json.loads(sys.stdin.buffer.read())
    except ValueError:
        return 1
    return Supervisor(plan).run()


class Supervisor:
    """One job: its processes, what they leave behind, and how it ends."""

    def __init__(self, plan: dict[str, Any]) -> None:
        """`plan`: folder, argv, umask, time_limit, grace, meet, gpus, processes (each with name, node, env and log)."""
        self._plan = plan
        self._folder: str = plan["folder"]
        self._running: dict[int, str] = {}
        self._codes: dict[str, int] = {}
        self._cancelled = False
        self._answered = self._waited = False
        self._news, self._bell = os.pipe()

    def run(self) -> int:
        """Start every process, wait for the end, stop what is left, and write down how it went."""
        self._listen()
        write_whole(self._folder, CLAIM, {"pid": os.getpid()})
        adopt_orphans()
        ended = self._take_gpus() or self._start()
        self._answer()
        ended = ended or self._wait()
        self._stop()
        self.write_down({**ended, "processes": self._codes})
        return 0

    def _listen(self) -> None:
        """Hear of ended children and of a cancellation through a pipe that `select` can watch."""
        for end in (self._news, self._bell):
            os.set_blocking(end, False)
        signal.set_wakeup_fd(self._bell)
        signal.signal(CANCEL, self._hear_cancel)
        # Heard and not heeded, rather than ignored: the job's processes would inherit that.
        for each in (signal.SIGCHLD, signal.SIGINT, signal.SIGHUP):
            signal.signal(each, lambda *_: None)

    def _hear_cancel(self, *_: object) -> None:
        self._cancelled = True

    def _answer(self) -> None:
        """Tell who waits for it that the job is in good hands."""
        if not self._answered:
            self._answered = True
            # They may be gone by now; the job does not need them.
            with contextlib.suppress(BrokenPipeError):
                os.write(1, b"claimed\n")
            os.close(1)

    def _take_gpus(self) -> dict[str, Any] | None:
        """Wait until the job has its GPUs and show them to its processes; how it ended where it was cancelled."""
        gpus = self._plan["gpus"]
        if gpus is None:
            return None
        share = Share(gpus["folder"], gpus["names"], gpus["wanted"])
        told = ""
        while (taken := share.take()) is None:
            self._waited = True
            if share.reason != told:
                told = share.reason
                # Only told: a full disk must not end the waiting.
                with contextlib.suppress(OSError):
                    write_whole(self._folder, WAITING, {"message": told})
            self._answer()
            if self._cancelled:
                share.leave()
                return {"state": "cancelled", "exit_code": None, "message": "cancelled while it waited for GPUs"}
            self._sleep(_LOOK_SECONDS)
        parts = [[taken.pop(0) for _ in range(count)] for count in gpus["shares"]]
        for each in self._plan["processes"]:
            each["env"]["CUDA_VISIBLE_DEVICES"] = ",".join(parts[each["node"]])
        return None

    def _start(self) -> dict[str, Any] | None:
        os.umask(self._plan["umask"])
        if self._waited and self._plan["meet"]:
            # The port that was free when the job came may have been taken meanwhile.
            port = free_port(self._plan["meet"])
            for each in self._plan["processes"]:
                each["env"]["MASTER_PORT"] = str(port)
        argv = self._plan["argv"]
        for each in self._plan["processes"]:
            files = [
                (os.POSIX_SPAWN_OPEN, 0, os.devnull, os.O_RDONLY, 0),
                (os.POSIX_SPAWN_OPEN, 1, each["log"], os.O_WRONLY | os.O_CREAT | os.O_APPEND, 0o600),
                (os.POSIX_SPAWN_DUP2, 1, 2),
            ]
            try:
                pid = os.posix_spawn(
                    argv[0], argv, each["env"], file_actions=files, setsid=True, setsigdef=_IGNORED_BY_PYTHON
                )
            except (OSError, ValueError) as error:
                return {"state": "failed", "exit_code": NO_COMMAND, "message": f"{each['name']}: {error}"}
            self._running[pid] = each["name"]
        # Without the note they are still known by their AJ_ID.
        with contextlib.suppress(OSError):
            note_started(self._folder, list(self._running))
        with contextlib.suppress(FileNotFoundError):
            os.unlink(os.path.join(self._folder, WAITING))
        return None

    def _wait(self) -> dict[str, Any]:
        """How the job ended: all processes well, the first one badly, cancelled, or out of time."""
        limit = self._plan["time_limit"]
        until = time.monotonic() + limit if limit else None
        while self._running:
            left = None if until is None else until - time.monotonic()
            if self._cancelled:
                return {"state": "cancelled", "exit_code": None, "message": ""}
            if left is not None and left <= 0:
                message = f"stopped at its time limit of {limit} seconds"
                return {"state": "failed", "exit_code": TIMED_OUT, "message": message}
            failed = self._reap()
            if failed is not None:
                name, code = failed
                return {"state": "failed", "exit_code": code, "message": f"{name} {said(code)}"}
            if self._running:
                self._sleep(left)
        return {"state": "done", "exit_code": 0, "message": ""}

    def _reap(self) -> tuple[str, int] | None:
        """Collect what has ended, orphans too; the first of the job's own processes that ended badly, and its code."""
        failed = None
        while True:
            try:
                pid, status = os.waitpid(-1, os.WNOHANG)
            except ChildProcessError:
                return failed
            if pid == 0:
                return failed
            name = self._running.pop(pid, None)
            if name is not None:
                code = os.waitstatus_to_exitcode(status)
                self._codes[name] = 128 - code if code < 0 else code
                if code and failed is None:
                    failed = name, self._codes[name]

    def _sleep(self, seconds: float | None) -> None:
        select.select([self._news], [], [], None if seconds is None else min(seconds, 86400))
        with contextlib.suppress(BlockingIOError):
            while os.read(self._news, 4096):
                pass

    def _stop(self) -> None:
        """End every process of the job: asked first, made to after the grace time. Groups, and whoever left them."""
        until = time.monotonic() + self._plan["grace"]
        self._signal(signal.SIGTERM)
        while (self._running or descendants(os.getpid())) and time.monotonic() < until:
            self._sleep(0.05)
            self._reap()
        while self._running or descendants(os.getpid()):
            self._signal(signal.SIGKILL)
            self._sleep(0.02)
            self._reap()

    def write_down(self, result: dict[str, Any]) -> None:
        """Leave the result once there is room for it: a job whose output filled the disk is not lost for that."""
        while True:
            try:
                write_whole(self._folder, RESULT, result)
            except OSError as error:
                if error.errno not in _NO_ROOM:
                    raise
                time.sleep(_ROOM_SECONDS)
            else:
                return

    def _signal(self, number: signal.Signals) -> None:
        for pid in list(self._running):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.killpg(pid, number)
        for pid in descendants(os.getpid()):
            with contextlib.suppress(ProcessLookupError, PermissionError):
                os.kill(pid, number)


def free_port(address: str) -> int:
    """A port that nobody listens on now."""
    import socket  # noqa: PLC0415 - a job that starts at once must not pay for it

    with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
        probe.bind((address, 0))
        port: int = probe.getsockname()[1]
        return port


def said(code: int) -> str:
    """An exit code in words."""
    if code > 128:
        with contextlib.suppress(ValueError):
            return f"was ended by {signal.Signals(code - 128).name}"
    return f"exited with {code}"


def write_whole(folder: str, name: str, content: dict[str, Any]) -> None:
    """Write a file that is there whole or not at all, also after a power cut."""
    place = os.path.join(folder, name)
    with open(os.open(f"{place}.new", os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "w", encoding="utf-8") as file:
        json.dump(content, file)
        file.flush()
        os.fsync(file.fileno())
    os.replace(f"{place}.new", place)
    handle = os.open(folder, os.O_RDONLY)
    os.fsync(handle)
    os.close(handle)


def adopt_orphans() -> None:
    """Become the parent of descendants whose own parent ends, so that none gets away (Linux)."""
    set_child_subreaper = 36
    with contextlib.suppress(OSError, AttributeError):
        ctypes.CDLL(None).prctl(set_child_subreaper, 1, 0, 0, 0)


def descendants(ancestor: int) -> list[int]:
    """The living processes below one, by ``/proc``; none where there is no such thing."""
    parents = {}
    with contextlib.suppress(FileNotFoundError):
        for name in os.listdir("/proc"):
            if name.isdecimal():
                with contextlib.suppress(OSError), open(f"/proc/{name}/stat", "rb") as file:
                    fields = file.read().rpartition(b")")[2].split()
                    if fields[0] not in {b"Z", b"X"}:
                        parents[int(name)] = int(fields[1])
    found: list[int] = []
    known = {ancestor}
    grown = True
    while grown:
        grown = False
        for pid, parent in parents.items():
            if parent in known and pid not in known:
                known.add(pid)
                found.append(pid)
                grown = True
    return found
