"""How fast the daemon takes, lists and starts jobs, and what it costs while nothing happens.

Run from the root of the repository::

    python -m tests.bench.daemon [--seconds 10] [--rate 30] [--jobs 10000] [--followers 200]

Times are wall times in milliseconds as a client sees them, each request on a connection of its own. The jobs of the
first two rows go to an engine that does nothing, so that the figures are the daemon's; `local` has rows of its own.
"""

from __future__ import annotations

import argparse
import os
import statistics
import sys
import time
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

from ajkit.client.address import unix_address
from ajkit.client.daemon import LogLine
from ajkit.client.places import read_note
from ajkit.client.snapshot import pack
from ajkit.client.wire import Wire
from ajkit.daemon import records
from ajkit.daemon.journal import Journal
from ajkit.shared.contract import JOBS, KEY_HEADER, SubmitRequest
from ajkit.shared.job.execution import JobState
from tests.daemons import Host, install_package, job_spec, make_host

if TYPE_CHECKING:
    import sqlite3
    from collections.abc import Callable, Iterator

ENGINE = '''"""An engine that takes every job and has done it at once."""

from ajkit.shared.job.execution import JobState, Status


class Nothing:
    name = "nothing"
    poll_seconds = 0.1

    def check(self, spec):
        return []

    def submit(self, job, report):
        return job.token

    def find(self, job):
        return job.token

    def status(self, handle):
        return Status(JobState.DONE, exit_code=0)


nothing = Nothing()
'''


def timed(act: Callable[[], object]) -> float:
    """The milliseconds something takes."""
    began = time.perf_counter()
    act()
    return (time.perf_counter() - began) * 1000


def shown(name: str, times: list[float], goal: str) -> None:
    """Print one row."""
    ordered = sorted(times)
    p95 = ordered[min(len(ordered) - 1, round(len(ordered) * 0.95))]
    sys.stdout.write(f"{name:<44}{statistics.median(times):>9.1f}{p95:>9.1f}{ordered[-1]:>9.1f}   {goal}\n")
    sys.stdout.flush()


class Bench:
    """One host and its daemon."""

    def __init__(self, host: Host) -> None:
        self.host = host
        self.daemon = host.daemon()
        with pack(host.code, []) as archive:
            self.daemon.upload(archive)
            self.digest = archive.digest
        note = read_note(host.state)
        assert note is not None
        self.wire = Wire(unix_address(note.socket))

    def accept(self) -> Callable[[], object]:
        """A submission to the engine that does nothing, ready to be sent."""
        request = SubmitRequest(spec=job_spec("true", service="nothing"), code_digest=self.digest)
        body, key = request.model_dump_json().encode(), {KEY_HEADER: request.spec.sid}
        return lambda: self.wire.call("POST", JOBS, body=body, headers=key)

    def sustained(self, rate: float, seconds: float) -> list[float]:
        """Submissions at a rate, none waiting for another."""
        sends = [self.accept() for _ in range(int(rate * seconds))]
        began = time.perf_counter()

        def send(numbered: tuple[int, Callable[[], object]]) -> float:
            time.sleep(max(0.0, began + numbered[0] / rate - time.perf_counter()))
            return timed(numbered[1])

        with ThreadPoolExecutor(8) as pool:
            return list(pool.map(send, enumerate(sends)))

    def burst(self, count: int, clients: int) -> list[float]:
        """Submissions as fast as so many clients send them."""
        sends = [self.accept() for _ in range(count)]
        with ThreadPoolExecutor(clients) as pool:
            return list(pool.map(timed, sends))

    def followed(self, followers: int) -> list[float]:
        """One job says the time twenty times; many followers read it: the age of each line when each has it."""
        spec = job_spec("for n in $(seq 20); do date +%s%N; sleep 0.2; done")
        self.daemon.submit(spec, self.host.code)

        def follow(_: int) -> list[float]:
            lines = (each for each in self.host.daemon().follow(spec.sid) if isinstance(each, LogLine))
            return [(time.time_ns() - int(line)) / 1e6 for each in lines for line in each.text.split()]

        with ThreadPoolExecutor(followers) as pool:
            ages = list(pool.map(follow, range(followers)))
        assert all(len(each) == 20 for each in ages), "a follower has missed a line"
        # Who comes late reads what was said before.
        return [age for each in ages for age in each[10:]]

    def processor_seconds(self) -> float:
        """The processor time that the daemon has taken so far."""
        with open(f"/proc/{self.host.pid}/stat", encoding="utf-8") as file:
            fields = file.read().rpartition(")")[2].split()
        return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")

    def idle_memory(self) -> float:
        """The daemon's resident memory in MB."""
        with open(f"/proc/{self.host.pid}/status", encoding="utf-8") as file:
            return next(int(line.split()[1]) / 1024 for line in file if line.startswith("VmRSS"))

    def starts(self, count: int) -> Iterator[tuple[float, float]]:
        """From the call of `submit` to the process's own clock, and to its first line at the client."""
        for _ in range(count):
            spec = job_spec("date +%s%N")
            began = time.time_ns()
            self.daemon.submit(spec, self.host.code)
            line = next(each for each in self.daemon.follow(spec.sid) if isinstance(each, LogLine))
            seen = time.time_ns()
            yield (int(line.text) - began) / 1e6, (seen - began) / 1e6


