"""A plug-in that cannot be imported."""

from __future__ import annotations

x = 1 // 0
