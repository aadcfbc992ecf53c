"""Hosts with real daemons for jobs on this machine."""

from __future__ import annotations

from tests.daemons import host, shared_host

__all__ = ["host", "shared_host"]
