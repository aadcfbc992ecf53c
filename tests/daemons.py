"""Real daemons in temporary folders, and jobs to give them."""

from __future__ import annotations

import glob
import http.client
import itertools
import json
import os
import random
import shutil
import signal
import socket
import string
import tempfile
import time
from dataclasses import dataclass, field
from typing import TYPE_CHECKING, Any

import pytest

from ajkit.client.daemon import Daemon, LogLine
from ajkit.client.places import read_note, state_folder
from ajkit.client.reach import Reach
from ajkit.daemon.clock import CLOCK
from ajkit.shared.job.execution import JobState
from ajkit.shared.job.spec import JobSpec

if TYPE_CHECKING:
    from collections.abc import Callable, Iterator, Mapping

_CHANCE = random.Random()


def draw_sid() -> str:
    return "".join(_CHANCE.choices(string.ascii_lowercase + string.digits, k=10))


def job_spec(command: str, **fields: Any) -> JobSpec:
    """A job of the service `local`."""
    sid = fields.pop("sid", None) or draw_sid()
    plain: dict[str, Any] = {
        "name": f"job-{sid}",
        "sid": sid,
        "template_name": "test",
        "service": "local",
        "nodes": 1,
        "gpus_per_node": 0,
        "processes_per_node": 1,
        "code": {"dir": "."},
        "command": command,
        "backend_spec": {},
    }
    return JobSpec.model_validate(plain | fields)


@dataclass
class Answer:
    """What the daemon said to a raw request."""

    status: int
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


@dataclass
class Host:
    """A host of its own: its folders, its environment, its daemon."""

    root: str
    environ: dict[str, str] = field(default_factory=dict)

    def __post_init__(self) -> None:
        for name in ("state", "run", "code"):
            os.makedirs(os.path.join(self.root, name), mode=0o700)
        kept = {name: os.environ[name] for name in ("PATH", "HOME", "LANG") if name in os.environ}
        self.environ = {
            **kept,
            "XDG_STATE_HOME": os.path.join(self.root, "state"),
            "XDG_RUNTIME_DIR": os.path.join(self.root, "run"),
            "AJ_IDLE_SECONDS": "60",
            **self.environ,
        }

    @property
    def code(self) -> str:
        """An empty code folder."""
        return os.path.join(self.root, "code")

    @property
    def state(self) -> str:
        return state_folder(self.environ)

    @property
    def pid(self) -> int:
        note = read_note(self.state)
        assert note is not None
        return note.pid

    def daemon(self, *, start: bool = True) -> Daemon:
        return Daemon.connect(start=start, environ=self.environ)

    def patient(self) -> Daemon:
        """A client that contacts nobody yet."""
        return Daemon(Reach(self.state, self.environ, start=True), self.environ)

    def kill(self) -> None:
        """End the daemon as a power cut would."""
        pid = self.pid
        os.kill(pid, signal.SIGKILL)
        wait_gone(pid)

    def sure_of(self, at: float) -> None:
        """Have the next daemon take a time, in seconds since 1970, for one that the clock has borne out."""
        with open(os.path.join(self.state, CLOCK), "w", encoding="utf-8") as file:
            json.dump({"sure": at, "seen": at}, file)

    def stop(self) -> None:
        """Stop the daemon in good order, if one runs."""
        note = read_note(self.state)
        if note is not None and is_alive(note.pid):
            os.kill(note.pid, signal.SIGTERM)
            wait_gone(note.pid)

    def supervisors(self) -> list[int]:
        """The supervisors of local jobs that run."""
        claims = glob.glob(os.path.join(self.state, "jobs", "*", "claim.json"))
        pids = []
        for each in claims:
            with open(each, encoding="utf-8") as file:
                pids.append(json.load(file)["pid"])
        return [each for each in pids if is_alive(each)]

    def held(self, command: str, *, first: str = "", **fields: Any) -> JobSpec:
        """A job that does what comes first, and the rest of its command when it is let go."""
        sid = draw_sid()
        wait = f"until [ -e {self._gate(sid)} ]; do sleep 0.02; done"
        return job_spec(f"{first}\n{wait}\n{command}", sid=sid, **fields)

    def let_go(self, spec: JobSpec) -> None:
        """Have a held job go on."""
        with open(self._gate(spec.sid), "w", encoding="utf-8"):
            pass

    def _gate(self, sid: str) -> str:
        return os.path.join(self.root, f"gate-{sid}")

    def end_jobs(self) -> None:
        """End the local jobs that still run, and wait until they have ended."""
        for pid in self.supervisors():
            os.kill(pid, signal.SIGTERM)
        wait_until(lambda: not self.supervisors())

    def run(self, spec: JobSpec, folder: str | None = None) -> tuple[str, int | None, dict[str, str]]:
        """Submit a job and follow it to its end: state, exit code, text by log."""
        daemon = self.daemon()
        daemon.submit(spec, folder or self.code)
        return finish(daemon, spec.sid)

    def ask(self, method: str, path: str, body: object = None, **headers: str) -> Answer:
        """A raw request to the daemon that runs."""
        note = read_note(self.state)
        assert note is not None
        with socket.socket(socket.AF_UNIX) as sock:
            sock.settimeout(60)
            sock.connect(note.socket)
            connection = http.client.HTTPConnection("localhost")
            connection.sock = sock
            data = body if isinstance(body, bytes) or body is None else json.dumps(body).encode()
            named = {name.replace("_", "-"): value for name, value in headers.items()}
            connection.request(method, path, data, {"Content-Type": "application/json", **named})
            with connection.getresponse() as answer:
                return Answer(answer.status, dict(answer.headers), answer.read())


