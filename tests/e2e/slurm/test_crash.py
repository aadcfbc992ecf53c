"""Submissions to real Slurm while the daemon is killed at random points and clients try again: none lost, none doubled.

``AJ_CRASH_JOBS`` says how many (24 by default, 200 with ``AJ_SOAK=1``).
"""

from __future__ import annotations

import contextlib
import logging
import os
import threading
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from typing import TYPE_CHECKING

import pytest

from ajkit.client.start import DaemonFailed
from tests.daemon.test_crash import kill_at_random
from tests.daemons import draw_sid, finish
from tests.e2e.slurm.test_jobs import slurm_spec

if TYPE_CHECKING:
    from ajkit.shared.job.spec import JobSpec
    from tests.daemons import Host
    from tests.e2e.slurm.cluster import Cluster

log = logging.getLogger(__name__)

JOBS = int(os.environ.get("AJ_CRASH_JOBS", "200" if os.environ.get("AJ_SOAK") == "1" else "24"))
KILLS = 5
"""The daemon is killed at least so often."""
LONGEST = 2.0
"""Seconds that a daemon lives at most: some of the calls of Slurm's commands take one."""


@pytest.mark.timeout(600 + 10 * JOBS)
def test_nothing_is_lost_and_nothing_is_doubled(slurm_host: Host, cluster: Cluster) -> None:
    started = os.path.join(slurm_host.root, "started")
    specs = []
    for number in range(JOBS):
        sid = draw_sid()
        specs.append(slurm_spec(f"echo {sid} >> {started}; exit {number % 3}", sid=sid))
    over, kills = threading.Event(), list[float]()
    killer = threading.Thread(target=kill_at_random, args=(slurm_host, over, kills, LONGEST))
    killer.start()

    def submit(spec: JobSpec) -> None:
        while True:
            with contextlib.suppress(DaemonFailed):
                slurm_host.patient().submit(spec, slurm_host.code, key=spec.sid)
                return

    try:
        with ThreadPoolExecutor(4) as pool:
            list(pool.map(submit, specs))
        while len(kills) < KILLS:
            slurm_host.patient().health()
    finally:
        over.set()
        killer.join()
    ends = {spec.sid: finish(slurm_host.patient(), spec.sid)[:2] for spec in specs}
    wanted = {spec.sid: ("failed", code) if (code := at % 3) else ("done", 0) for at, spec in enumerate(specs)}
    assert ends == wanted
    with open(started, encoding="utf-8") as file:
        assert Counter(file.read().split()) == Counter(spec.sid for spec in specs)
    assert Counter(cluster.jobs()) == Counter(f"aj-{spec.sid}" for spec in specs)
    log.info("%d jobs, %d daemons killed", JOBS, len(kills))
