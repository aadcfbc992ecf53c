"""What the tests on real Ray stand on: one cluster for a module, and a host with a daemon that submits to it."""

from __future__ import annotations

from typing import TYPE_CHECKING

import pytest

from tests.daemons import make_host
from tests.e2e.ray.cluster import make_cluster

if TYPE_CHECKING:
    from collections.abc import Iterator

    from tests.daemons import Host
    from tests.e2e.ray.cluster import Cluster


@pytest.fixture(scope="module")
def cluster() -> Iterator[Cluster]:
    """A cluster for all tests of a module."""
    yield from make_cluster()


@pytest.fixture(scope="module")
def ray_host(cluster: Cluster) -> Iterator[Host]:
    """A host whose daemon submits to the cluster."""
    yield from make_host(RAY_ADDRESS=cluster.address, WANDB_API_KEY="hush")