def install_package(host: Host, service: str, code: str) -> None:
    """Put a package whose module runs a service where the daemon of a host finds it."""
    site = os.path.join(host.root, "site")
    about = os.path.join(site, f"{service}_engine-1.dist-info")
    os.makedirs(about)
    for path, text in {
        os.path.join(site, f"{service}_engine.py"): code,
        os.path.join(about, "METADATA"): f"Metadata-Version: 2.1\nName: {service}-engine\nVersion: 1\n",
        os.path.join(about, "entry_points.txt"): f"[ajkit.execute]\n{service} = {service}_engine:{service}\n",
    }.items():
        with open(path, "w", encoding="utf-8") as file:
            file.write(text)
    host.environ["PYTHONPATH"] = site


def finish(daemon: Daemon, job_id: str) -> tuple[str, int | None, dict[str, str]]:
    """Follow a job to its end: state, exit code, text by log."""
    texts: dict[str, str] = {}
    state, code = "", None
    for each in daemon.follow(job_id):
        if isinstance(each, LogLine):
            texts[each.stream] = texts.get(each.stream, "") + each.text
        else:
            state, code = each.event.state.value, each.event.exit_code
    return state, code, texts


def wait_running(daemon: Daemon, spec: JobSpec) -> None:
    """Wait until the daemon has seen a job run."""
    wait_until(lambda: daemon.job(spec.sid).job.state is JobState.RUNNING)


def is_alive(pid: int) -> bool:
    """Whether a process runs (one that has ended and waits to be collected does not)."""
    try:
        with open(f"/proc/{pid}/stat", encoding="utf-8", errors="replace") as file:
            return file.read().rpartition(")")[2].split()[0] not in {"Z", "X"}
    except (FileNotFoundError, ProcessLookupError):
        return False


def wait_gone(pid: int) -> None:
    """Wait for a process to end, or fail."""
    wait_until(lambda: not is_alive(pid))


def wait_until(true: Callable[[], bool], seconds: float = 60.0) -> None:
    """Wait for something to become true, or fail."""
    until = time.monotonic() + seconds
    for pause in itertools.chain([0.005] * 20, itertools.repeat(0.05)):
        if true():
            return
        assert time.monotonic() < until, f"it did not come true in {seconds:g} seconds"
        time.sleep(pause)


def make_host(**environ: str) -> Iterator[Host]:
    """A host whose daemon is stopped and whose folders go away at the end."""
    # Not tmp_path: an address of a Unix socket has to be short.
    root = tempfile.mkdtemp(prefix="aj-")
    host = Host(root, environ)
    try:
        yield host
    finally:
        host.stop()
        host.end_jobs()
        shutil.rmtree(root, ignore_errors=True)


@pytest.fixture
def host() -> Iterator[Host]:
    """A host without a daemon."""
    yield from make_host()


@pytest.fixture(scope="module")
def shared_host() -> Iterator[Host]:
    """A host with a daemon that all tests of a module use."""
    for each in make_host():
        each.daemon()
        yield each
