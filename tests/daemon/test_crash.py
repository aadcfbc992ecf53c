"""Submissions while the daemon is killed at random points: nothing lost, nothing doubled, every end right.

``AJ_CRASH_JOBS`` says how many (30 by default, 200 with ``AJ_SOAK=1``).
"""

from __future__ import annotations

import os
import random
import signal
import threading
import time
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from ajkit.client.places import read_note
from tests.daemons import draw_sid, finish, is_alive, job_spec

if TYPE_CHECKING:
    from ajkit.shared.job.spec import JobSpec
    from tests.daemons import Host

JOBS = int(os.environ.get("AJ_CRASH_JOBS", "200" if os.environ.get("AJ_SOAK") == "1" else "30"))
KILLS = 5
"""The daemon is killed at least so often."""

SEED = 20240607


def kill_at_random(host: Host, over: threading.Event, kills: list[float], longest: float = 0.4) -> None:
    """Kill whatever daemon is there, again and again, at most `longest` seconds after it has begun to answer."""
    chance = random.Random(SEED)
    last = 0
    while not over.is_set():
        note = read_note(host.state)
        if note is None or note.pid == last or not is_alive(note.pid):
            time.sleep(0.002)
            continue
        # A slow machine gets more time each time, or its clients would never come to their turn.
        pause = chance.uniform(0, longest + len(kills) * 0.05)
        time.sleep(pause)
        if not over.is_set() and is_alive(note.pid):
            os.kill(note.pid, signal.SIGKILL)
            last = note.pid
            kills.append(pause)


@pytest.mark.timeout(300 + 3 * JOBS)
def test_nothing_is_lost_and_nothing_is_doubled(host: Host) -> None:
    started = os.path.join(host.root, "started")
    specs = []
    for number in range(JOBS):
        sid = draw_sid()
        specs.append(job_spec(f"echo {sid} >> {started}; sleep 0.1; exit {number % 3}", sid=sid))
    over, kills = threading.Event(), list[float]()
    killer = threading.Thread(target=kill_at_random, args=(host, over, kills))
    killer.start()

    def submit(spec: JobSpec) -> None:
        host.patient().submit(spec, host.code)

    try:
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(submit, specs))
        while len(kills) < KILLS:
            host.patient().health()
    finally:
        over.set()
        killer.join()
    ends = {spec.sid: finish(host.patient(), spec.sid)[:2] for spec in specs}
    wanted = {spec.sid: ("failed", code) if (code := at % 3) else ("done", 0) for at, spec in enumerate(specs)}
    assert ends == wanted
    with open(started, encoding="utf-8") as file:
        times = Counter(file.read().split())
    assert times == Counter(spec.sid for spec in specs)
