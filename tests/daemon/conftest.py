"""Hosts with real daemons for the tests of the daemon."""

from __future__ import annotations

from tests.daemons import host, shared_host

__all__ = ["host", "shared_host"]
