"""aj: job templates for clusters, resolved with provenance, checked and submitted."""

from __future__ import annotations

__version__ = "0.1.0"
