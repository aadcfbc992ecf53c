"""The connections of a daemon, one for each context: renewed with the kubeconfig, closed when nobody uses them."""

from __future__ import annotations

import threading
import time
from dataclasses import dataclass

from ajkit.backends.volcano.access import written_at
from ajkit.backends.volcano.cluster import Cluster

_RENEW_SECONDS = 300.0
_LONGEST_CALL = 3600.0
"""Seconds after which nobody can be using a connection that was replaced."""


@dataclass(frozen=True, slots=True)
class _Known:
    since: float
    kubeconfig: str | None
    written: int
    cluster: Cluster


class Connections:
    """Clusters by the context that they are of. Safe to use from several threads."""

    def __init__(self) -> None:
        self._lock = threading.Lock()
        self._known: dict[str | None, _Known] = {}
        self._retired: list[tuple[float, Cluster]] = []

    def to(self, context: str | None, kubeconfig: str | None) -> Cluster:
        """The cluster of a context; whoever logs in again, which writes the kubeconfig, is known again at once.

        Raises:
            Unavailable: there is no way to a cluster; see `access`.
        """
        written = written_at(kubeconfig)
        with self._lock:
            now, found = time.monotonic(), self._known.get(context)
            same = found and (found.kubeconfig, found.written) == (kubeconfig, written)
            if found and same and now - found.since <= _RENEW_SECONDS:
                return found.cluster
            cluster = Cluster(context, kubeconfig)
            self._known[context] = _Known(now, kubeconfig, written, cluster)
            if found:
                self._retire(found.cluster, now)
            return cluster

    def close(self) -> None:
        """Let go of all connections."""
        with self._lock:
            for cluster in (*(each.cluster for each in self._known.values()), *(each for _, each in self._retired)):
                cluster.close()
            self._known.clear()
            self._retired.clear()

    def _retire(self, cluster: Cluster, now: float) -> None:
        for at, each in self._retired:
            if now - at > _LONGEST_CALL:
                each.close()
        self._retired = [(at, each) for at, each in self._retired if now - at <= _LONGEST_CALL]
        self._retired.append((now, cluster))
