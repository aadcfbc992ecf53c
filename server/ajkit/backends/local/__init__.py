"""Jobs on this machine."""

from __future__ import annotations
