"""What a daemon counts about itself, and the page of it that Prometheus reads."""

from __future__ import annotations

from bisect import bisect_left
from collections import Counter, defaultdict
from typing import TYPE_CHECKING

if TYPE_CHECKING:
    from collections.abc import Iterable, Iterator, Mapping

    from prometheus_client import Metric

LIMITS = (0.005, 0.01, 0.025, 0.05, 0.1, 0.25, 0.5, 1.0, 2.5, 5.0, 10.0)
"""The upper limits, in seconds, by which the times of requests are sorted."""


class Times:
    """How long things of one kind took: a count for each of `LIMITS` and one for all above, and their sum."""

    def __init__(self) -> None:
        self.counts = [0] * (len(LIMITS) + 1)
        self.total = 0.0

    def add(self, seconds: float) -> None:
        """One of them took so long."""
        self.counts[bisect_left(LIMITS, seconds)] += 1
        self.total += seconds

    def buckets(self) -> list[tuple[str, float]]:
        """For each limit, how many took at most so long."""
        reached, found = 0, []
        for limit, count in zip([*map(str, LIMITS), "+Inf"], self.counts, strict=True):
            reached += count
            found.append((limit, float(reached)))
        return found


class Meters:
    """Counters of one daemon, fed on the event loop and by the threads of engines; a lost count would be harmless."""

    def __init__(self) -> None:
        self.requests: Counter[tuple[str, str, str]] = Counter()
        """By method, path as the table of paths has it, and status."""
        self.times: defaultdict[str, Times] = defaultdict(Times)
        """Of requests that were not streams, by path."""
        self.engine_calls: Counter[tuple[str, str, str]] = Counter()
        """By service, call and outcome."""
        self.journal_failures = 0
        self.streams = 0
        """Streams that are open now."""


def exposition(meters: Meters, gauges: Mapping[str, tuple[str, float]], jobs: Iterable[tuple[str, int]]) -> bytes:
    """The text that Prometheus reads.

    Args:
        meters: what was counted.
        gauges: name → what it is, and its value now.
        jobs: the number of jobs in the journal by state.
    """
    # Late: most daemons are never asked.
    from prometheus_client import CollectorRegistry, ProcessCollector, generate_latest  # noqa: PLC0415
    from prometheus_client.registry import Collector  # noqa: PLC0415

    listed = list(_families(meters, gauges, jobs))

    class Ours(Collector):
        def collect(self) -> Iterator[Metric]:
            yield from listed

    registry = CollectorRegistry()
    registry.register(Ours())
    ProcessCollector(registry=registry)
    return generate_latest(registry)


def _families(
    meters: Meters, gauges: Mapping[str, tuple[str, float]], jobs: Iterable[tuple[str, int]]
) -> Iterator[Metric]:
    from prometheus_client.core import (  # noqa: PLC0415
        CounterMetricFamily,
        GaugeMetricFamily,
        HistogramMetricFamily,
    )

    for name, (what, value) in gauges.items():
        yield GaugeMetricFamily(name, what, value)
    by_state = GaugeMetricFamily("aj_jobs", "Jobs in the journal", labels=["state"])
    for state, count in jobs:
        by_state.add_metric([state], count)
    requests = CounterMetricFamily("aj_http_requests", "Requests answered", labels=["method", "path", "status"])
    for labels, count in sorted(meters.requests.items()):
        requests.add_metric(labels, count)
    calls = CounterMetricFamily("aj_engine_calls", "Calls to engines", labels=["service", "call", "outcome"])
    for labels, count in sorted(meters.engine_calls.items()):
        calls.add_metric(labels, count)
    times = HistogramMetricFamily("aj_http_request_seconds", "Times of requests but streams", labels=["path"])
    for path, each in sorted(meters.times.items()):
        times.add_metric([path], each.buckets(), each.total)
    failures = CounterMetricFamily("aj_journal_failures", "Writes to the journal that failed", meters.journal_failures)
    yield from (by_state, requests, calls, times, failures)
