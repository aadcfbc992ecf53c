"""One node of a job, inside the cluster: its code unpacked, its processes started, watched, heard and ended.

It travels to the cluster, where there may be no other part of aj and an older Python: the standard library alone.
"""

from __future__ import annotations

import contextlib
import importlib
import os
import queue
import select
import shutil
import signal
import socket
import subprocess
import tarfile
import tempfile
import threading
import time
from typing import Any

GRACE_SECONDS = 2.0
"""How long processes have to end by themselves: Ray gives the whole job three seconds."""
_CHUNK = 65536
_DRAIN_SECONDS, _LONGEST_DRAIN = 1.0, 30.0
"""How long to wait for the end of what was said, which somebody else may hold open; and where there is still more."""
_PAUSE = 0.05

_WATCH = """\
# Outlives the actor, and ends what it has started when it is gone without having done so.
exec 9<&0
(read -r -u 9 word && [ "$word" = over ] && exit
 kill -TERM -- "-$1"; sleep ‹grace›; kill -KILL -- "-$1") </dev/null >/dev/null 2>&1 &
"""


class Node:
    """What an actor holds: `job` is the content of ``job.json``, `number` the rank of the node."""

    def __init__(self, job: dict[str, Any], number: int, archive: str = "") -> None:
        """Unpack the code, a tar file (that of the package ``aj_code`` by default), into a folder of its own."""
        archive = archive or os.path.join(os.path.dirname(str(importlib.import_module("aj_code").__file__)), "code.tar")
        self._job = job
        self._number = number
        self._folder = tempfile.mkdtemp(prefix="aj-")
        self._said: queue.Queue[tuple[str, bytes]] = queue.Queue()
        self._running: list[subprocess.Popen[bytes]] = []
        self._watches: list[int] = []
        self._hands: set[str] = set()
        self._stopped = False
        self._lock = threading.Lock()
        code = os.path.join(self._folder, "code")
        os.mkdir(code)
        # It was checked when it came to the daemon; older Pythons have no filters, newer ones want one.
        filters: dict[str, Any] = {"filter": "tar"} if hasattr(tarfile, "tar_filter") else {}
        with tarfile.open(archive) as tar:
            tar.extractall(code, **filters)  # noqa: S202
        with open(os.path.join(self._folder, "script.sh"), "w", encoding="utf-8") as file:
            file.write(job["script"])

    def meeting(self, address: str = "") -> tuple[str, int]:
        """Where the processes of all nodes can meet, when this is the first one: its address and a free port.

        By default the address is the one at which Ray itself reaches the node.
        """
        address = address or str(importlib.import_module("ray.util").get_node_ip_address())
        with socket.socket(socket.AF_INET, socket.SOCK_STREAM) as probe:
            probe.bind(("", 0))
            return address, int(probe.getsockname()[1])

    def run(self, address: str, port: int) -> tuple[str, int]:
        """Run the processes to their end: the name and the code of the first that failed, or an empty name and 0."""
        count = self._job["processes"]
        readers = []
        for local in range(count):
            name = f"node-{self._number}" if count == 1 else f"node-{self._number}.{local}"
            started = self._start(self._environment(local, address, port))
            if started is None:
                break
            reader = threading.Thread(target=self._hear, args=(name, started), daemon=True)
            reader.start()
            readers.append((name, started, reader))
        failed = self._wait([(name, started) for name, started, _ in readers])
        self.stop()
        with self._lock:
            self._running.clear()
        self._drain(readers)
        shutil.rmtree(self._folder, ignore_errors=True)
        return failed

    def read(self, seconds: float) -> list[tuple[str, bytes]]:
        """What the processes have said since, by the name of their log; waits for something, but not for long."""
        found: list[tuple[str, bytes]] = []
        with contextlib.suppress(queue.Empty):
            found.append(self._said.get(timeout=seconds))
            while True:
                found.append(self._said.get_nowait())
        return found

    def stop(self) -> None:
        """End every process with all that it has started: asked first, made to after the grace time."""
        with self._lock:
            self._stopped = True
            running = list(self._running)
        until = time.monotonic() + GRACE_SECONDS
        _signal(running, signal.SIGTERM)
        while any(_group_lives(each.pid) for each in running) and time.monotonic() < until:
            for each in running:
                each.poll()
            time.sleep(_PAUSE)
        _signal(running, signal.SIGKILL)
        with self._lock:
            # Whoever else stops it at the same time must not close them, too: their numbers may be others' by then.
            watches, self._watches = self._watches, []
        for tells in watches:
            with contextlib.suppress(OSError):
                os.write(tells, b"over\n")
            os.close(tells)

    def _environment(self, local: int, address: str, port: int) -> dict[str, str]:
        job = self._job
        count = job["processes"]
        return {
            **os.environ,  # noqa: TID251 - what Ray has set for this node
            "PYTHONUNBUFFERED": "1",
            "NODE_RANK": str(self._number),
            "RANK": str(self._number * count + local),
            "LOCAL_RANK": str(local),
            "LOCAL_WORLD_SIZE": str(count),
            "WORLD_SIZE": str(job["nodes"] * count),
            "MASTER_ADDR": address,
            "MASTER_PORT": str(port),
            **job["env"],
            "AJ_NODE_RANK": str(self._number),
        }

    def _start(self, environment: dict[str, str]) -> subprocess.Popen[bytes] | None:
        with self._lock:
            if self._stopped:
                return None
            started = subprocess.Popen(
                ["bash", os.path.join(self._folder, "script.sh")],
                env=environment,
                cwd=os.path.join(self._folder, "code"),
                stdin=subprocess.DEVNULL,
                stdout=subprocess.PIPE,
                stderr=subprocess.STDOUT,
                start_new_session=True,
            )
            self._running.append(started)
            self._watches.append(_watch(started.pid))
            return started

    def _wait(self, started: list[tuple[str, subprocess.Popen[bytes]]]) -> tuple[str, int]:
        left = list(started)
        while left:
            for name, process in left:
                code = process.poll()
                if code:
                    return name, 128 - code if code < 0 else code
            left = [(name, process) for name, process in left if process.returncode is None]
            time.sleep(_PAUSE)
        return "", 0

    def _hear(self, name: str, process: subprocess.Popen[bytes]) -> None:
        assert process.stdout is not None
        with process.stdout:
            pipe = select.poll()
            pipe.register(process.stdout, select.POLLIN)
            data = b"?"
            while data:
                pipe.poll()
                # Taken out of the pipe it is nowhere to be seen until it is put down.
                self._hands.add(name)
                data = os.read(process.stdout.fileno(), _CHUNK)
                if data:
                    self._said.put((name, data))
                self._hands.discard(name)

    def _drain(self, readers: list[tuple[str, subprocess.Popen[bytes], threading.Thread]]) -> None:
        """Wait until what ended processes have said is heard; where the machine stood still it is not, for a while."""
        begun = time.monotonic()
        for name, process, reader in readers:
            while reader.is_alive():
                waited = time.monotonic() - begun
                # In this order: what is not in the pipe any more was in a hand before.
                more = _has_more(process) or name in self._hands
                if waited > (_LONGEST_DRAIN if more else _DRAIN_SECONDS):
                    break
                reader.join(_PAUSE)


def _watch(group: int) -> int:
    """A process that ends a group when this one dies; what is answered tells it that there is no more need."""
    hears, tells = os.pipe()
    script = _WATCH.replace("‹grace›", str(GRACE_SECONDS))
    subprocess.run(["bash", "-c", script, "aj", str(group)], stdin=hears, start_new_session=True, check=False)
    os.close(hears)
    return tells


def _has_more(process: subprocess.Popen[bytes]) -> bool:
    """Whether there is something in the pipe of a process, if only its end."""
    assert process.stdout is not None
    with contextlib.suppress(ValueError):  # the reader has closed it just now
        look = select.poll()
        look.register(process.stdout, select.POLLIN)
        return bool(look.poll(0))
    return False


def _signal(running: list[subprocess.Popen[bytes]], number: signal.Signals) -> None:
    for each in running:
        with contextlib.suppress(ProcessLookupError, PermissionError):
            os.killpg(each.pid, number)


def _group_lives(group: int) -> bool:
    try:
        os.killpg(group, 0)
    except ProcessLookupError:
        return False
    except PermissionError:
        return True
    return True
