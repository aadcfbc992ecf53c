"""Jobs on Ray, through its Jobs API."""

from __future__ import annotations