def fill(state: str, count: int) -> None:
    """A journal that holds many ended jobs."""
    os.makedirs(state, mode=0o700)
    journal = Journal(os.path.join(state, "journal.sqlite3"))

    def add(db: sqlite3.Connection) -> None:
        spec = job_spec("true", experiment="bench")
        records.accept(db, SubmitRequest(spec=spec, code_digest="0" * 64), "", spec.sid)
        for each in (JobState.SUBMITTING, JobState.SUBMITTED, JobState.RUNNING, JobState.DONE):
            records.step(db, spec.sid, each)

    for each in [journal.write(add, durable=False) for _ in range(count)]:
        each.result()
    journal.close()


def take_and_start(host: Host, rate: float, seconds: float, followers: int) -> None:
    """The rows of a daemon that takes jobs and starts some."""
    install_package(host, "nothing", ENGINE)
    shown("a daemon is started and answers", [timed(host.daemon)], "")
    bench = Bench(host)
    time.sleep(1)
    memory = bench.idle_memory()
    shown(f"accept, {rate:g}/s", bench.sustained(rate, seconds), "p95 ≤ 40")
    shown("accept, a burst of 100, 8 clients", bench.burst(100, 8), "p95 ≤ 40")
    shown("accept, a burst of 100, 100 clients", bench.burst(100, 100), "")
    time.sleep(1)
    used = bench.processor_seconds()
    bench.burst(200, 8)
    time.sleep(1)
    each = (bench.processor_seconds() - used) / 200 * 1000
    sys.stdout.write(f"{'  processor time from taken to done, each':<44}{each:>9.1f}\n")
    began, seen = zip(*bench.starts(20), strict=True)
    shown("submit → process started (local)", list(began), "≤ 150")
    shown("submit → first line seen (local)", list(seen), "")
    used, began_at = bench.processor_seconds(), time.perf_counter()
    shown(f"a line of a job at {followers} followers", bench.followed(followers), "")
    share = (bench.processor_seconds() - used) / (time.perf_counter() - began_at)
    sys.stdout.write(f"{'  processors that takes the daemon':<44}{share:>9.2f}\n")
    sys.stdout.write(f"{'memory after all that, MB':<44}{bench.idle_memory():>9.0f}\n")
    sys.stdout.write(f"{'idle memory, MB':<44}{memory:>9.0f}{'':>18}   ≤ 120\n")


def lists(host: Host, jobs: int) -> None:
    """The rows of a daemon with a long past."""
    fill(host.state, jobs)
    daemon = host.daemon()
    shown(f"list 100 of {jobs}", [timed(lambda: list(daemon.jobs(most=100))) for _ in range(100)], "p95 ≤ 30")
    live = [timed(lambda: list(daemon.jobs(live=True, most=100))) for _ in range(100)]
    shown(f"list the live ones of {jobs}", live, "p95 ≤ 30")


def main() -> None:
    """Print the figures."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--seconds", type=float, default=10)
    parser.add_argument("--rate", type=float, default=30)
    parser.add_argument("--jobs", type=int, default=10_000)
    parser.add_argument("--followers", type=int, default=200)
    chosen = parser.parse_args()
    sys.stdout.write(f"{'milliseconds':<44}{'p50':>9}{'p95':>9}{'max':>9}   goal\n")
    for host in make_host():
        take_and_start(host, chosen.rate, chosen.seconds, chosen.followers)
    for host in make_host():
        lists(host, chosen.jobs)


if __name__ == "__main__":
    main()
