"""Live values: asked once for all who wait, remembered, old ones rather than none, and nobody waits for long."""

from __future__ import annotations

import asyncio
import threading
import time
from typing import TYPE_CHECKING, Any

import pytest

from ajkit.daemon import live
from ajkit.daemon.engines import Engines
from ajkit.daemon.live import Live
from ajkit.daemon.refusals import RefusedRequest
from ajkit.shared.contract import ValueInfo
from ajkit.shared.job.execution import LiveValue, Unavailable
from ajkit.submit.registry import CannotRun
from tests.daemon.driven import HANGS

if TYPE_CHECKING:
    from collections.abc import Callable, Coroutine, Sequence


class Cluster:
    """An engine that has queues."""

    name = "cluster"

    def __init__(self) -> None:
        self.asked: list[str] = []
        self.fault: Exception | None = None
        self.hold = threading.Event()
        self.hold.set()

    def values(self, kind: str) -> Sequence[LiveValue]:
        self.asked.append(kind)
        self.hold.wait(HANGS)
        if self.fault is not None:
            raise self.fault
        if kind != "queues":
            raise KeyError(kind)
        return [LiveValue("gpu", "3 of 8 nodes are free"), LiveValue("cpu")]


class Registry:
    """The registry of executions with one of each kind."""

    def __init__(self, cluster: Cluster) -> None:
        self.cluster = cluster

    def find(self, service: str) -> Any:
        if service == "cluster":
            return self.cluster
        if service == "plain":
            return object()
        raise CannotRun(f"nothing here runs the service `{service}`")


@pytest.fixture
def cluster() -> Cluster:
    return Cluster()


def scene(cluster: Cluster, act: Callable[[Live], Coroutine[Any, Any, None]]) -> None:
    """Run something with the live values of a cluster."""
    engines = Engines(threads=2)
    registry: Any = Registry(cluster)

    async def run() -> None:
        await act(Live(registry, engines, lambda: "2024-01-01T00:00:00Z"))

    try:
        asyncio.run(run())
    finally:
        cluster.hold.set()
        engines.close()


def test_asked_once_and_remembered(cluster: Cluster) -> None:
    async def act(values: Live) -> None:
        found = await asyncio.gather(*(values.values("cluster", "queues") for _ in range(20)))
        assert all(each == found[0] for each in found)
        assert found[0].values == [ValueInfo(value="gpu", detail="3 of 8 nodes are free"), ValueInfo(value="cpu")]
        assert (found[0].service, found[0].kind, found[0].at) == ("cluster", "queues", "2024-01-01T00:00:00Z")
        await values.values("cluster", "queues")
        assert cluster.asked == ["queues"]

    scene(cluster, act)


@pytest.mark.parametrize(
    ("service", "kind", "code"),
    [
        ("nothing", "queues", "service.unknown"),
        ("plain", "queues", "values.missing"),
        ("cluster", "x", "values.missing"),
    ],
)
def test_what_there_is_not(cluster: Cluster, service: str, kind: str, code: str) -> None:
    async def act(values: Live) -> None:
        for _ in range(2):
            with pytest.raises(RefusedRequest) as refused:
                await values.values(service, kind)
            assert refused.value.document.code == code

    scene(cluster, act)


def test_an_engine_that_is_away(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    async def act(values: Live) -> None:
        monkeypatch.setattr(live, "AGAIN_SECONDS", HANGS)
        cluster.fault = Unavailable("the cluster is away")
        for _ in range(5):
            with pytest.raises(Unavailable, match="away"):
                await values.values("cluster", "queues")
        assert len(cluster.asked) == 1
        cluster.fault = None
        monkeypatch.setattr(live, "AGAIN_SECONDS", 0.0)
        assert len((await values.values("cluster", "queues")).values) == 2

    scene(cluster, act)


def test_old_values_rather_than_none_and_none_when_they_are_too_old(
    cluster: Cluster, monkeypatch: pytest.MonkeyPatch
) -> None:
    async def act(values: Live) -> None:
        known = await values.values("cluster", "queues")
        monkeypatch.setattr(live, "FRESH_SECONDS", 0.0)
        monkeypatch.setattr(live, "AGAIN_SECONDS", 0.0)
        cluster.fault = RuntimeError("a bug")
        assert await values.values("cluster", "queues") == known
        monkeypatch.setattr(live, "STALE_SECONDS", 0.0)
        with pytest.raises(Exception, match="a bug"):
            await values.values("cluster", "queues")

    scene(cluster, act)


def test_nobody_waits_for_long(cluster: Cluster, monkeypatch: pytest.MonkeyPatch) -> None:
    async def act(values: Live) -> None:
        monkeypatch.setattr(live, "WAIT_SECONDS", 0.05)
        cluster.hold.clear()
        began = time.monotonic()
        with pytest.raises(Unavailable, match=r"not answered within 0\.05 seconds"):
            await values.values("cluster", "queues")
        assert time.monotonic() - began < HANGS / 2
        monkeypatch.setattr(live, "WAIT_SECONDS", HANGS)
        cluster.hold.set()
        assert len((await values.values("cluster", "queues")).values) == 2
        assert cluster.asked == ["queues"]

    scene(cluster, act)


def test_other_kinds_do_not_pile_up(cluster: Cluster) -> None:
    async def act(values: Live) -> None:
        for number in range(live.MOST_KINDS + 50):
            with pytest.raises(RefusedRequest):
                await values.values("cluster", f"x{number}")
        assert len(values._known) < live.MOST_KINDS

    scene(cluster, act)
