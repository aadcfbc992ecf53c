"""What a daemon counts, as Prometheus reads it."""

from __future__ import annotations

from prometheus_client.parser import text_string_to_metric_families

from ajkit.daemon.meters import LIMITS, Meters, Times, exposition
from tests.daemons import finish, job_spec
from tests.teams import Team, team

__all__ = ["team"]


def samples(text: str) -> dict[tuple[str, tuple[tuple[str, str], ...]], float]:
    """Every sample of an exposition by name and labels."""
    return {
        (each.name, tuple(sorted(each.labels.items()))): each.value
        for family in text_string_to_metric_families(text)
        for each in family.samples
    }


def test_times_are_sorted_by_their_limits() -> None:
    times = Times()
    for seconds in (0.001, 0.005, 0.2, 99.0):
        times.add(seconds)
    found = dict(times.buckets())
    assert (found["0.005"], found["0.25"], found["10.0"], found["+Inf"]) == (2, 3, 3, 4)
    assert len(found) == len(LIMITS) + 1
    assert times.total == 0.001 + 0.005 + 0.2 + 99.0


def test_an_exposition() -> None:
    meters = Meters()
    meters.requests["GET", "/v1/jobs", "200"] += 3
    meters.times["/v1/jobs"].add(0.02)
    meters.engine_calls["slurm", "status", "Unavailable"] += 2
    meters.journal_failures = 4
    found = samples(exposition(meters, {"aj_x": ("What x is", 7.5)}, [("done", 5)]).decode())
    assert found["aj_x", ()] == 7.5
    assert found["aj_jobs", (("state", "done"),)] == 5
    assert found["aj_http_requests_total", (("method", "GET"), ("path", "/v1/jobs"), ("status", "200"))] == 3
    assert found["aj_http_request_seconds_count", (("path", "/v1/jobs"),)] == 1
    calls = ("aj_engine_calls_total", (("call", "status"), ("outcome", "Unavailable"), ("service", "slurm")))
    assert found[calls] == 2
    assert found["aj_journal_failures_total", ()] == 4
    assert found["process_resident_memory_bytes", ()] > 1e6


def test_of_a_daemon_at_work(team: Team) -> None:
    spec = job_spec("true")
    daemon = team.daemon()
    daemon.submit(spec, team.code)
    finish(daemon, spec.sid)
    team.web("GET", "/v1/nothing-of-the-kind")
    team.web("BREW", "/v1/jobs")
    answer = team.web("GET", "/metrics")
    assert answer.headers["content-type"] == "text/plain; version=0.0.4; charset=utf-8"
    found = samples(answer.body.decode())
    assert found["aj_jobs", (("state", "done"),)] == 1
    assert found["aj_http_requests_total", (("method", "POST"), ("path", "/v1/jobs"), ("status", "201"))] == 1
    assert found["aj_http_requests_total", (("method", "other"), ("path", "other"), ("status", "404"))] == 1
    assert found["aj_http_requests_total", (("method", "other"), ("path", "other"), ("status", "405"))] == 1
    assert found["aj_engine_calls_total", (("call", "submit"), ("outcome", "answered"), ("service", "local"))] == 1
    assert found["aj_http_streams", ()] == 0
    assert team.token not in answer.body.decode()
